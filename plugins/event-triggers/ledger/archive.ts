// What is open of event triggers that are gone is archived: it was not delivered, and never will be.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, messageWithCause } from '../../../sdk/index.ts'
import { compile, join, literal, sql, type Transaction, trusted } from '../../../sdk/sql.ts'
import { storedTriggers } from '../metadata.ts'
import { isOpen } from './ledger-statements.ts'

const archived = `update trellis.event_log as e set archived = true, locked = null, locked_by = null where ${isOpen('e')}`

/**
 * Archives in the transaction that removes the triggers. Who writes down how some of it ended may wait for this and be waited for: they go
 * first then, when PostgreSQL has found out. Where they have changed some since the transaction's snapshot, all of it is left to
 * {@link archiveWhatIsLeft}: while much is delivered, no snapshot is new enough.
 */
export async function archive(names: readonly string[], transaction: Transaction): Promise<void> {
  if (names.length === 0) return
  const { text: body } = compile(sql`
    begin
      for attempt in 1..10 loop
        begin
          ${trusted(archived)} and trigger_name in (${join(names.map(literal), ', ')});
          return;
        exception
          when deadlock_detected then
            if attempt = 10 then raise; end if;
          when serialization_failure then
            return;
        end;
      end loop;
    end`)
  await transaction.script(compile(sql`do ${literal(body)}`).text)
}

/** The same of the triggers $1, unless the metadata have changed since they had the version $2: one of them may be there again. */
const archiveKnown = `
  with known as materialized (select from trellis.metadata where resource_version = $2),
  done as (${archived} and trigger_name = any ($1) and exists (select from known) returning 1)
  select exists (select from known) as is_known, (select count(*) from done) as count`

/** How often it is tried, and milliseconds in between, by which number of attempt they are longer. */
const attempts = 10
const pauseMillis = 100

/** Archives what {@link archive} had to leave of triggers that went, when that is committed. */
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
    for (let attempt = 1; !isEnding && attempt <= attempts; attempt++) {
      try {
        if (await tryOnce(gone)) return
      } catch (error) {
        if (attempt === attempts && !isEnding)
          report(`events of ${gone.join(', ')} are not archived: ${messageWithCause(error)}`)
      }
      await sleep(attempt * pauseMillis, undefined, { ref: false })
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
