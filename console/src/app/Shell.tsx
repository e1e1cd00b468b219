import {
  BellOutlined,
  KeyOutlined,
  LogoutOutlined,
  MenuOutlined,
  MoonOutlined,
  QuestionCircleOutlined,
  SearchOutlined,
  SunOutlined,
  TranslationOutlined,
  UserOutlined,
} from '@ant-design/icons';
import { Badge, Button, Drawer, Dropdown, Menu, Tooltip } from 'antd';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { matchPath, useLocation, useNavigate } from 'react-router';

import { useLanguage, useT } from '../i18n';
import { usePhone } from '../parts/useWidth';
import { ConnectionDot, OfflineBanner } from './Connection';
import { useCounts, type Counts } from './counts';
import { useKeys } from './keys';
import { useNotices } from './notices';
import { routes } from './routes';
import { useSession } from './session';
import { useTheme } from './theme';

const loadPalette = async () => ({ default: (await import('./Palette')).Palette });
const Palette = lazy(loadPalette);
const loadShortcuts = async () => ({ default: (await import('./Shortcuts')).Shortcuts });
const Shortcuts = lazy(loadShortcuts);

/** Show a part once it is here; while the server cannot be reached it stays away. */
function show(load: () => Promise<unknown>, open: () => void): void {
  load().then(open, () => undefined);
}

