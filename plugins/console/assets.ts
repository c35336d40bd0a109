// The files of the console. The package has them; in a checkout another process makes them when the console is first
// asked for, and they are kept.

import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Bytes, compressed, by the name of the file. */
export type Files = ReadonlyMap<string, Buffer>

/** Whether the files can be served now. */
export type FilesState =
  | { readonly kind: 'ready'; readonly files: Files }
  | { readonly kind: 'building' }
  | { readonly kind: 'failed'; readonly message: string }

const packaged = join(import.meta.dirname, 'assets')

/** The directory of the checkout. */
const root = (): string => dirname(findPackageJSON('.', import.meta.url) ?? import.meta.dirname)

const isInstalled = (name: string): boolean => {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}

/** Whether the files or their sources exist. */
export const canServe = (): boolean =>
  existsSync(packaged) || (existsSync(join(root(), 'console/src')) && ['vite', '@base-ui/react'].every(isInstalled))

let loading: Promise<Files> | undefined
let state: FilesState = { kind: 'building' }
/** Fulfilled once the files have to be made first. */
const making = Promise.withResolvers<void>()

/** The files, once they are there. The first call makes them where need be; a failure is tried again. */
export function loadFiles(): Promise<Files> {
  loading ??= (existsSync(packaged) ? readAll(packaged) : readOrMake()).then(
    (files) => {
      state = { kind: 'ready', files }
      return files
    },
    (error: Error) => {
      state = { kind: 'failed', message: error.message }
      loading = undefined
      throw error
    },
  )
  return loading
}

/** Begins to load the files, and tells how far that is. Files that are made already are waited for. */
export async function filesState(): Promise<FilesState> {
  const failed = state.kind === 'failed' ? state : null
  const loaded = loadFiles().then(
    () => {},
    () => {},
  )
  if (failed) return failed
  await Promise.race([loaded, making.promise])
  return state
}

async function readAll(directory: string): Promise<Files> {
  const names = await readdir(directory)
  const files = names.map(
    async (name) => [name.slice(0, -'.gz'.length), await readFile(join(directory, name))] as const,
  )
  return new Map(await Promise.all(files))
}

/** The files of a checkout: those that were made of the same sources and packages, else new ones. */
async function readOrMake(): Promise<Files> {
  const directory = root()
  const cache = join(directory, 'node_modules/.cache/trellis/console')
  const kept = join(cache, await fingerprint(directory))
  while (!existsSync(kept)) {
    making.resolve()
    await makeAlone(cache, kept)
  }
  return readAll(kept)
}

/** A process that makes the files needs less than this many milliseconds, or was killed. */
const makingMillis = 120_000

/** Makes the files, unless another server is making the same ones: then this waits a while. */
async function makeAlone(cache: string, kept: string): Promise<void> {
  const lock = `${kept}.lock`
  await mkdir(cache, { recursive: true })
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
  } catch {
    if (await isLeft(lock)) await rm(lock, { force: true })
    else await sleep(200)
    return
  }
  try {
    if (!existsSync(kept)) await make(cache, kept)
  } finally {
    await rm(lock, { force: true })
  }
}

/** Whether the process of a lock has ended, or hangs. */
async function isLeft(lock: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, pid] = await Promise.all([stat(lock), readFile(lock, 'utf8')])
    if (Date.now() - mtimeMs > makingMillis) return true
    // Its number is not written yet.
    if (pid !== '') process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Of all that the files are made of. */
async function fingerprint(directory: string): Promise<string> {
  const console = join(directory, 'console')
  const sources = (await readdir(join(console, 'src'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const others = ['index.html', 'vite.config.ts', 'package.json'].map((name) => join(console, name))
  const hash = createHash('sha256')
  for (const file of [...sources.sort(), ...others, join(directory, 'package-lock.json')]) {
    hash.update(`${file.slice(directory.length)}\0`).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Makes the files in a process of their own, and puts them where the next start finds them, whole. */
async function make(cache: string, kept: string): Promise<void> {
  const unfinished = `${kept}.${randomBytes(4).toString('hex')}`
  // By a name that the compiler leaves alone: the package has no such file.
  const program = join(import.meta.dirname, 'bundle.ts')
  try {
    await promisify(execFile)(process.execPath, [program, unfinished])
    await rename(unfinished, kept)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  await removeOlder(cache, kept)
}

/** Removes files of older sources, and those that a process that was killed left unfinished. */
async function removeOlder(cache: string, kept: string): Promise<void> {
  const others = (await readdir(cache)).map((name) => join(cache, name)).filter((path) => path !== kept)
  for (const path of others) {
    const made = path.includes('.', cache.length) ? await stat(path).catch(() => null) : null
    const isBeingMade = made !== null && Date.now() - made.mtimeMs < makingMillis
    if (!isBeingMade) await rm(path, { recursive: true, force: true })
  }
}

/** Writes the files into a directory that it makes. */
export async function writeAssets(made: Files, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const [name, bytes] of made) await writeFile(join(directory, `${name}.gz`), bytes)
}
