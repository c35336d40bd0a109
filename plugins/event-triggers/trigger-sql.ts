// The triggers of PostgreSQL that write changes of a table to the event log, as text.
//
// A trigger must never keep a row from being written. Its function lists columns, which somebody may rename or drop without
// telling this server: where a column is gone it compares and sends whole rows until the function is made anew.

import { createHash } from 'node:crypto'
import type { Dialect } from '../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../sdk/metadata.ts'
import { compile, id, join, literal, type Sql, sql, trusted } from '../../sdk/sql.ts'
import type { EventTrigger, OperationSpec, RowOperation } from './schema.ts'
import { rowOperations } from './schema.ts'

/** A trigger of PostgreSQL and its function, which have one name. */
export interface SqlTrigger {
  readonly operation: RowOperation
  readonly name: string
  /** The source of the function. */
  readonly body: string
}

export interface TriggerNames {
  readonly dialect: Pick<Dialect, 'triggerPrefix' | 'userSetting' | 'traceSetting'>
  /** Whether numbers beyond double precision are sent as strings in lists of columns. */
  readonly stringifyNumbers: boolean
}

/** PostgreSQL cuts longer names. */
const longestName = 63

/** What the trigger of an operation is called; names that are too long keep their beginning and a digest. */
export function sqlTriggerName(trigger: string, operation: RowOperation, prefix: string): string {
  const end = `_${operation.toUpperCase()}`
  const name = `${prefix}${trigger}${end}`
  if (name.length <= longestName) return name
  const digest = createHash('sha256').update(trigger).digest('hex').slice(0, 12)
  return `${name.slice(0, longestName - end.length - digest.length - 1)}_${digest}${end}`
}

/** The triggers that an event trigger needs on its table. */
export const sqlTriggers = (trigger: EventTrigger, table: TableModel, names: TriggerNames): SqlTrigger[] =>
  rowOperations.flatMap((operation) => {
    const spec = trigger.definition[operation]
    if (!spec) return []
    const body = compile(bodyOf({ trigger: trigger.name, operation, spec, table, names })).text
    return [{ operation, name: sqlTriggerName(trigger.name, operation, names.dialect.triggerPrefix), body }]
  })

interface BodyParts {
  readonly trigger: string
  readonly operation: RowOperation
  readonly spec: OperationSpec
  readonly table: TableModel
  readonly names: TriggerNames
}

type RowVariable = 'old' | 'new'

function bodyOf(parts: BodyParts): Sql {
  const { trigger, operation, spec, names } = parts
  const { userSetting, traceSetting } = names.dialect
  const rows: readonly RowVariable[] = { insert: ['new'], update: ['old', 'new'], delete: ['old'] }[
    operation
  ] as RowVariable[]
  const data = (row: RowVariable) => (rows.includes(row) ? trusted(`${row}_data`) : trusted('null'))
  const checks = operation === 'update' ? comparison(spec.columns) : trusted('')
  return sql`
declare
  old_data json;
  new_data json;
  is_changed boolean;
begin${checks}${assignments(rows, parts)}
  perform trellis.record_event(
    tg_table_schema, tg_table_name, ${literal(trigger)}, ${literal(operation.toUpperCase())}, ${data('old')}, ${data('new')},
    current_setting(${literal(userSetting)}, true), current_setting(${literal(traceSetting)}, true));
  return null;
end`
}

/** Types without an equality of their own are compared by their binary image. */
function comparison(columns: OperationSpec['columns']): Sql {
  const row = (name: RowVariable) =>
    columns === '*'
      ? trusted(name)
      : sql`row(${join(columns.map((column) => sql`${trusted(name)}.${id(column)}`))})::record`
  return sql`
  begin
    begin
      is_changed := ${row('old')} is distinct from ${row('new')};
    exception when undefined_function then
      is_changed := ${row('old')} *<> ${row('new')};
    end;
  exception when undefined_column then
    is_changed := old *<> new;
  end;
  if not is_changed then
    return null;
  end if;`
}

function assignments(rows: readonly RowVariable[], { spec, table, names }: BodyParts): Sql {
  const { payload = '*' } = spec
  const whole = join(
    rows.map((row) => trusted(`\n    ${row}_data := row_to_json(${row});`)),
    '',
  )
  if (payload === '*') return whole
  const listed = rows.map((row) => {
    const columns = payload.map((name) => sql`${sentValue(row, name, { table, names })} as ${id(name)}`)
    return sql`
    ${trusted(row)}_data := (select row_to_json(listed) from (select ${join(columns)}) as listed);`
  })
  return sql`
  begin${join(listed, '')}
  exception when undefined_column then${whole}
  end;`
}

/** What a double cannot hold. */
const wideNumbers: ReadonlySet<string> = new Set(['int8', 'numeric'])

function sentValue(row: RowVariable, name: string, { table, names }: Pick<BodyParts, 'table' | 'names'>): Sql {
  const value = sql`${trusted(row)}.${id(name)}`
  const type = table.columns.get(name)?.type
  if (names.stringifyNumbers && type && wideNumbers.has(type.name)) return sql`${value}::text`
  if (type && isSpatial(type)) return sql`${id(type.schema, 'st_asgeojson')}(${value}, 15, 4)::json`
  return value
}

const isSpatial = ({ name, schema }: ColumnModel['type']): boolean =>
  (name === 'geometry' || name === 'geography') && schema !== 'pg_catalog'
