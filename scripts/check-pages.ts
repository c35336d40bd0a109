// Part of `npm run check`: the types of code for browsers, which has a document and lacks Node's globals.

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

for (const page of globSync(['plugins/*/page', 'console'], { cwd: root })) {
  const { status } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', page], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
