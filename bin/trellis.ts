#!/usr/bin/env node
// The program: core with the built-in plugins.

import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { holdYoungGeneration } from '../process/young-generation.ts'

// Halves the time to start. Beside the program rather than in the machine's temporary directory, where others write.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'))

// Before anything else is loaded; `serve` lets it grow once it listens.
holdYoungGeneration()

// What requests leave behind is collected before it has grown by more than this: of documents that are asked for once, that
// is most of the memory.
setFlagsFromString('--heap-growing-percent=40')

const { main } = await import('../process/main.ts')
const { builtInPlugins } = await import('../plugins/index.ts')

main(process.argv.slice(2), builtInPlugins)
