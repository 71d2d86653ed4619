import { defineConfig } from 'vite'

/** The number of `Features.DirSelector` of Lightning CSS, which Vite brings along. */
const DIR_SELECTOR = 4

/** `npm run dev -w web` serves the UI as it is edited, with the API of a service on port 3000. */
export default defineConfig({
  root: import.meta.dirname,
  // The service writes into the page where it is reached; all else finds its neighbours from there.
  base: './',
  oxc: { jsx: { runtime: 'automatic' } },
  // `:dir()` asks for the direction of a text, and stays: the languages that would be written in its place tell nothing.
  css: { lightningcss: { exclude: DIR_SELECTOR } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    // An asset inside the style sheet or the page would need holes in the content-security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The pages of the docs are one file, which grows with them.
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // By itself the bundler makes a file for each combination of pages that share a module.
          groups: [{ name: 'shared', test: /\.(ts|tsx|js)$/, minShareCount: 6 }],
        },
      },
    },
    license: { fileName: 'licenses.md' },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://127.0.0.1:3000', '/files': 'http://127.0.0.1:3000' } },
})
