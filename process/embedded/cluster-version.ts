// Whether what lies in the data directory is a cluster of the PostgreSQL that this release brings.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../core/errors/start-error.ts'

const ownVersion = '18'

/** Refuses a cluster of another version, and what is none. */
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
