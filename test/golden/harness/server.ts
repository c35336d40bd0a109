// The server that the cases of a fixture ask, and the way back to the fixture's rows.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { GivenSettings } from '../../../core/engine/options.ts'
import { dialects } from '../../../core/names/dialect.ts'
import { testDatabase } from '../../support/database.ts'
import { startTrellis, type TestTrellis } from '../../support/trellis.ts'
import { recordWire, type SentStatement } from './wire-recorder.ts'

export interface GoldenServer extends Pick<TestTrellis, 'request' | 'sql'> {
  /** The major version of PostgreSQL. */
  readonly version: number
  /** The statements that the engine sent to PostgreSQL since the last call. */
  sentStatements(): SentStatement[]
  /** Puts all rows and sequences back as the fixture has them. */
  reset(): Promise<void>
}

export interface FixtureOptions {
  /** A folder that holds `schema.sql`, `data.sql` and `metadata.json`. */
  readonly directory: string
  readonly settings: GivenSettings
}

/** A server over a fixture, until the test ends. */
export async function startFixture(t: TestContext, { directory, settings }: FixtureOptions): Promise<GoldenServer> {
  const read = (name: string) => readFileSync(join(directory, name), 'utf8')
  const data = read('data.sql')
  const database = await testDatabase(t, { sql: read('schema.sql') })
  await database.sql(data)
  const recorder = await recordWire(t, database.url)
  const trellis = await startTrellis(t, { settings, database: { ...database, url: recorder.url } })
  const written = read('metadata.json')
  const metadata = settings.dialect === 'hasura' ? written.replaceAll('X-Service-', 'X-Hasura-') : written
  await trellis.op('replace_metadata', JSON.parse(metadata), { headers: adminHeaders(settings) })
  const truncate = await truncation(database.sql)
  assert.notEqual(truncate, '', 'a fixture has tables')
  const [server] = await database.sql<{ number: number }>(`select current_setting('server_version_num')::int as number`)
  return {
    version: Math.floor(server!.number / 10_000),
    request: trellis.request,
    sql: database.sql,
    sentStatements: recorder.take,
    reset: async () => {
      await database.sql(`${truncate}; ${data}`)
    },
  }
}

function adminHeaders({ adminSecret, dialect = 'trellis' }: GivenSettings): Record<string, string> {
  return adminSecret ? { [dialects[dialect].adminSecretHeader]: adminSecret } : {}
}

/** The statement that empties all tables of the fixture. */
async function truncation(sql: TestTrellis['sql']): Promise<string> {
  const [row] = await sql<{ statement: string }>(`
    select coalesce('truncate ' || string_agg(c.oid::regclass::text, ', ') || ' restart identity cascade', '') as statement
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname not in ('pg_catalog', 'information_schema', 'trellis')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')`)
  return row!.statement
}
