// Finds a server for the tests of MongoDB: the one that a variable names, else a mongod on the path. Otherwise this
// builds FerretDB from its Go module and keeps the program. Run by itself, it prints the choice, and fails when there
// is no server.

import { execFile, execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** A running MongoDB. */
export const mongoVariable = 'SERVICE_GRAPHQL_TEST_MONGODB_URL'

/** The URL of a server, or the program of one. */
export type FoundMongo =
  | { readonly kind: 'given'; readonly url: string }
  | { readonly kind: 'mongod' | 'ferretdb'; readonly program: string }

const source = join(import.meta.dirname, 'ferretdb')
const cache = join(import.meta.dirname, '../../node_modules/.cache/ferretdb')

/** Building takes minutes without Go's cache. */
const longestBuild = 15 * 60_000

function onPath(name: string, more: readonly string[] = []): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...more]
  return directories.map((directory) => join(directory, name)).find((program) => existsSync(program)) ?? null
}

/** The sources of FerretDB in Go's cache of modules. */
async function ferretSources(go: string, env: NodeJS.ProcessEnv): Promise<{ Dir: string; Version: string }> {
  const args = ['mod', 'download', '-json', 'github.com/FerretDB/FerretDB']
  const { stdout } = await promisify(execFile)(go, args, { cwd: source, timeout: longestBuild, env })
  return JSON.parse(stdout)
}

/** Builds FerretDB unless this version was built before; null without Go. */
export async function buildFerret(): Promise<string | null> {
  const hash = createHash('sha256')
    .update(readFileSync(join(source, 'go.sum')))
    .digest('hex')
    .slice(0, 12)
  const program = join(cache, `ferretdb-${hash}`)
  if (existsSync(program)) return program
  const go = onPath('go', ['/usr/local/go/bin'])
  if (go === null) return null
  const env = { ...process.env, GOFLAGS: '-buildvcs=false' }
  const { Dir, Version } = await ferretSources(go, env)
  const directory = join(cache, `build-${randomBytes(6).toString('hex')}`)
  mkdirSync(cache, { recursive: true })
  try {
    cpSync(Dir, directory, { recursive: true })
    makeWritable(directory)
    // Its program does not start without this file, which the module lacks.
    writeFileSync(join(directory, 'build/version/version.txt'), Version)
    const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', 'program', './cmd/ferretdb']
    await promisify(execFile)(go, args, { cwd: directory, timeout: longestBuild, env })
    renameSync(join(directory, 'program'), program)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return program
}

/** Go's cache of modules is read-only, and so are copies from it. */
function makeWritable(directory: string): void {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  }
}

/** Finds a server; throws when there is no server. */
export async function findMongo(): Promise<FoundMongo> {
  const url = process.env[mongoVariable]
  if (url !== undefined) return { kind: 'given', url }
  const mongod = onPath('mongod')
  if (mongod !== null) return { kind: 'mongod', program: mongod }
  const ferret = await buildFerret()
  if (ferret !== null) return { kind: 'ferretdb', program: ferret }
  throw new Error(`there is no MongoDB to test with: set ${mongoVariable}, or have mongod or go on the PATH`)
}

/** Describes a found server in words. */
function described(found: FoundMongo): string {
  if (found.kind === 'given') return `the server that ${mongoVariable} names`
  if (found.kind === 'ferretdb') return 'FerretDB, built from its Go module'
  return execFileSync(found.program, ['--version'], { encoding: 'utf8' }).split('\n', 1)[0]!
}

if (import.meta.main) {
  try {
    console.log(described(await findMongo()))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
