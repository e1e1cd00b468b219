import { api } from '../api/client';

/**
 * Load the page anew, if the server is there to give it. While it is not, the page stays: a browser
 * would put its own error page in the place of what is typed.
 */
export async function reloadPage(): Promise<void> {
  try {
    await api.get('/api/session');
  } catch {
    return; // the banner says so
  }
  location.reload();
}

/** After an upgrade of the server the files of an open page have other names. */
export function reloadAfterUpgrade(): void {
  window.addEventListener('vite:preloadError', () => void reloadPage());
}
