// Agenda's entries in the schema of the catalog, over the server's own connections: it needs none beside.

import { PostgresJobRepository } from '@agendajs/postgres-backend'
import type { Database, Row } from '../../sdk/sql.ts'
import { entriesTable } from './migrations.ts'
import { messageOf } from './runs.ts'
import type { Entry, Store } from './store.ts'

// The library quotes the name as one word: what closes the quotes in the middle names the schema. It is told to make nothing, so nothing else is
// made of the name.
const tableName = 'trellis"."agenda_job'

const entriesText = `
  select name, (extract(epoch from next_run_at) * 1000)::float8 as "nextRunAt", (extract(epoch from locked_at) * 1000)::float8 as "lockedAt"
  from trellis.agenda_job where type = 'single' and name = any($1)`

type Pool = NonNullable<ConstructorParameters<typeof PostgresJobRepository>[0]['pool']>

/** What the library asks of a pool; it wants to know how many rows a change had, which the rows tell when it returns them. */
function poolOver(database: Pick<Database, 'rows'>) {
  return {
    async query(text: string, values: readonly unknown[] = []) {
      const silent = /^\s*(update|delete)\b/i.test(text) && !/\breturning\b/i.test(text)
      const rows = await database.rows(silent ? `${text} returning 1` : text, values)
      return { rows, rowCount: rows.length }
    },
  }
}

/** The migrations made it; somebody may have dropped it since, or restored a dump without it. Who may make nothing asks no more than that. */
async function makeTable(database: Pick<Database, 'rows' | 'transaction'>): Promise<void> {
  const [found] = await database.rows<{ is_there: boolean }>(
    `select to_regclass('trellis.agenda_job') is not null as is_there`,
  )
  if (!found?.is_there) await database.transaction((transaction) => transaction.script(entriesTable))
}

/** The store in the PostgreSQL that is served. */
export function postgresStore(database: Pick<Database, 'rows' | 'transaction'>): Store {
  const pool = poolOver(database) as Pool
  return {
    name: 'PostgreSQL',
    repository: new PostgresJobRepository({ pool, tableName, ensureSchema: false }),
    open: () => makeTable(database),
    entries: (names) => database.rows<Row & Entry>(entriesText, [names]),
    shown: messageOf,
    close: async () => {},
  }
}
