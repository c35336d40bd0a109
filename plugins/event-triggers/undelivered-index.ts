// The index by which events that failed or were archived are found among any number that were delivered. A new log has it from the
// start. A log that was large before is given it in the background, without a lock that anybody waits for; what needs it is
// slow until then, and nothing else.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, messageWithCause } from '../../sdk/index.ts'
import type { Database, Row } from '../../sdk/sql.ts'
import type { Jobs } from '../jobs/index.ts'
import { unlessLocked } from './unless-locked.ts'

const index = 'trellis.event_log_undelivered'

const definition = `event_log_undelivered on trellis.event_log (trigger_name, created_at) where error or archived`

/** Where that takes a moment only, and nobody is at work on the log, the index is made with the log. */
export const undeliveredIndexMigration = {
  name: '0002-undelivered-index',
  sql: unlessLocked(`
      if pg_relation_size('trellis.event_log') < 8 * 1024 * 1024 then
        create index if not exists ${definition};
      end if`),
}

interface IndexState extends Row {
  readonly is_valid: boolean
  readonly is_there: boolean
  /** Whether somebody builds it: of a server that was killed PostgreSQL goes on with that. */
  readonly is_building: boolean
  readonly may_build: boolean
}

const stateQuery = `
  select coalesce((select indisvalid from pg_catalog.pg_index where indexrelid = to_regclass('${index}')), false) as is_valid,
    to_regclass('${index}') is not null as is_there,
    exists (select from pg_catalog.pg_stat_progress_create_index
      where datname = current_database() and index_relid = to_regclass('${index}')) as is_building,
    pg_has_role(relowner, 'USAGE') and has_schema_privilege(relnamespace, 'CREATE') as may_build
  from pg_catalog.pg_class where oid = 'trellis.event_log'::regclass`

const everyMillis = 3_600_000

/** A build has one of the server's connections for itself; where there are few, requests would wait for it. */
const fewestConnections = 4

/** Milliseconds between two looks at how a build goes on. */
const lookMillis = 500

/** Looks in a row at which a build may wait for others' transactions: meanwhile the log is not vacuumed. */
const patience = 120

type RowsDatabase = Pick<Database, 'rows' | 'transaction'>

async function readState(database: RowsDatabase): Promise<IndexState> {
  const [state] = await database.rows<IndexState>(stateQuery)
  return state!
}

/** Declares the job that makes the index, where there is none. */
export function keepUndeliveredIndex(engine: Engine, jobs: Jobs, report: (message: string) => void): void {
  const { database, settings } = engine
  engine.onReady(async () => {
    try {
      const { is_valid, may_build } = await readState(database)
      if (is_valid) return
      if (!may_build || settings.connections < fewestConnections) {
        const reason = may_build ? 'with so few connections is not made' : 'this role may not make'
        return report(`the event log lacks an index, which ${reason}: create index concurrently ${definition}`)
      }
      const name = 'index of undelivered events'
      const run = ({ signal }: { readonly signal: AbortSignal }) => makeUndeliveredIndex(database, signal)
      const job = jobs.declare({ name, schedule: { every: everyMillis }, timeout: null, run })
      await job.wake()
    } catch (error) {
      report(`the indexes of the event log cannot be looked at: ${messageWithCause(error)}`)
    }
  })
}

/** Makes the index unless it is there, or being made. What an earlier attempt left is made anew. */
export async function makeUndeliveredIndex(database: RowsDatabase, signal: AbortSignal): Promise<void> {
  const { is_valid, is_there, is_building } = await readState(database)
  if (is_valid || is_building) return
  if (is_there) await dropRest(database)
  await build(database, signal)
}

/** Who writes events waits behind this as long as it waits itself. */
const dropRest = (database: RowsDatabase): Promise<unknown> =>
  database.transaction(async (transaction) => {
    await transaction.script(`set local lock_timeout = '100ms'; drop index if exists ${index}`)
  })

interface Progress extends Row {
  readonly pid: number
  readonly is_waiting: boolean
}

const progressQuery = `
  select pid, phase like 'waiting for %' as is_waiting from pg_catalog.pg_stat_progress_create_index
  where datname = current_database() and index_relid = to_regclass('${index}')`

/** Gives it up where others' transactions keep it waiting for long, and when the signal aborts; the rest is for the next attempt. */
async function build(database: RowsDatabase, signal: AbortSignal): Promise<void> {
  const built = database.rows(`create index concurrently ${definition}`)
  let isOver = false
  const over = built
    .catch(() => {})
    .then(() => {
      isOver = true
    })
  for (let waited = 0; !isOver; await Promise.race([over, sleep(lookMillis, undefined, { ref: false })])) {
    const [progress] = await database.rows<Progress>(progressQuery).catch(() => [])
    waited = progress?.is_waiting ? waited + 1 : 0
    if (progress && (signal.aborted || waited > patience)) {
      await database.rows('select pg_cancel_backend($1)', [progress.pid]).catch(() => {})
    }
  }
  await built
}
