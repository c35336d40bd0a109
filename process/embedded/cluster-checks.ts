// Checks of a cluster: its version, and why one of PostgreSQL's programs failed.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../core/errors/start-error.ts'

const ownVersion = '18'

/** Refuses a cluster of another version, and a directory without a cluster. */
export function requireOwnVersion(cluster: string): void {
  const file = join(cluster, 'PG_VERSION')
  if (!existsSync(file)) {
    throw new StartError(
      `${cluster} holds no database of PostgreSQL (there is no PG_VERSION in it): choose another directory with --data-dir`,
    )
  }
  const version = readFileSync(file, 'utf8').trim()
  if (version === ownVersion) return
  throw new StartError(
    `${cluster} was made by PostgreSQL ${version}, but this release brings ${ownVersion}: move its data with pg_dump, or choose another directory with --data-dir`,
  )
}

const telling = /FATAL|PANIC|error:|ERROR/

/** Messages to clients that connected too early. */
const toClients = /FATAL: +the database system is /

/** The line with the cause, in a program's output: the first error, because later ones, such as failed cleanup, follow from it. */
export function causeIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const cause = lines.find((line) => telling.test(line) && !toClients.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  return cause.replace(/^.*(FATAL|PANIC|error|ERROR): */, '').trim()
}
