// Part of `npm run check`: holds the order of folders and the doors between areas (`import-rules.ts`).

import { join } from 'node:path'
import { importRefusals } from './import-rules.ts'
import { dependenciesOf, importsOf } from './imports.ts'

const root = join(import.meta.dirname, '..')
const imports = importsOf(root, ['core', 'process', 'cli', 'sdk', 'plugins'])
const refusals = importRefusals(imports, (plugin) => dependenciesOf(root, plugin))
for (const line of refusals) console.error(line)
if (refusals.length > 0) process.exitCode = 1
else console.log(`Checked ${imports.length} imports.`)
