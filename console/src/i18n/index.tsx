/**
 * What people read, in two languages. A page has a file of its own in `zh/` and in `en/`; the
 * Chinese one says which keys there are, and the compiler sees that the English one has the same.
 */
import {
  createContext,
  useCallback,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
  type ReactNode,
} from 'react';

import { prefer, preference } from '../app/storage';
import { fill, type Values } from './fill';
import type { Texts } from './zh';

export type Language = 'zh' | 'en';
type Keys = { [P in keyof Texts]: `${P}.${keyof Texts[P] & string}` };
/** `page.key` */
export type TextKey = Keys[keyof Keys];
/** The text of a key; `{name}` in it is replaced, `{n|one|many}` chooses by number. */
export type Translate = (key: TextKey, values?: Values) => string;

const loaders: Record<Language, () => Promise<{ texts: Texts }>> = {
  zh: () => import('./zh'),
  en: () => import('./en'),
};

interface Current {
  language: Language;
  texts: Texts;
  setLanguage: (language: Language) => Promise<void>;
}

const Context = createContext<Current | null>(null);

/** The language that was chosen here before, else the browser's. */
export function firstLanguage(): Language {
  const chosen = preference('language');
  if (chosen === 'zh' || chosen === 'en') return chosen;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** The texts of a language; they are loaded once. */
export async function load(language: Language): Promise<Texts> {
  return (await loaders[language]()).texts;
}

export function LanguageProvider(props: { first: Language; texts: Texts; children: ReactNode }) {
  const [current, setCurrent] = useState({ language: props.first, texts: props.texts });
  const setLanguage = useCallback(async (language: Language) => {
    prefer('language', language);
    setCurrent({ language, texts: await load(language) });
  }, []);
  useLayoutEffect(() => {
    document.documentElement.lang = current.language === 'zh' ? 'zh-CN' : 'en';
  }, [current.language]);
  const value = useMemo(() => ({ ...current, setLanguage }), [current, setLanguage]);
  return <Context.Provider value={value}>{props.children}</Context.Provider>;
}

export function useLanguage(): Current {
  const current = useContext(Context);
  if (current === null) throw new Error('LanguageProvider is missing');
  return current;
}

export function useT(): Translate {
  const { texts } = useLanguage();
  return useCallback(
    (key, values) => {
      const [page, name] = key.split('.') as [keyof Texts, string];
      return fill((texts[page] as Record<string, string>)[name] ?? key, values);
    },
    [texts],
  );
}

/** The text in the viewer's language of what an agent's author wrote in several. */
export function useTitle(): (title: Partial<Record<Language, string>> | string | undefined) => string {
  const { language } = useLanguage();
  return useCallback(
    (title) =>
      typeof title === 'string' ? title : (title?.[language] ?? title?.zh ?? title?.en ?? ''),
    [language],
  );
}
