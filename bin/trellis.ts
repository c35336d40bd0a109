// The program: core with the built-in plugins.

import { enableCompileCache, findPackageJSON } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { collectAsServer, holdYoungGeneration } from '../process/v8.ts'

/** The `node_modules` that contains the package, or the package's own. */
function modulesDirectory(): string {
  const root = dirname(findPackageJSON('.', import.meta.url) ?? import.meta.dirname)
  return basename(dirname(root)) === 'node_modules' ? dirname(root) : join(root, 'node_modules')
}

// Before anything else is loaded; `serve` allows growth once it listens.
holdYoungGeneration()
collectAsServer()

// Halves the start time. V8 rejects code of a process with other flags, and Node names the directory by the present flags:
// set before, they keep other programs from replacing the cache. The cache is next to the program, because other users can
// write to the system's temporary directory. If nothing can be written there, Node runs without a cache.
enableCompileCache(join(modulesDirectory(), '.cache/trellis/compile'))

const argv = process.argv.slice(2)
const { commandNames, isCommand } = await import('../cli/names.ts')

if (isCommand(argv)) {
  const { runCommandLine } = await import('../cli/process.ts')
  await runCommandLine(argv, async () => (await import('../plugins/index.ts')).builtInPlugins)
} else {
  const { main } = await import('../process/main.ts')
  const { builtInPlugins } = await import('../plugins/index.ts')
  main(argv, builtInPlugins, commandNames)
}
