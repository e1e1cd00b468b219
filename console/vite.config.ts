import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const server = process.env.POINTSMAN_SERVER ?? 'http://127.0.0.1:8765';

/** Packed copies beside the files, which the server sends to browsers that take them. */
function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(dir, { recursive: true }) as string[]) {
        if (!/\.(js|css|html|svg|txt)$/.test(name)) continue;
        const plain = readFileSync(join(dir, name));
        if (plain.length < 1024) continue;
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(plain, quality));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(plain, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), packed()],
  build: {
    outDir: '../src/pointsman/entrypoints/console/dist',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    license: { fileName: 'licences.txt' },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // what every page needs, in one file; the rest as pages share it
            { name: 'core', test: /node_modules\/(react|react-dom|scheduler|react-router|stylis|@babel|@emotion|clsx|@ant-design\/(cssinjs|cssinjs-utils|colors|fast-color|icons|icons-svg)|@rc-component\/(util|motion|resize-observer|portal|trigger|overflow|tooltip))\// },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: { '/api': { target: server, ws: true } },
  },
  test: { environment: 'node', include: ['src/**/*.test.ts'] },
});
