// Agenda's entries in the catalog's schema, over the server's own connections.

import { PostgresJobRepository } from '@agendajs/postgres-backend'
import type { Database, Row } from '../../../sdk/sql.ts'
import { entriesTable } from '../migrations.ts'
import { recordedMessageOf } from '../runs.ts'
import type { Entry, Store } from './store.ts'

// The library quotes the name as one identifier, so the quotes within it separate the schema. The library creates nothing here, and
// uses the name for nothing else.
const tableName = 'trellis"."agenda_job'

const entriesText = `
  select name, (extract(epoch from next_run_at) * 1000)::float8 as "nextRunAt", (extract(epoch from locked_at) * 1000)::float8 as "lockedAt"
  from trellis.agenda_job where type = 'single' and name = any($1)`

type Pool = NonNullable<ConstructorParameters<typeof PostgresJobRepository>[0]['pool']>

/** The pool interface that the library uses. It reads the count only to know whether an entry existed, which the ledger decides. */
function poolOver(database: Pick<Database, 'rows'>) {
  return {
    query: async (text: string, values: readonly unknown[] = []) => ({
      rows: await database.rows(text, values),
      rowCount: 1,
    }),
  }
}

/** The migrations create the table. It may be missing after a drop or a partial restore; a role that may not create it only checks. */
async function makeTable(database: Pick<Database, 'rows' | 'transaction'>): Promise<void> {
  const [found] = await database.rows<{ is_there: boolean }>(
    `select to_regclass('trellis.agenda_job') is not null as is_there`,
  )
  if (!found?.is_there) await database.transaction((transaction) => transaction.script(entriesTable))
}

/** The store in the served PostgreSQL. */
export function postgresStore(database: Pick<Database, 'rows' | 'transaction'>): Store {
  const pool = poolOver(database) as Pool
  return {
    name: 'PostgreSQL',
    repository: new PostgresJobRepository({ pool, tableName, ensureSchema: false }),
    open: () => makeTable(database),
    entries: (names) => database.rows<Row & Entry>(entriesText, [names]),
    shown: recordedMessageOf,
    close: async () => {},
  }
}
