// Makes the page's files of its sources and npm packages: when the package is built, and in a checkout on first use. Not
// part of the package, which needs neither the bundler nor its sources.

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const page = join(import.meta.dirname, 'page')

/** Monaco's workers by its names for them. */
const workers = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
}

/** Monaco's style is in GraphiQL's already. */
const withoutMonacoStyle: Plugin = {
  name: 'without-monaco-style',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]monaco-editor[\\/].*\.css$/ }, () => ({ contents: '', loader: 'empty' }))
  },
}

const common = {
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  outdir: page,
  absWorkingDir: page,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  // The language level that browsers support since 2022.
  target: 'es2022',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'silent',
  plugins: [withoutMonacoStyle],
} satisfies BuildOptions

/** The file that the page's script became, and the one with its style. */
function pageFiles({ outputs }: Metafile): { readonly script: string; readonly style: string } {
  const [script, output] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'main.tsx') ?? []
  if (!script || !output?.cssBundle) throw new Error('the page has no script or no style')
  return { script: basename(script), style: basename(output.cssBundle) }
}

/** The texts that the licences of the bundled packages require beside the code. */
function licences(builds: readonly { readonly metafile: Metafile }[]): string {
  const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs))
  const packages = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  const texts = [...packages].sort().map((directory) => {
    const path = join(page, directory)
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: path })
    return `${name} ${version}, ${license}\n\n${file ? readFileSync(join(path, file), 'utf8') : ''}`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** Makes the files: their bytes, compressed, by their names. */
export async function bundle(): Promise<ReadonlyMap<string, Buffer>> {
  const ofWorkers = await Promise.all(
    Object.values(workers).map((path) => build({ ...common, format: 'iife', entryPoints: [path] })),
  )
  const names = ofWorkers.map(({ outputFiles: [script] }) => basename(script!.path))
  const workerFiles = Object.fromEntries(Object.keys(workers).map((label, index) => [label, names[index]]))
  const ofPage = await build({
    ...common,
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    entryPoints: ['main.tsx'],
    define: { ...common.define, workerFiles: JSON.stringify(workerFiles) },
  })
  const { script, style } = pageFiles(ofPage.metafile)
  const template = readFileSync(join(page, 'index.html'), 'utf8')
  const builds = [...ofWorkers, ofPage]
  const files: (readonly [string, string | Uint8Array])[] = [
    ['index.html', template.replace('{script}', script).replace('{style}', style)],
    ['licences.txt', licences(builds)],
    ...builds
      .flatMap(({ outputFiles }) => outputFiles)
      .map(({ path, contents }) => [basename(path), contents] as const),
  ]
  const compress = promisify<string | Uint8Array, { level: number }, Buffer>(gzip)
  return new Map(
    await Promise.all(files.map(async ([name, bytes]) => [name, await compress(bytes, { level: 9 })] as const)),
  )
}
