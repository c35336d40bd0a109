import { defineConfig } from 'vite'

export default defineConfig({
  // The server puts the way to these addresses into the page, which therefore works below a prefix.
  base: './',
  build: {
    target: 'es2022',
    assetsDir: 'assets',
    // Fonts are files: the policy of the page allows no others.
    assetsInlineLimit: 0,
    // Its script would be inline.
    modulePreload: { polyfill: false },
    outDir: '../node_modules/.cache/trellis/console-watched',
    emptyOutDir: true,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // A few files that every page shares, in the place of one for each module that two pages share.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              // The editor is loaded when code is shown, and kept texts wait for the browser's storage.
              test: /node_modules\/(?!@codemirror|@lezer|cm6-)|src\/(?:requests|server|parts\/(?!code-editor)|shell|styles|base\/(?!kept|drafts))/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  define: { 'process.env.NODE_ENV': '"production"' },
})
