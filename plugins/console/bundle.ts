// Makes the console's files of its sources and npm packages: when the package is built, and in a checkout on first use. Not
// part of the package, which needs neither the bundler nor the sources.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { writeAssets } from './assets.ts'

const sources = join(import.meta.dirname, '../../console')

/** The texts that the licences of the bundled packages require beside the code. */
function licences(modules: readonly string[]): string {
  const packages = new Set(modules.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  const texts = [...packages]
    .filter((directory) => directory.startsWith('/') || /^[A-Z]:/.test(directory))
    .sort()
    .map((directory) => {
      const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
      const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: directory })
      return `${name} ${version}, ${license}\n\n${file ? readFileSync(join(directory, file), 'utf8') : ''}`
    })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** Makes the files: their bytes, compressed, by their names. */
export async function bundle(): Promise<ReadonlyMap<string, Buffer>> {
  const built = (await build({
    root: sources,
    configFile: join(sources, 'vite.config.ts'),
    logLevel: 'error',
    build: { write: false },
  })) as Rolldown.RolldownOutput
  const modules = built.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const files: (readonly [string, string | Uint8Array])[] = [
    ['licences.txt', licences(modules)],
    ...built.output.map(
      (file) => [file.fileName.replace(/^assets\//, ''), file.type === 'chunk' ? file.code : file.source] as const,
    ),
  ]
  const compress = promisify<string | Uint8Array, { level: number }, Buffer>(gzip)
  return new Map(
    await Promise.all(files.map(async ([name, bytes]) => [name, await compress(bytes, { level: 9 })] as const)),
  )
}

if (import.meta.main) await writeAssets(await bundle(), process.argv[2]!)
