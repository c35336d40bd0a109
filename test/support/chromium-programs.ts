// Finds a Chromium for the tests of pages: the one that a variable names, else an installed one. Otherwise this unpacks
// Debian's packages of the headless shell beside node_modules' other caches, which needs neither root nor an
// installation. Run by itself, it prints the choice, and fails when there is no Chromium.

import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The program of a Chromium. */
export const chromiumVariable = 'SERVICE_GRAPHQL_TEST_CHROMIUM'

/** A program, and the directory of its libraries when they are not installed. */
export interface Chromium {
  readonly program: string
  readonly libraries: string | null
}

const run = promisify(execFile)
const cache = join(import.meta.dirname, '../../node_modules/.cache/chromium')
const unpacked = join(cache, 'unpacked')
const debian = 'chromium-headless-shell'

const names = [debian, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const usual = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** An installed Chromium. */
function installed(): Chromium | null {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '')
  const programs = [...names.flatMap((name) => directories.map((directory) => join(directory, name))), ...usual]
  return (
    programs
      .filter(existsSync)
      .map((program) => ({ program, libraries: null }))
      .find(runs) ?? null
  )
}

/** The environment that a Chromium needs. */
export const environmentOf = ({ libraries }: Chromium): NodeJS.ProcessEnv =>
  libraries === null ? process.env : { ...process.env, LD_LIBRARY_PATH: libraries }

function versionOf(chromium: Chromium): string | null {
  const options = { encoding: 'utf8', env: environmentOf(chromium), timeout: 60_000 } as const
  const { status, stdout } = spawnSync(chromium.program, ['--version'], options)
  return status === 0 ? stdout.trim() : null
}

const runs = (chromium: Chromium): boolean => versionOf(chromium) !== null

/** The Chromium of the unpacked packages. */
function kept(): Chromium | null {
  const libraries = globSync('usr/lib/**/*.so*', { cwd: unpacked }).map((file) => dirname(join(unpacked, file)))
  const program = join(unpacked, 'usr/lib/chromium', debian)
  const chromium = { program, libraries: [...new Set(libraries)].join(':') }
  return existsSync(program) && runs(chromium) ? chromium : null
}

/** Runs APT without root. */
async function apt(args: readonly string[], { options, directory }: AptOptions): Promise<string> {
  const { stdout } = await run('apt-get', ['-qq', ...options.flatMap((option) => ['-o', option]), ...args], {
    cwd: directory,
    timeout: 10 * 60_000,
    maxBuffer: 1 << 26,
    env: { ...process.env, LC_ALL: 'C' },
  })
  return stdout
}

interface AptOptions {
  readonly options: readonly string[]
  /** The directory of its downloads. */
  readonly directory: string
}

/** Downloads the packages that are not installed. */
async function download(context: AptOptions): Promise<void> {
  mkdirSync(context.directory, { recursive: true })
  const planned = await apt(['install', '--print-uris', '-y', '--no-install-recommends', debian], context)
  const files = [...planned.matchAll(/^'[^']*' ([^_\s]+)_(\S+)_[^_\s]+\.deb /gm)]
  const packages = files.map(([, name, version]) => `${name}=${decodeURIComponent(version!)}`)
  if (packages.length === 0) throw new Error('APT knows nothing to download')
  await apt(['download', ...packages], context)
}

const asAnybody = ['Debug::NoLocking=1', 'APT::Sandbox::User=']

/** Options by which APT keeps its lists in the cache, where it may update them without root. */
function ownLists(): readonly string[] {
  const state = join(cache, 'apt')
  mkdirSync(join(state, 'lists/partial'), { recursive: true })
  mkdirSync(join(state, 'archives/partial'), { recursive: true })
  return [...asAnybody, `Dir::State::lists=${join(state, 'lists')}`, `Dir::Cache=${state}`]
}

async function unpack(): Promise<void> {
  const directory = join(cache, `new-${randomBytes(6).toString('hex')}`)
  const packages = join(directory, 'packages')
  try {
    // The system's lists of packages may be old or empty.
    await download({ options: asAnybody, directory: packages }).catch(async () => {
      const own = { options: ownLists(), directory: packages }
      await apt(['update'], own)
      await download(own)
    })
    const root = join(directory, 'unpacked')
    for (const file of globSync('*.deb', { cwd: packages })) await run('dpkg-deb', ['-x', join(packages, file), root])
    rmSync(unpacked, { recursive: true, force: true })
    renameSync(root, unpacked)
  } finally {
    rmSync(directory, { recursive: true, force: true })
    rmSync(join(cache, 'apt'), { recursive: true, force: true })
  }
}

/** Finds a Chromium; throws when there is no Chromium. */
export async function findChromium(): Promise<Chromium> {
  const program = process.env[chromiumVariable]
  if (program !== undefined) return { program, libraries: null }
  const found = installed() ?? kept()
  if (found) return found
  mkdirSync(cache, { recursive: true })
  const cause = await unpack().catch((error: Error) => error)
  const made = kept()
  if (made) return made
  const advice = `set ${chromiumVariable}, or have chromium on the PATH`
  throw new Error(`there is no Chromium to test with, and Debian's package cannot be had: ${advice}`, { cause })
}

if (import.meta.main) {
  try {
    const found = await findChromium()
    console.log(`${versionOf(found)} in ${found.program}`)
  } catch (error) {
    console.error((error as Error).message, (error as Error).cause ?? '')
    process.exitCode = 1
  }
}
