#!/usr/bin/env node
// The program: core with the built-in plugins.

import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Halves the time to start. Beside the program rather than in the machine's temporary directory, where others write.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'))

const { main } = await import('../core/main.ts')
const { builtInPlugins } = await import('../plugins/index.ts')

main(process.argv.slice(2), builtInPlugins)
