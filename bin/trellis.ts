// The program: core with the built-in plugins.

import { enableCompileCache, findPackageJSON } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { collectAsServer } from '../process/collecting.ts'
import { holdYoungGeneration } from '../process/young-generation.ts'

/** The `node_modules` that the package is in, else its own. */
function modulesDirectory(): string {
  const root = dirname(findPackageJSON('.', import.meta.url) ?? import.meta.dirname)
  return basename(dirname(root)) === 'node_modules' ? dirname(root) : join(root, 'node_modules')
}

// Halves the time to start. Beside the program rather than in the machine's temporary directory, where others write; where
// nothing can be written, Node does without.
enableCompileCache(join(modulesDirectory(), '.cache/trellis/compile'))

// Before anything else is loaded; `serve` lets the young generation grow once it listens.
holdYoungGeneration()
collectAsServer()

const { main } = await import('../process/main.ts')
const { builtInPlugins } = await import('../plugins/index.ts')

main(process.argv.slice(2), builtInPlugins)
