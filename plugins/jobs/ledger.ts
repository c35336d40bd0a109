// The runs of cluster jobs, past and present. This ledger in PostgreSQL decides in one statement which instance runs a job. Agenda may
// wake twice, late, or from two databases, and an occurrence still runs once.

import { leaseSeconds } from '../../sdk/services.ts'
import type { Database, Row } from '../../sdk/sql.ts'

/** A row of the ledger; times are milliseconds since 1970. */
export interface LedgerRow extends Row {
  readonly name: string
  readonly tick: number | null
  readonly wake_at: number | null
  /** The number of runs in progress, and whether one of them lost its instance and has to be repeated. */
  readonly live: number
  readonly abandoned: boolean
  readonly is_paused: boolean
}

/** The answer to a request for a run. */
export interface Claim {
  readonly isGranted: boolean
  /** The requested time that it was granted for; null: an occurrence. */
  readonly wokenAt: number | null
  readonly wakeAt: number | null
}

/** The end of a run. */
export interface Ended {
  readonly name: string
  readonly run: string
  readonly seconds: number
  readonly error: string | null
}

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
const live = (runs: string) =>
  `(select count(*)::int from jsonb_each(${runs}) as run where (run.value->>'until')::float8 > extract(epoch from now()))`
const abandoned = (runs: string) =>
  `exists (select from jsonb_each(${runs}) as run where (run.value->>'until')::float8 <= extract(epoch from now()))`
const liveRuns = (runs: string) =>
  `coalesce((select jsonb_object_agg(run.key, run.value) from jsonb_each(${runs}) as run
    where (run.value->>'until')::float8 > extract(epoch from now())), '{}')`

const state = (row: string) => `${row}.name, ${millis(`${row}.tick`)} as tick, ${millis(`${row}.wake_at`)} as wake_at,
  ${live(`${row}.runs`)} as live, ${abandoned(`${row}.runs`)} as abandoned, ${row}.is_paused`

const declareText = `
  insert into trellis.job as job (name, schedule, tick) values ($1, $2, to_timestamp($3::float8 / 1000))
  on conflict (name) do update set schedule = excluded.schedule, tick = greatest(job.tick, excluded.tick)
  where job.schedule <> excluded.schedule`

const claimText = `
  with before as materialized (
    select *, wake_at <= now() as is_woken, coalesce(tick < $2::timestamptz, $2 is not null) as is_due,
      ${live('runs')} < $5 as has_room, ${abandoned('runs')} as is_abandoned
    from trellis.job where name = $1 for update
  ), granted as (
    update trellis.job as job set
      tick = greatest(job.tick, $2),
      wake_at = case when before.is_woken then null else job.wake_at end,
      runs = ${liveRuns('job.runs')}
        || jsonb_build_object($3::text, jsonb_build_object('until', extract(epoch from now()) + ${leaseSeconds}, 'instance', $4::text)),
      last_started_at = now()
    from before
    where job.name = before.name and before.has_room and not before.is_paused and (before.is_due or before.is_woken or before.is_abandoned)
    returning job.name, job.wake_at
  )
  select granted.name is not null as granted, ${millis('case when is_woken and not is_due then before.wake_at end')} as woken_at,
    ${millis('case when granted.name is not null then granted.wake_at when not before.is_paused then before.wake_at end')} as wake_at
  from before left join granted on true`

const endText = `
  update trellis.job as job set
    runs = job.runs - $2::text, last_finished_at = now(), last_seconds = $3, run_count = run_count + 1,
    failure_count = failure_count + case when $4::text is null then 0 else 1 end,
    failures_in_row = case when $4::text is null then 0 else failures_in_row + 1 end,
    last_failed_at = case when $4::text is null then last_failed_at else now() end,
    last_error = coalesce($4::text, last_error)
  where name = $1 and runs ? $2::text
  returning ${state('job')}`

/** The runs of a row with another end for those with these ids. */
const runsUntil = (end: string) => `runs || (
    select jsonb_object_agg(run.key, run.value || jsonb_build_object('until', ${end}))
    from jsonb_each(runs) as run where run.key = any($1))`

const renewText = `
  update trellis.job set runs = ${runsUntil(`extract(epoch from now()) + ${leaseSeconds}`)} where runs ?| $1
  returning (select json_agg(id) from jsonb_object_keys(runs) as id where id = any($1)) as ids`

const releaseText = `update trellis.job set runs = ${runsUntil('0')} where runs ?| $1`

