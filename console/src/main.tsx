import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app/App';
import { reloadAfterUpgrade } from './app/upgrade';
import { firstLanguage, LanguageProvider, load } from './i18n';

reloadAfterUpgrade();

const language = firstLanguage();
const texts = await load(language);
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <LanguageProvider first={language} texts={texts}>
      <App />
    </LanguageProvider>
  </StrictMode>,
);
