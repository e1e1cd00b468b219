import { useCallback } from 'react';

import { useLanguage } from '.';
import { engineWords } from './engine';

/** What the engine wrote, in the viewer's language as far as it is known there. */
export function useEngineWords(): (text: string) => string {
  const { language } = useLanguage();
  return useCallback((text) => engineWords(text, language), [language]);
}
