// The occurrences of cron triggers are planned ahead in the ledger, so that an instance that starts late finds the missed ones.

import type { Model } from '../../sdk/metadata.ts'
import type { Transaction } from '../../sdk/sql.ts'
import { notifyStatement, occurrencesAfter } from '../delivery/index.ts'
import { cronTriggersOf, inconsistentCronTriggers } from './metadata.ts'
import { type CronTrigger, retryDefaults } from './schema.ts'
import { mostMissed, occurrencesAhead, plannedAtOnce } from './tuning.ts'

/**
 * Applies a change of the model: plans occurrences of new schedules, and deletes those of changed schedules and removed triggers. A
 * trigger that is inconsistent here may be served by another instance.
 */
export async function followCronTriggers(
  { previous, next }: { readonly previous: Model; readonly next: Model },
  transaction: Transaction,
): Promise<void> {
  const before = cronTriggersOf(previous)
  const after = cronTriggersOf(next)
  const [unservedBefore, unserved] = [inconsistentCronTriggers(previous), inconsistentCronTriggers(next)]
  if (before === after && unservedBefore === unserved) return
  const known = [...before.keys(), ...unservedBefore.keys()]
  await forget(
    known.filter((name) => !after.has(name) && !unserved.has(name)),
    transaction,
  )
  const changed = [...after.values()].flatMap(({ entry }) => (before.get(entry.name)?.entry === entry ? [] : [entry]))
  const changedUnserved = [...unserved.values()].filter((entry) => {
    const old = before.get(entry.name)?.entry ?? unservedBefore.get(entry.name)
    return old && old !== entry
  })
  for (const entry of [...changed, ...changedUnserved]) await replan(entry, transaction)
}

/**
 * Plans missing occurrences of each trigger, from its last one on: missed ones are made up for as far as their tolerance allows.
 * Deletes occurrences of unknown triggers.
 */
export async function topUp(model: Model, transaction: Transaction): Promise<void> {
  const triggers = cronTriggersOf(model)
  const planned = await transaction.rows<{ name: string; count: number; latest: Date | null }>(
    `select name, latest, (select count(*)::int from trellis.hdb_cron_events where trigger_name = name and ${isUpcoming}) as count
     from unnest($1::text[]) as name
       left join lateral (select max(scheduled_time) as latest from trellis.hdb_cron_events where trigger_name = name) as l on true`,
    [[...triggers.keys()]],
  )
  const found = new Map(planned.map((row) => [row.name, row]))
  const now = await currentTime(transaction)
  const plans = [...triggers.values()].flatMap(({ entry }) => {
    const { count, latest } = found.get(entry.name)!
    return count < occurrencesAhead ? [{ entry, after: latest ? notTooLate(latest, entry, now) : now, now }] : []
  })
  for (let i = 0; i < plans.length; i += plannedAtOnce) await plan(plans.slice(i, i + plannedAtOnce), transaction)
  const owned = [...triggers.keys(), ...inconsistentCronTriggers(model).keys()]
  const gone = await transaction.rows<{ name: string }>(
    `select distinct trigger_name as name from trellis.hdb_cron_events where ${isUpcoming} and trigger_name <> all($1)`,
    [owned],
  )
  await forget(
    gone.map(({ name }) => name),
    transaction,
  )
}

/** A condition: the occurrence is in the future and was not tried. */
const isUpcoming = `status = 'scheduled' and tries = 0 and scheduled_time > now()`

/** A moment, or the earliest moment whose occurrences are not too late, if that is later. */
function notTooLate(moment: Date, { retry_conf = retryDefaults }: CronTrigger, now: Date): Date {
  return new Date(Math.max(moment.getTime(), now.getTime() - retry_conf.tolerance_seconds * 1000))
}

async function currentTime(transaction: Transaction): Promise<Date> {
  const [row] = await transaction.rows<{ now: Date }>('select now()')
  return row!.now
}

/** Replaces future occurrences without attempts by those of the schedule; the others stay. */
async function replan(entry: CronTrigger, transaction: Transaction): Promise<void> {
  await transaction.rows(
    `delete from trellis.hdb_cron_events
     where trigger_name = $1 and ${isUpcoming}`,
    [entry.name],
  )
  const now = await currentTime(transaction)
  await plan([{ entry, after: now, now }], transaction)
}

/** Occurrences to plan. */
interface Plan {
  readonly entry: CronTrigger
  readonly after: Date
  readonly now: Date
}

/** An existing occurrence stays unchanged, so that it is delivered once although several instances plan it. */
async function plan(plans: readonly Plan[], transaction: Transaction): Promise<void> {
  const planned = plans.flatMap(({ entry, after, now }) =>
    occurrencesAfter(entry, after, { now, most: mostMissed, ahead: occurrencesAhead }).map((time) => {
      return { name: entry.name, time: time.toISOString() }
    }),
  )
  await transaction.rows(
    `insert into trellis.hdb_cron_events (trigger_name, scheduled_time)
     select * from unnest($1::text[], $2::timestamptz[]) on conflict do nothing`,
    [planned.map(({ name }) => name), planned.map(({ time }) => time)],
  )
  await transaction.rows(notifyStatement, ['cron'])
}

/** Deletes all events of triggers with their attempts. */
export async function forget(names: readonly string[], transaction: Transaction): Promise<void> {
  if (names.length > 0) {
    await transaction.rows('delete from trellis.hdb_cron_events where trigger_name = any($1)', [names])
  }
}
