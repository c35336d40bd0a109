// package.json as the package has it: `node scripts/manifest.ts published` writes it before `npm pack`, and
// `node scripts/manifest.ts checkout` puts back the one of the checkout, whose exports are the TypeScript itself.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

const root = join(import.meta.dirname, '..')
const file = join(root, 'package.json')
const kept = join(root, 'node_modules/.cache/trellis/package.json')

/** Replaced as a whole, so that readers never see half of it. */
function write(text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

function restore(): void {
  if (!existsSync(kept)) return
  write(readFileSync(kept, 'utf8'))
  rmSync(kept)
}

const built = (source: string) => {
  const name = `./dist/${source.slice('./'.length, -'.ts'.length)}`
  return { types: `${name}.d.ts`, default: `${name}.js` }
}

function publish(): void {
  restore()
  const text = readFileSync(file, 'utf8')
  const { devDependencies, scripts, allowScripts, workspaces, exports, ...manifest }: Manifest = JSON.parse(text)
  const entries = Object.entries(exports).map(([name, path]) => [name, path.endsWith('.ts') ? built(path) : path])
  mkdirSync(dirname(kept), { recursive: true })
  writeFileSync(kept, text)
  write(`${JSON.stringify({ ...manifest, exports: Object.fromEntries(entries) }, null, 2)}\n`)
}

if (process.argv[2] === 'published') publish()
else restore()
