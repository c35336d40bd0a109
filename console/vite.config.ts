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
  },
  define: { 'process.env.NODE_ENV': '"production"' },
})
