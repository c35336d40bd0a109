// Database triggers that are disabled, for example for a bulk load. They stay disabled because that may be intended. The server
// warns of them, because an interrupted restore may have left them, and changes are lost silently meanwhile.

import type { Model } from '../../../sdk/metadata.ts'
import type { Transaction } from '../../../sdk/sql.ts'
import { eventTriggersOf } from '../metadata.ts'

const disabledOnes = `
  select p.proname as name, t.tgrelid::regclass::text as table
  from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
  where p.pronamespace = to_regnamespace('trellis') and p.proname = any ($1) and not t.tgisinternal and t.tgenabled in ('D', 'R')
  order by 1, 2 limit 100`

export class DisabledTriggers {
  #reported = ''

  /** Reports the disabled triggers of a model, unless the last report was the same. */
  async warn(model: Model, transaction: Transaction, report: (message: string) => void): Promise<void> {
    const names = [...eventTriggersOf(model).values()].flatMap(({ sql }) => sql.map(({ name }) => name))
    if (names.length === 0) return
    const rows = await transaction.rows<{ name: string; table: string }>(disabledOnes, [names])
    const list = rows.map(({ name, table }) => `"${name}" on ${table}`).join(', ')
    if (list !== '' && list !== this.#reported) report(`changes are not recorded while triggers are disabled: ${list}`)
    this.#reported = list
  }
}
