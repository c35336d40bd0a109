// Running pg_dump, the program of PostgreSQL that has to be installed where the server runs.

import { type ChildProcess, spawn } from 'node:child_process'
import { environment, internalError } from '../../sdk/index.ts'

/** Modes by the words of other drivers, which the program does not know. */
const words: Readonly<Record<string, string>> = {
  'no-verify': 'require',
  true: 'require',
  '1': 'require',
  false: 'disable',
  '0': 'disable',
}

/** How the program reaches a database: a URL without its password, which other users could see in the list of processes. */
export function connectionOf(databaseUrl: string): { readonly url: string; readonly password: string | undefined } {
  const url = new URL(databaseUrl)
  const password = url.searchParams.get('password') ?? decodeURIComponent(url.password)
  url.password = ''
  url.searchParams.delete('password')
  const mode = url.searchParams.get('sslmode') ?? url.searchParams.get('ssl')
  for (const name of ['ssl', 'uselibpqcompat']) url.searchParams.delete(name)
  if (mode !== null) url.searchParams.set('sslmode', words[mode] ?? mode)
  return { url: url.href, password: password === '' ? undefined : password }
}

/** The variables that the program needs: its path, the user's certificates, and those of the server's own connections. */
const inherited = [
  ...['PATH', 'HOME', 'SystemRoot', 'APPDATA'],
  ...['PGHOST', 'PGPORT', 'PGUSER', 'PGPASSWORD', 'PGPASSFILE', 'PGDATABASE', 'PGOPTIONS', 'PGCONNECT_TIMEOUT'],
  ...['PGSSLMODE', 'PGSSLNEGOTIATION', 'PGSSLMINPROTOCOLVERSION', 'PGSSLMAXPROTOCOLVERSION', 'PGCHANNELBINDING'],
  ...['PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'],
]

function programEnvironment(password: string | undefined): Record<string, string | undefined> {
  const variables = Object.fromEntries(inherited.map((name) => [name, environment[name]]))
  return { ...variables, LC_ALL: 'C', ...(password !== undefined && { PGPASSWORD: password }) }
}

/** Runs pg_dump and returns its standard output; ends the program when the signal aborts. */
export async function runPgDump(databaseUrl: string, args: readonly string[], signal: AbortSignal): Promise<Buffer> {
  const { url, password } = connectionOf(databaseUrl)
  const env = programEnvironment(password)
  const child = spawn('pg_dump', [`--dbname=${url}`, '--no-password', '--encoding=utf8', ...args], {
    env,
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { output, complaint, code } = await outcome(child)
  if (code === 0) return output
  throw internalError(`error while executing pg_dump: ${complaint.toString('utf8').trim()}`)
}

/** Complaints longer than this are cut. */
const longestComplaint = 64 * 1024

interface Outcome {
  readonly output: Buffer
  readonly complaint: Buffer
  readonly code: number | null
}

function outcome(child: ChildProcess): Promise<Outcome> {
  const output: Buffer[] = []
  const complaint: Buffer[] = []
  let complained = 0
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => {
    if (complained < longestComplaint) complaint.push(chunk)
    complained += chunk.length
  })
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(notRun(error)))
    child.once('close', (code) => {
      resolve({ output: Buffer.concat(output), complaint: Buffer.concat(complaint), code })
    })
  })
}

function notRun(error: NodeJS.ErrnoException) {
  const isMissing = error.code === 'ENOENT'
  const missing = 'there is no program pg_dump: install the client programs of PostgreSQL where the server runs'
  return internalError('internal exception while executing pg_dump', { internal: isMissing ? missing : error.message })
}
