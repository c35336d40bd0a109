// The programs of PostgreSQL where the user that they run as can run them. A checkout in a private home cannot be entered by
// that user, and PostgreSQL's programs look for each other by their absolute paths. So root keeps a copy that everybody may read.

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

/** Where copies are kept, in the order in which these places are tried. */
const copyPlaces = (): readonly string[] => [...new Set(['/var/cache', '/tmp', tmpdir()])]

/** The directory of a program and its companions in which the user can run it: its own, or that of a copy. */
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
    `PostgreSQL runs as user ${user.uid} here, who cannot run ${program} (${refusal}), and no copy of it in ${places.join(' or ')}: install in a directory that everybody may enter, start as another user, or use --database-url`,
  )
}

/** Why the user cannot run the program; null when it can. Trying counts: modes alone tell nothing of access lists and mounts. */
async function refusalOf(program: string, { uid, gid }: User): Promise<string | null> {
  try {
    await run(program, ['--version'], { uid, gid, cwd: '/', env: {} })
    return null
  } catch (error) {
    return codeOf(error) ?? 'it ended with an error'
  }
}

/** A name for the copy of an installation, of its package's version; null of what is not from a package. */
function copyName(installation: string): string | null {
  const file = join(installation, '../package.json')
  if (!existsSync(file)) return null
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version?: string }
  return version === undefined ? null : `trellis-postgresql-${version}`
}

/** Copies an installation, unless that was done before; null when there it cannot be, or is not ours. */
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

/** Copies a directory so that everybody may read it, whatever the modes of the original and this process's mask. */
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

/** Whether nobody but this user can have written a directory: in `/tmp` anybody may have made it. */
function isOurs(directory: string): boolean {
  const found = lstatSync(directory)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0
}
