/** Light and dark: antd's tokens and the custom properties of our own styles, from one palette. */
import { App as AntApp, ConfigProvider, theme as ant, type ThemeConfig } from 'antd';
import en from 'antd/locale/en_US';
import zh from 'antd/locale/zh_CN';
import { createContext, useContext, useLayoutEffect, useMemo, useState, type ReactNode } from 'react';

import { useLanguage } from '../i18n';
import { palettes, type Palette, type Theme } from './palette';
import { prefer, preference } from './storage';

const Current = createContext<{ theme: Theme; setTheme: (theme: Theme) => void }>({
  theme: 'light',
  setTheme: () => undefined,
});

export function useTheme(): { theme: Theme; palette: Palette; setTheme: (theme: Theme) => void } {
  const current = useContext(Current);
  return { ...current, palette: palettes[current.theme] };
}

const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", ' +
  '"Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans", sans-serif';

function tokens(theme: Theme): ThemeConfig {
  const c = palettes[theme];
  return {
    algorithm: theme === 'dark' ? ant.darkAlgorithm : ant.defaultAlgorithm,
    token: {
      fontFamily: FONT,
      colorPrimary: c.brand,
      colorLink: c.link,
      colorLinkHover: c.link,
      colorLinkActive: c.link,
      colorInfo: c.tones.info.text,
      colorError: theme === 'dark' ? '#ff8b92' : '#b3222e',
      colorBgBase: c.surface,
      colorBgLayout: c.ground,
      colorBgContainer: c.surface,
      colorBgElevated: theme === 'dark' ? c.raised : c.surface,
      colorText: c.text,
      colorTextSecondary: c.soft,
      colorTextTertiary: c.soft,
      colorTextDescription: c.soft,
      colorTextPlaceholder: c.soft,
      colorTextDisabled: c.soft,
      colorBorder: theme === 'dark' ? '#4a5751' : '#bcc7c2',
      colorBorderSecondary: c.line,
      motion: !matchMedia('(prefers-reduced-motion: reduce)').matches,
      borderRadius: 8,
      wireframe: false,
    },
    components: {
      Menu: {
        itemSelectedBg: c.brandSoft,
        itemSelectedColor: c.link,
        itemColor: c.text,
        activeBarBorderWidth: 0,
      },
      Badge: { colorError: '#b3222e' },
      Button: { ...(theme === 'dark' && { dangerColor: '#1c0608' }), primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none' },
      Tabs: { itemSelectedColor: c.link, inkBarColor: c.link, itemHoverColor: c.link },
      Segmented: { itemSelectedColor: c.text },
    },
  };
}

/** Our own styles read these. */
function properties(c: Palette): [string, string][] {
  const plain = ['ground', 'surface', 'raised', 'line', 'text', 'soft', 'brand', 'link', 'brandSoft', 'mark'] as const;
  return [
    ...plain.map((name): [string, string] => [`--${name}`, c[name]]),
    ...Object.entries(c.tones).flatMap(([tone, one]): [string, string][] => [
      [`--${tone}-text`, one.text],
      [`--${tone}-ground`, one.ground],
      [`--${tone}-line`, one.line],
    ]),
  ];
}

function firstTheme(): Theme {
  const chosen = preference('theme');
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function ThemeProvider({ children }: { children: ReactNode }) {
  const [theme, choose] = useState(firstTheme);
  const { language } = useLanguage();
  useLayoutEffect(() => {
    const { style, dataset } = document.documentElement;
    dataset['theme'] = theme;
    style.colorScheme = theme;
    for (const [name, value] of properties(palettes[theme])) style.setProperty(name, value);
  }, [theme]);
  const current = useMemo(
    () => ({
      theme,
      setTheme: (next: Theme) => {
        prefer('theme', next);
        choose(next);
      },
    }),
    [theme],
  );
  const config = useMemo(() => tokens(theme), [theme]);
  return (
    <Current.Provider value={current}>
      <ConfigProvider theme={config} locale={language === 'zh' ? zh : en} button={{ autoInsertSpace: false }}>
        <AntApp component={false}>{children}</AntApp>
      </ConfigProvider>
    </Current.Provider>
  );
}
