// The files of the page. The package has them; in a checkout they are made when the page is first asked for, and kept.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/** Bytes, compressed, by the name of the file. */
export type Assets = ReadonlyMap<string, Buffer>

/** Makes the files. */
interface Bundler {
  bundle(): Promise<Assets>
}

const packaged = join(import.meta.dirname, 'assets')
const sources = join(import.meta.dirname, 'page')

const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

/** Whether the files or their sources exist. */
export const canServe = (): boolean => existsSync(packaged) || ['esbuild', 'graphiql'].every(isInstalled)

let assets: Promise<Assets> | undefined

/** The files; made where need be, once for all who ask. */
export function loadAssets(): Promise<Assets> {
  assets ??= existsSync(packaged) ? readAll(packaged) : readOrMake()
  assets.catch(() => {
    assets = undefined
  })
  return assets
}

async function readAll(directory: string): Promise<Assets> {
  const names = await readdir(directory)
  const files = names.map(
    async (name) => [name.slice(0, -'.gz'.length), await readFile(join(directory, name))] as const,
  )
  return new Map(await Promise.all(files))
}

/** The files of a checkout: those that were made of the same sources and packages, else new ones. */
async function readOrMake(): Promise<Assets> {
  const root = dirname(findPackageJSON('.', import.meta.url) ?? import.meta.dirname)
  const cache = join(root, 'node_modules/.cache/trellis/graphiql')
  const kept = join(cache, await fingerprint(root))
  if (existsSync(kept)) return readAll(kept)
  // By a name that the compiler leaves alone: the package has no such file.
  const bundler: Bundler = await import(new URL('bundle.ts', import.meta.url).href)
  const made = await bundler.bundle()
  // Where nothing can be written, the next start makes them again.
  await keep(made, cache, kept).catch(() => {})
  return made
}

/** Of all that the files are made of. */
async function fingerprint(root: string): Promise<string> {
  const own = (await readdir(sources)).sort().map((name) => join(sources, name))
  const hash = createHash('sha256')
  for (const file of [...own, join(import.meta.dirname, 'bundle.ts'), join(root, 'package-lock.json')]) {
    hash.update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Puts the files where the next start finds them, whole, in place of older ones. */
async function keep(made: Assets, cache: string, kept: string): Promise<void> {
  const unfinished = `${kept}.${randomBytes(4).toString('hex')}`
  await writeAssets(made, unfinished)
  await rename(unfinished, kept).catch(() => rm(unfinished, { recursive: true }))
  const others = (await readdir(cache)).filter((name) => !name.includes('.') && join(cache, name) !== kept)
  for (const name of others) await rm(join(cache, name), { recursive: true, force: true })
}

/** Writes the files into a directory that it makes. */
export async function writeAssets(made: Assets, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const [name, bytes] of made) await writeFile(join(directory, `${name}.gz`), bytes)
}
