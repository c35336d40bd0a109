// A PostgreSQL and its standby.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { atEnd } from './cleanup.ts'
import { embeddedPrograms, makePostgres, type OwnPostgres } from './own-postgres.ts'

export interface Pair {
  readonly primary: OwnPostgres
  readonly standby: OwnPostgres
}

/** Connections to the standby stay open however long they are silent. */
const parameters = { wal_sender_timeout: '0', wal_receiver_timeout: '0', max_connections: '100' }

/** A primary and its standby, which have the same rows; commits do not wait yet. */
export async function startPair(t: TestContext): Promise<Pair> {
  const programs = await embeddedPrograms()
  const primary = await makePostgres({ programs, parameters })
  atEnd(t, () => primary.remove())
  await primary.start()
  await primary.stop('fast')
  const standby = await makePostgres({ programs, parameters, copyOf: primary.cluster })
  atEnd(t, () => standby.remove())
  const connection = `host=${primary.cluster} port=5432 user=postgres application_name=standby`
  writeFileSync(join(standby.cluster, 'standby.signal'), '')
  writeFileSync(join(standby.cluster, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
  await primary.start()
  await standby.start()
  return { primary, standby }
}
