// The occurrences of cron triggers, which are in the ledger ahead of their time: whoever is late finds what was missed.

import type { Model } from '../../sdk/metadata.ts'
import type { Transaction } from '../../sdk/sql.ts'
import { notifyStatement, occurrencesAfter } from '../delivery/index.ts'
import { cronTriggersOf, inconsistentCronTriggers } from './metadata.ts'
import { type CronTrigger, retryDefaults } from './schema.ts'

/** How many occurrences of each trigger are ahead. */
const ahead = 100

/**
 * Follows a change of the model: occurrences of new schedules come, those of old ones and of triggers that went go. A trigger that is
 * inconsistent here may be served by others.
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

/** Triggers whose occurrences are planned by one statement; others get their turn in between. */
const plannedAtOnce = 5

/**
 * Every trigger that has fewer than it should gets more, from the last one that it has: what was due meanwhile is made up for, as
 * far back as it may be delivered yet. What no trigger stands behind goes.
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
    return count < ahead ? [{ entry, after: latest ? notTooLate(latest, entry, now) : now, now }] : []
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

/** Condition: it is still to come, and was never tried. */
const isUpcoming = `status = 'scheduled' and tries = 0 and scheduled_time > now()`

/** The moment, or where what comes after it would be too late to be delivered: when that is no more so. */
function notTooLate(moment: Date, { retry_conf = retryDefaults }: CronTrigger, now: Date): Date {
  return new Date(Math.max(moment.getTime(), now.getTime() - retry_conf.tolerance_seconds * 1000))
}

async function currentTime(transaction: Transaction): Promise<Date> {
  const [row] = await transaction.rows<{ now: Date }>('select now()')
  return row!.now
}

/** What was never tried and is still to come follows the schedule; the rest stays as it is. */
async function replan(entry: CronTrigger, transaction: Transaction): Promise<void> {
  await transaction.rows(
    `delete from trellis.hdb_cron_events
     where trigger_name = $1 and ${isUpcoming}`,
    [entry.name],
  )
  const now = await currentTime(transaction)
  await plan([{ entry, after: now, now }], transaction)
}

/** Occurrences to be planned. */
interface Plan {
  readonly entry: CronTrigger
  readonly after: Date
  readonly now: Date
}

/** So many are made up for at once. */
const mostMissed = 1000

/** An occurrence that is there already stays as it is, so that it is delivered once, whoever plans it again. */
async function plan(plans: readonly Plan[], transaction: Transaction): Promise<void> {
  const planned = plans.flatMap(({ entry, after, now }) =>
    occurrencesAfter(entry, after, { now, most: mostMissed, ahead }).map((time) => {
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

/** Removes all events of triggers, with the logs of their attempts. */
export async function forget(names: readonly string[], transaction: Transaction): Promise<void> {
  if (names.length > 0) {
    await transaction.rows('delete from trellis.hdb_cron_events where trigger_name = any($1)', [names])
  }
}