/** Navigation left, a bar on top, the page; on a phone the navigation is a drawer. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useT();
  const phone = usePhone();
  const counts = useCounts();
  useNotices();
  const { pathname } = useLocation();
  const [drawer, setDrawer] = useState('');
  const [palette, setPalette] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  const here = routes.find((one) => matchPath(one.path, pathname));
  useEffect(() => {
    const timer = setTimeout(() => show(loadPalette, () => undefined), 3000); // its first use is to be instant
    return () => clearTimeout(timer);
  }, []);
  useKeys((event) => {
    const chord = event.ctrlKey || event.metaKey;
    if (chord && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      show(loadPalette, () => setPalette((open) => !open));
    } else if (chord && event.key === '/') {
      event.preventDefault();
      show(loadShortcuts, () => setShortcuts((open) => !open));
    }
  });
  return (
    <div className="shell">
      <a className="skip" href="#page">
        {t('shell.skip')}
      </a>
      {!phone && (
        <nav className="side" aria-label={t('shell.navigation')}>
          <Brand />
          <Navigation counts={counts} />
        </nav>
      )}
      <Drawer
        open={phone && drawer === pathname}
        onClose={() => setDrawer('')}
        placement="left"
        size={260}
        title={<Brand />}
        styles={{ body: { padding: 8 } }}
      >
        <nav aria-label={t('shell.navigation')}>
          <Navigation counts={counts} />
        </nav>
      </Drawer>
      <div className="main">
        <header className="top">
          {phone && (
            <Button
              type="text"
              icon={<MenuOutlined />}
              aria-label={t('shell.openNavigation')}
              onClick={() => setDrawer(pathname)}
            />
          )}
          <Button
            className="jump"
            icon={<SearchOutlined />}
            aria-label={phone ? t('shell.jump') : `${t('shell.jump')} ${isMac() ? '⌘K' : 'Ctrl K'}`}
            onClick={() => show(loadPalette, () => setPalette(true))}
          >
            {!phone && (
              <>
                <span className="jump-words">{t('shell.jump')} </span>
                <kbd>{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
              </>
            )}
          </Button>
          <span className="spring" />
          <ConnectionDot />
          <Tools counts={counts} onShortcuts={() => show(loadShortcuts, () => setShortcuts(true))} />
        </header>
        <OfflineBanner />
        <main id="page" className={here?.full ? 'content full' : 'content'} tabIndex={-1}>
          {children}
        </main>
      </div>
      <Suspense fallback={null}>
        {palette && <Palette onClose={() => setPalette(false)} />}
        {shortcuts && <Shortcuts open onClose={() => setShortcuts(false)} />}
      </Suspense>
    </div>
  );
}

function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}

function Brand() {
  return (
    <span className="brand">
      <img src="/signal.svg" alt="" width={22} height={22} />
      Pointsman
    </span>
  );
}

function Navigation({ counts }: { counts: Counts }) {
  const t = useT();
  const { may } = useSession();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const shown = routes.filter((one) => one.icon && (!one.role || may(one.role)));
  const here = shown.find(({ to, path }) => pathname.startsWith(to ?? path));
  return (
    <Menu
      mode="inline"
      selectedKeys={here ? [here.to ?? here.path] : []}
      onClick={({ key }) => void navigate(key)}
      items={shown.map(({ to, path, icon, title, badge }) => ({
        key: to ?? path,
        icon,
        label: (
          <span className="nav-label">
            {t(title)}
            {badge && counts[badge] > 0 && (
              <Badge count={counts[badge]} size="small" title={t('shell.waiting', { n: counts[badge] })} />
            )}
          </span>
        ),
      }))}
    />
  );
}

function Tools({ counts, onShortcuts }: { counts: Counts; onShortcuts: () => void }) {
  const t = useT();
  const phone = usePhone();
  const navigate = useNavigate();
  const { theme, setTheme } = useTheme();
  const { language, setLanguage } = useLanguage();
  const { session, signOut, change } = useSession();
  const other = language === 'zh' ? 'en' : 'zh';
  const swap = () => {
    void setLanguage(other);
    if (session?.signed_in) void change({ language: other }).catch(() => undefined);
  };
  const turn = () => setTheme(theme === 'dark' ? 'light' : 'dark');
  const languageName = t(other === 'zh' ? 'shell.toChinese' : 'shell.toEnglish');
  const themeName = t(theme === 'dark' ? 'shell.toLight' : 'shell.toDark');
  const themeIcon = theme === 'dark' ? <SunOutlined /> : <MoonOutlined />;
  return (
    <>
      {!phone && (
        <>
          <Tooltip title={languageName}>
            <Button type="text" icon={<TranslationOutlined />} aria-label={languageName} onClick={swap} />
          </Tooltip>
          <Tooltip title={themeName}>
            <Button type="text" icon={themeIcon} aria-label={themeName} onClick={turn} />
          </Tooltip>
        </>
      )}
      <Tooltip title={t('shell.bell', { n: counts.inbox })}>
        <Button
          type="text"
          icon={
            <Badge count={counts.inbox} size="small" offset={[2, -2]}>
              <BellOutlined className="bell" />
            </Badge>
          }
          aria-label={t('shell.bell', { n: counts.inbox })}
          onClick={() => void navigate('/inbox')}
        />
      </Tooltip>
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            {
              key: 'who',
              disabled: true,
              label: `${session?.name ?? session?.login ?? ''} · ${session?.roles.join(', ') ?? ''}`,
            },
            { type: 'divider' },
            ...(phone
              ? [
                  { key: 'language', icon: <TranslationOutlined />, label: languageName, onClick: swap },
                  { key: 'theme', icon: themeIcon, label: themeName, onClick: turn },
                ]
              : []),
            { key: 'shortcuts', icon: <QuestionCircleOutlined />, label: t('shell.shortcuts'), onClick: onShortcuts },
            ...(routes.some((one) => one.path === '/account')
              ? [{ key: 'account', icon: <KeyOutlined />, label: t('shell.account'), onClick: () => void navigate('/account') }]
              : []),
            ...(session?.signed_in
              ? [{ key: 'out', icon: <LogoutOutlined />, label: t('shell.signOut'), onClick: () => void signOut() }]
              : []),
          ],
        }}
      >
        <Button type="text" icon={<UserOutlined />} aria-label={t('shell.user', { name: session?.login ?? '' })}>
          {!phone && <span className="who">{session?.name ?? session?.login}</span>}
        </Button>
      </Dropdown>
    </>
  );
}
