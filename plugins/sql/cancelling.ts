// `cancel_sql`: ends the statement that a request of `run_sql` runs. Its connection is found by a name that PostgreSQL shows, so it
// may belong to any worker or server, and to a pool between them and PostgreSQL.

import { createHash } from 'node:crypto'
import { Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import type { Database, Transaction } from '../../sdk/sql.ts'

/** Names have 63 bytes at most, and clients may send longer ids. */
const nameFor = (requestId: string): string =>
  `trellis sql ${createHash('sha256').update(requestId).digest('hex').slice(0, 32)}`

/** Names the connection until the transaction ends. */
export async function nameConnection(requestId: string | null, transaction: Transaction): Promise<void> {
  if (requestId === null) return
  await transaction.rows(`select pg_catalog.set_config('application_name', $1, true)`, [nameFor(requestId)])
}

/** Connections between two statements have nothing to cancel. */
const cancelled = `
  select count(*) filter (where pg_catalog.pg_cancel_backend(pid))::int as cancelled from pg_catalog.pg_stat_activity
  where application_name = $1 and datname = pg_catalog.current_database() and usename = session_user and state = 'active'
    and pid <> pg_catalog.pg_backend_pid()`

export const cancelSql = (database: Database) =>
  operation({
    type: 'cancel_sql',
    about: {
      summary:
        'Cancels the statement of `run_sql`, version 2, that runs for the request with this id, on any server of the database.',
      result: Type.Object({ cancelled: Type.Integer() }),
    },
    args: Type.Object({ request_id: Type.String({ minLength: 1 }) }, { missingKey: 'A' }),
    // The statements to cancel may have taken all connections.
    access: 'none',
    editsMetadata: false,
    forReaders: false,
    async handle(_, { request_id: id }) {
      const [row] = await database.spareRows<{ cancelled: number }>(cancelled, [nameFor(id)])
      return { cancelled: row!.cancelled }
    },
  })
