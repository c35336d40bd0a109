// Archives the open events of removed event triggers: they are never delivered.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, messageWithCause } from '../../../sdk/index.ts'
import { compile, join, literal, type Sql, sql, type Transaction, trusted } from '../../../sdk/sql.ts'
import { storedTriggers } from '../metadata.ts'
import { archiveAttempts, archivePauseMillis } from '../tuning.ts'
import { isOpen } from './ledger-statements.ts'

const archived = `update trellis.event_log as e set archived = true, locked = null, locked_by = null where ${isOpen('e')}`

/**
 * Runs a statement, which changes nothing if another transaction has changed some of its rows since the snapshot of this one: under
 * load no snapshot is new enough. Under `read committed` it waits for those rows. A request to the metadata API is repeated after a
 * deadlock.
 */
export async function runUnlessOutdated(statement: Sql, transaction: Transaction): Promise<void> {
  const { text: body } = compile(sql`begin ${statement}; exception when serialization_failure then null; end`)
  await transaction.script(compile(sql`do ${literal(body)}`).text)
}

/** Archives events in the transaction that removes the triggers; outdated ones are left to {@link archiveWhatIsLeft}. */
export async function archive(names: readonly string[], transaction: Transaction): Promise<void> {
  if (names.length === 0) return
  const removed = join(names.map(literal), ', ')
  await runUnlessOutdated(sql`${trusted(archived)} and trigger_name in (${removed})`, transaction)
}

/** The same for the triggers $1, unless the metadata has changed since version $2: a trigger may exist again. */
const archiveKnown = `
  with known as materialized (select from trellis.metadata where resource_version = $2),
  done as (${archived} and trigger_name = any ($1) and exists (select from known) returning 1)
  select exists (select from known) as is_known, (select count(*) from done) as count`

/** Archives the events that {@link archive} had to leave, after the removal is committed. */
export function archiveWhatIsLeft(engine: Engine, report: (message: string) => void): void {
  const { database, metadata, settings } = engine
  if (settings.txIsolation === 'read-committed') return
  const tryOnce = async (gone: readonly string[]): Promise<boolean> => {
    const { model } = engine
    const names = gone.filter((name) => !storedTriggers(model).has(name))
    if (names.length === 0) return true
    const work = (transaction: Transaction) =>
      transaction.rows<{ is_known: boolean }>(archiveKnown, [names, model.resourceVersion])
    const [row] = await database.transaction(work, { isolation: 'read-committed' })
    return row!.is_known
  }
  let isEnding = false
  engine.onStopping(() => {
    isEnding = true
  })
  const archiveGone = async (gone: readonly string[]) => {
    for (let attempt = 1; !isEnding && attempt <= archiveAttempts; attempt++) {
      try {
        if (await tryOnce(gone)) return
      } catch (error) {
        if (attempt === archiveAttempts && !isEnding)
          report(`events of ${gone.join(', ')} are not archived: ${messageWithCause(error)}`)
      }
      await sleep(attempt * archivePauseMillis, undefined, { ref: false })
    }
  }
  let before: ReadonlySet<string> = new Set()
  metadata.service.onChange((model) => {
    const after = storedTriggers(model)
    const gone = [...before].filter((name) => !after.has(name))
    before = after
    if (gone.length > 0) void archiveGone(gone)
  })
}
