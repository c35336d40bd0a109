// Programs of PostgreSQL that the system user can run. That user cannot enter a checkout in a private home, and PostgreSQL's
// programs find each other by absolute paths. So root keeps a copy that every user may read.

import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../../core/errors/start-error.ts'
import { codeOf } from '../../core/errors/thrown.ts'
import type { User } from './system-user.ts'

const run = promisify(execFile)

/** Directories for copies, in the order in which they are tried. */
const copyPlaces = (): readonly string[] => [...new Set(['/var/cache', '/tmp', tmpdir()])]

/** A directory with the program and its companions that the user can run: the original, or a copy. */
export async function findRunnable(program: string, user: User, places = copyPlaces()): Promise<string> {
  const refusal = await refusalOf(program, user)
  if (refusal === null) return dirname(program)
  const installation = join(dirname(program), '..')
  const name = copyName(installation)
  for (const place of name === null ? [] : places) {
    const copy = copyTo(join(place, name!), installation)
    if (copy === null) continue
    const copied = join(copy, basename(dirname(program)), basename(program))
    if ((await refusalOf(copied, user)) === null) return dirname(copied)
  }
  throw new StartError(
    `PostgreSQL runs as user ${user.uid} here, who cannot run ${program} (${refusal}), and no copy of it in ${places.join(' or ')}: install in a directory that every user may enter, start as another user, or use --database-url`,
  )
}

/** Why the user cannot run the program; null if it can. Only an attempt shows it: modes do not cover access lists and mounts. */
async function refusalOf(program: string, { uid, gid }: User): Promise<string | null> {
  try {
    await run(program, ['--version'], { uid, gid, cwd: '/', env: {} })
    return null
  } catch (error) {
    return codeOf(error) ?? 'it ended with an error'
  }
}

/** A name for the copy of an installation with its package version; null if it is not from a package. */
function copyName(installation: string): string | null {
  const file = join(installation, '../package.json')
  if (!existsSync(file)) return null
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: string }
  return version === undefined ? null : `trellis-postgresql-${version}`
}

/** Copies an installation unless a copy exists; null if that fails, or if the copy is not ours. */
function copyTo(copy: string, installation: string): string | null {
  if (existsSync(copy)) return isOurs(copy) ? copy : null
  let making: string
  try {
    making = mkdtempSync(`${copy}-making-`)
  } catch {
    return null
  }
  try {
    copyReadable(installation, making)
    renameSync(making, copy)
  } catch {
    // Another server was faster, or the disk is full.
    rmSync(making, { recursive: true, force: true })
  }
  return existsSync(copy) && isOurs(copy) ? copy : null
}

/** Copies a directory so that every user may read it, whatever the original modes and the umask are. */
function copyReadable(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      copyReadable(source, target)
      continue
    }
    cpSync(source, target, { verbatimSymlinks: true })
    if (entry.isFile()) chmodSync(target, 0o755)
  }
}

/** Whether only this user can have written a directory: in `/tmp` any user may have made it. */
function isOurs(directory: string): boolean {
  const found = lstatSync(directory)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0
}
