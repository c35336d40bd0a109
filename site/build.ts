// Builds the site: `npm run site`, or `npm run site -- --base /docs/` for a path.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { writePages } from './pages.ts'

const { values } = parseArgs({ options: { base: { type: 'string', default: '/' }, out: { type: 'string' } } })
writePages(join(import.meta.dirname, '.pages'))
await build(import.meta.dirname, { base: values.base, outDir: values.out ?? join(import.meta.dirname, 'dist') })
