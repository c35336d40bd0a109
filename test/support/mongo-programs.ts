// Finds what tests of MongoDB run against: the server that a variable names, a mongod on the path, else FerretDB, which is built from its Go
// module and kept. Run by itself it says which, and fails when there is none.

import { execFile, execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** A MongoDB that runs already. */
export const mongoVariable = 'SERVICE_GRAPHQL_TEST_MONGODB_URL'

/** What there is: the URL of a server, or a program that is one. */
export type FoundMongo =
  | { readonly kind: 'given'; readonly url: string }
  | { readonly kind: 'mongod' | 'ferretdb'; readonly program: string }

const source = join(import.meta.dirname, 'ferretdb')
const cache = join(import.meta.dirname, '../../node_modules/.cache/ferretdb')

/** Building takes minutes where nothing of it is cached. */
const longestBuild = 15 * 60_000

function onPath(name: string, more: readonly string[] = []): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...more]
  return directories.map((directory) => join(directory, name)).find((program) => existsSync(program)) ?? null
}

/** Builds FerretDB unless it was built of the same sources; null where there is no Go. */
async function buildFerret(): Promise<string | null> {
  const sources = ['go.mod', 'go.sum', 'main.go'].map((name) => readFileSync(join(source, name)))
  const hash = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 12)
  const program = join(cache, `ferretdb-${hash}`)
  if (existsSync(program)) return program
  const go = onPath('go', ['/usr/local/go/bin'])
  if (go === null) return null
  const directory = join(cache, `build-${randomBytes(6).toString('hex')}`)
  mkdirSync(cache, { recursive: true })
  cpSync(source, directory, { recursive: true })
  try {
    const options = { cwd: directory, timeout: longestBuild, env: { ...process.env, GOFLAGS: '-buildvcs=false' } }
    await promisify(execFile)(go, ['build', '-trimpath', '-ldflags=-s -w', '-o', 'ferretdb', '.'], options)
    renameSync(join(directory, 'ferretdb'), program)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return program
}

/** Finds one; throws when there is none. */
export async function findMongo(): Promise<FoundMongo> {
  const url = process.env[mongoVariable]
  if (url !== undefined) return { kind: 'given', url }
  const mongod = onPath('mongod')
  if (mongod !== null) return { kind: 'mongod', program: mongod }
  const ferret = await buildFerret()
  if (ferret !== null) return { kind: 'ferretdb', program: ferret }
  throw new Error(`there is no MongoDB to test with: set ${mongoVariable}, or have mongod or go on the PATH`)
}

/** What was found, in words. */
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
