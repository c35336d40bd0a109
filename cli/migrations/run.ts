// Applies and undoes migrations, each with its record.

import type { Call } from '../command.ts'
import { Failure } from '../exits.ts'
import type { Json } from '../project/parts.ts'
import { problemsOf } from '../target/answers.ts'
import type { Target } from '../target/target.ts'
import { type Migration, runsAlone } from './files.ts'
import type { Planned } from './plan.ts'
import { downText, mirrorState, upText } from './state.ts'

/** A change of one migration. */
interface Step {
  readonly migration: Migration
  readonly isUp: boolean
  /** Whether only another program has recorded it. */
  readonly isForeign: boolean
}

/** Refuses, before anything runs, migrations that the target cannot run. */
function refuseAlone(target: Target, steps: readonly Step[]): void {
  if (target.databaseUrl !== null) return
  const alone = steps.find(({ migration, isUp }) => runsAlone((isUp ? migration.up : migration.down) ?? ''))
  if (alone === undefined) return
  const { folder } = alone.migration
  throw new Failure('failed', `${folder} runs without a transaction, which needs --database-url: a server has one`)
}

/** Applies migrations in order. */
export const runUp = (call: Call, target: Target, migrations: readonly Migration[]): Promise<void> =>
  runSteps(
    call,
    target,
    migrations.map((migration) => ({ migration, isUp: true, isForeign: false })),
  )

/** Undoes migrations in the given order. */
export async function runDown(call: Call, target: Target, planned: readonly Planned[]): Promise<void> {
  const isEmpty = (down: string | null) => down === null || down.replace(/--.*/g, '').trim() === ''
  const without = planned.find(({ migration }) => isEmpty(migration.down))
  if (without) throw new Failure('failed', `${without.migration.folder}: its down.sql is empty, so nothing undoes it`)
  const steps = planned.map(({ migration, applied }) => ({
    migration,
    isUp: false,
    isForeign: applied?.appliedAt === null,
  }))
  await runSteps(call, target, steps)
}

async function runSteps(call: Call, target: Target, steps: readonly Step[]): Promise<void> {
  refuseAlone(target, steps)
  const done = new Map<string, boolean>()
  try {
    for (const step of steps) {
      const { migration, isUp } = step
      await runStep(target, step)
      done.set(migration.version, isUp)
      const change = `${isUp ? 'applied' : 'undid'} ${migration.folder}`
      call.changed(change)
      call.say(change)
    }
  } finally {
    // The record of another program is repaired by the next run if this fails.
    if (done.size > 0) await mirrorState(target, done).catch(() => {})
  }
}

async function runStep(target: Target, { migration, isUp, isForeign }: Step): Promise<void> {
  const { folder, version } = migration
  const text = isUp ? migration.up : migration.down!
  const file = `${folder}/${isUp ? 'up' : 'down'}.sql`
  if (runsAlone(text)) {
    const { runAlone } = await import('./alone.ts')
    await runAlone({ target, migration, isUp, text, file })
    return
  }
  const place = { source: target.source, version }
  await target.sql(isUp ? upText(target.source, migration) : downText(place, text, isForeign), { file, linesBefore: 1 })
}

/** Reads the changed database, and returns the objects of the metadata that no longer fit. */
export async function reload(target: Target): Promise<readonly string[]> {
  const answer = await target.run<Json>({ type: 'reload_metadata', args: {} })
  return problemsOf(answer['inconsistent_objects'])
}