const wakeText = `
  update trellis.job set wake_at = least(wake_at, coalesce(to_timestamp($2::float8 / 1000), now()))
  where name = $1 returning ${millis('wake_at')} as wake_at`

const requestText = `update trellis.job set wake_at = least(wake_at, now()) where name = $1 and not is_paused returning name`

const pauseText = `update trellis.job set is_paused = true where name = $1`

const resumeText = `
  update trellis.job set is_paused = false, tick = greatest(tick, $2::timestamptz) where name = $1 and is_paused`

const timestamp = (moment: number | null): string | null => (moment === null ? null : new Date(moment).toISOString())

export class Ledger {
  readonly #database: Pick<Database, 'rows'>
  readonly #instance: string

  constructor(database: Pick<Database, 'rows'>, instance: string) {
    this.#database = database
    this.#instance = instance
  }

  /** The same ledger, within a transaction. */
  within(transaction: Pick<Database, 'rows'>): Ledger {
    return new Ledger(transaction, this.#instance)
  }

  /** Creates the row of a job. `tick`: the occurrence up to which a new schedule has nothing to make up for. */
  async declare(name: string, schedule: string, tick: number | null): Promise<void> {
    await this.#database.rows(declareText, [name, schedule, tick])
  }

  /** Claims a run for an occurrence, for a requested time, or to repeat a run whose instance died. */
  async claim(name: string, occurrence: number | null, run: string, concurrency: number): Promise<Claim> {
    const values = [name, timestamp(occurrence), run, this.#instance, concurrency]
    const [row] = await this.#database.rows<{ granted: boolean; woken_at: number | null; wake_at: number | null }>(
      claimText,
      values,
    )
    return { isGranted: row?.granted ?? false, wokenAt: row?.woken_at ?? null, wakeAt: row?.wake_at ?? null }
  }

  /** Renews leases; gives the runs that still belong to this instance. */
  async renew(runs: readonly string[]): Promise<string[]> {
    const rows = await this.#database.rows<{ ids: readonly string[] }>(renewText, [runs])
    return rows.flatMap(({ ids }) => ids)
  }

  /** Ends leases, so that the next instance to look repeats the runs. */
  async release(runs: readonly string[]): Promise<void> {
    await this.#database.rows(releaseText, [runs])
  }

  /** Records the end of a run; null: the run belonged to another instance. */
  async end({ name, run, seconds, error }: Ended): Promise<LedgerRow | null> {
    const [row] = await this.#database.rows<LedgerRow>(endText, [name, run, seconds, error])
    return row ?? null
  }

  /** Requests a run at once; gives whether the job is not paused. */
  async request(name: string): Promise<boolean> {
    return (await this.#database.rows(requestText, [name])).length > 0
  }

  /** Lets no instance begin a run of the job. */
  async pause(name: string): Promise<void> {
    await this.#database.rows(pauseText, [name])
  }

  /** Lets the job run again, but not for occurrences up to `tick`. */
  async resume(name: string, tick: number | null): Promise<void> {
    await this.#database.rows(resumeText, [name, timestamp(tick)])
  }

  /** Requests a run at a time, null: now; gives the time that counts, or null without such a row. */
  async wake(name: string, at: number | null): Promise<number | null> {
    const [row] = await this.#database.rows<{ wake_at: number }>(wakeText, [name, at])
    return row?.wake_at ?? null
  }

  async remove(name: string): Promise<void> {
    await this.#database.rows('delete from trellis.job where name = $1', [name])
  }

  /** The rows of these jobs. */
  rows(names: readonly string[]): Promise<LedgerRow[]> {
    return this.#database.rows<LedgerRow>(`select ${state('job')} from trellis.job as job where name = any($1)`, [
      names,
    ])
  }

  /** The rows for administrators. */
  records(names: readonly string[]): Promise<JobRecord[]> {
    return this.#database.rows<JobRecord>(recordsText, [names])
  }
}

/** The history of a job. */
export interface JobRecord extends Row {
  readonly name: string
  readonly wake_at: Date | null
  readonly last_started_at: Date | null
  readonly last_finished_at: Date | null
  readonly last_seconds: number | null
  readonly running: number
  readonly is_paused: boolean
  readonly run_count: number
  readonly failure_count: number
  readonly failures_in_row: number
  readonly last_failed_at: Date | null
  readonly last_error: string | null
}

const recordsText = `
  select name, wake_at, last_started_at, last_finished_at, last_seconds, ${live('runs')} as running, is_paused, run_count::float8,
    failure_count::float8, failures_in_row::float8, last_failed_at, last_error
  from trellis.job where name = any($1)`
