import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app/App';
import { firstLanguage, LanguageProvider, load } from './i18n';

// the server was upgraded under an open page: its files have other names now
window.addEventListener('vite:preloadError', () => location.reload());

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
