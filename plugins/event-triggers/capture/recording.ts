// The end of a trigger's function: the statement that writes events to the log. Event triggers whose functions begin the same share
// one, because a row costs one function call and one statement then, and its JSON is built once.

import type { Dialect } from '../../../sdk/index.ts'
import { compile, join, literal, type Sql, sql, trusted } from '../../../sdk/sql.ts'
import { type RowName, type RowOperation, rowsOf } from './row-operations.ts'

/** An event trigger whose events a function writes. */
export interface Recorded {
  readonly name: string
  readonly paused: boolean
  /** Whether a plugin declares it: a server without that plugin keeps recording. */
  readonly isListener: boolean
}

export type SettingNames = Pick<Dialect, 'userSetting' | 'traceSetting'>

const mark = '\n  -- for '

/** The end of a function for these event triggers. An expression records, because `perform` would run a query, which costs more. */
export function tailOf(recorded: readonly Recorded[], operation: RowOperation, settings: SettingNames): string {
  const data = (row: RowName) => trusted(rowsOf[operation].includes(row) ? `${row}_data` : 'null')
  const values = (first: Sql, paused: Sql): Sql => sql`
    tg_table_schema, tg_table_name, ${first}, ${literal(operation.toUpperCase())},
    ${data('old')}, ${data('new')},
    current_setting(${literal(settings.userSetting)}, true), current_setting(${literal(settings.traceSetting)}, true),
    order_key, ${paused}) is null;
  return null;
end`
  const isPaused = ({ paused }: Recorded) => trusted(String(paused))
  const [only, ...others] = recorded
  const call =
    only && others.length === 0
      ? sql`trellis.record_event(${values(literal(only.name), isPaused(only))}`
      : sql`trellis.record_events(${values(
          sql`array[${join(recorded.map(({ name }) => literal(name)))}]`,
          sql`array[${join(recorded.map(isPaused))}]`,
        )}`
  const names = recorded.map(({ name, paused, isListener }) => ({
    name,
    ...(paused && { paused }),
    ...(isListener && { isListener }),
  }))
  return compile(sql`${trusted(`${mark}${JSON.stringify(names)}`)}
  is_recorded := ${call}`).text
}

const recordedOf = ({ name = '', paused = false, isListener = false }: Partial<Recorded>): Recorded => ({
  ...{ name, paused, isListener },
})

/** Reads a function: its beginning, and its event triggers; null: another version of the server wrote it. */
export function readBody(body: string): { readonly head: string; readonly recorded: readonly Recorded[] } | null {
  const at = body.lastIndexOf(mark)
  if (at < 0) return null
  const start = at + mark.length
  try {
    const names: Partial<Recorded>[] = JSON.parse(body.slice(start, body.indexOf('\n', start)))
    return { head: body.slice(0, at), recorded: names.map(recordedOf) }
  } catch {
    return null
  }
}
