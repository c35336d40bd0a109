// The triggers of PostgreSQL that write changes of a table to the event log, as text.
//
// A trigger must never keep a row from being written. Its function lists columns, which somebody may rename, drop or give
// another type without telling this server: where a column is gone, or a session has planned it with another type, it compares
// and sends whole rows until the function is made anew.

import { createHash } from 'node:crypto'
import type { Dialect } from '../../../sdk/index.ts'
import type { ColumnModel, ResolveContext, TableModel } from '../../../sdk/metadata.ts'
import { compile, id, join, literal, type Sql, sql, trusted } from '../../../sdk/sql.ts'
import type { EventTrigger, OperationSpec } from '../schema.ts'
import { eventConditionSql } from './condition.ts'
import { type RowName, type RowOperation, rowOperations, rowsOf } from './row-operations.ts'
import { type SessionSetting, searchPath, settingsFor } from './session-settings.ts'
import { type VirtualColumn, withVirtualColumns } from './virtual-columns.ts'

/** A trigger of PostgreSQL and its function, which have one name. */
export interface SqlTrigger {
  readonly operation: RowOperation
  readonly name: string
  /** What the function sets for itself. */
  readonly settings: readonly SessionSetting[]
  /** The source of the function, on a table with those virtual columns. */
  body(virtual: readonly VirtualColumn[]): string
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

export interface TriggerPlace {
  readonly table: TableModel
  readonly context: ResolveContext
  readonly names: TriggerNames
}

/** The triggers that an event trigger needs on its table; throws when a condition is none. */
export const sqlTriggers = (trigger: EventTrigger, place: TriggerPlace): SqlTrigger[] =>
  rowOperations.flatMap((operation) => {
    const spec = trigger.definition[operation]
    if (!spec) return []
    const work = workOf({ trigger, operation, spec, ...place })
    return [
      {
        operation,
        name: sqlTriggerName(trigger.name, operation, place.names.dialect.triggerPrefix),
        settings: settings(trigger, spec, place.table),
        body: (virtual) => compile(bodyOf(work, virtual, rowsOf[operation])).text,
      },
    ]
  })

function settings({ ordering_key = [] }: EventTrigger, { payload, when }: OperationSpec, table: TableModel) {
  const types = (names: Iterable<string>) => [...names].flatMap((name) => table.columns.get(name)?.type ?? [])
  const sent = payload === undefined || payload === '*' ? table.columns.keys() : payload
  const schemas = when ? types(table.columns.keys()).map(({ schema }) => schema) : []
  const foreign = [...new Set(schemas)].filter((schema) => schema !== 'pg_catalog').sort()
  return [searchPath(foreign), ...settingsFor(types([...sent, ...ordering_key]))]
}

interface BodyParts extends TriggerPlace {
  readonly trigger: EventTrigger
  readonly operation: RowOperation
  readonly spec: OperationSpec
}

const declarations = trusted(`
declare
  old_data json;
  new_data json;
  order_key text;
  is_wanted boolean;
  is_recorded boolean;
begin`)

/** Where a virtual column's expression names a column, a variable of the function may have the same name. */
const columnsFirst = trusted(`
#variable_conflict use_column`)

const bodyOf = (work: Sql, virtual: readonly VirtualColumn[], rows: readonly RowName[]): Sql =>
  virtual.length === 0
    ? sql`${declarations}${work}`
    : sql`${columnsFirst}${declarations}${withVirtualColumns(virtual, rows)}${work}`

/** A listed column is gone, or has got another type since the session planned what is done with it. */
const outdated = 'undefined_column or datatype_mismatch'

/** What is done for a row. The event is recorded by an expression, which costs less than the query that `perform` is. */
function workOf(parts: BodyParts): Sql {
  const { trigger, operation, spec, names } = parts
  const { userSetting, traceSetting } = names.dialect
  const rows = rowsOf[operation]
  const data = (row: RowName) => (rows.includes(row) ? trusted(`${row}_data`) : trusted('null'))
  const changed = operation === 'update' ? comparison(spec.columns) : trusted('')
  return sql`${typesOf(parts)}${changed}${whenHolds(parts)}${assignments(rows, parts)}${orderKey(parts, rows)}
  is_recorded := trellis.record_event(
    tg_table_schema, tg_table_name, ${literal(trigger.name)}, ${literal(operation.toUpperCase())},
    ${data('old')}, ${data('new')},
    current_setting(${literal(userSetting)}, true), current_setting(${literal(traceSetting)}, true),
    order_key, ${trusted(String(trigger.paused ?? false))}) is null;
  return null;
end`
}

/**
 * Sessions plan what is in a function with the types that columns have then, so the function is made anew when listed ones get
 * others: a mark of these is in it.
 */
function typesOf({ trigger, spec: { columns, payload = '*' }, table }: BodyParts): Sql {
  // What works out a virtual column is planned with all columns.
  const isPlannedWhole = [...table.columns.values()].some(({ column }) => column.generated)
  const listed = isPlannedWhole
    ? [...table.columns.keys()]
    : [columns, payload, trigger.ordering_key ?? []].flatMap((names) => (names === '*' ? [] : names))
  if (listed.length === 0) return trusted('')
  const types = listed.map((name) => table.columns.get(name)?.type.sql)
  return trusted(`
  -- types ${createHash('sha256').update(JSON.stringify(types)).digest('hex').slice(0, 12)}`)
}

const orUnwanted = sql`
  if not is_wanted then
    return null;
  end if;`

/** What cannot be told is wanted: an event too many is better than one too few. */
function whenHolds({ spec: { when }, operation, table, context }: BodyParts): Sql {
  if (!when) return trusted('')
  return sql`
  begin
    is_wanted := coalesce(${eventConditionSql(when, { operation, table, context })}, false);
  exception when others then
    is_wanted := true;
  end;${orUnwanted}`
}

/** A key of more bytes is kept as its digest: no index takes much more than twice as many. */
const longestKey = 1000

/** Rows that were given another key belong with those of the new one. */
function orderKey({ trigger: { ordering_key: columns }, table }: BodyParts, rows: readonly RowName[]): Sql {
  if (!columns) return trusted('')
  const row = trusted(rows.at(-1) ?? 'new')
  const values = columns.map((name) => keyValue(sql`${row}.${id(name)}`, table.columns.get(name)?.type))
  return sql`
  begin
    order_key := row(${join(values)})::text;
  exception when ${trusted(outdated)} then
    order_key := '';
  end;
  if octet_length(order_key) > ${trusted(String(longestKey))} then
    order_key := encode(sha256(convert_to(order_key, getdatabaseencoding())), 'hex');
  end if;`
}

/** The text of a date or time is that of the session's `DateStyle` and time zone; a key is the same whoever writes the row. */
function keyValue(value: Sql, type: PgType | undefined): Sql {
  if (type?.schema !== 'pg_catalog') return value
  if (type.name === 'timestamptz') return sql`to_json(${value} at time zone 'UTC')::text`
  return type.name === 'date' || type.name === 'timestamp' ? sql`to_json(${value})::text` : value
}

/**
 * Types without an equality of their own are compared by their binary image. Not `is distinct from`: between lists of columns that is
 * whatever operator of a column's type is called `=`, by which boxes are equal that have the same area.
 */
function comparison(columns: OperationSpec['columns']): Sql {
  const row = (name: RowName) =>
    columns === '*'
      ? trusted(name)
      : sql`row(${join(columns.map((column) => sql`${trusted(name)}.${id(column)}`))})::record`
  return sql`
  begin
    begin
      is_wanted := ${row('old')} <> ${row('new')};
    exception when undefined_function then
      is_wanted := ${row('old')} *<> ${row('new')};
    end;
  exception when ${trusted(outdated)} then
    is_wanted := old *<> new;
  end;${orUnwanted}`
}

function assignments(rows: readonly RowName[], { spec, table, names }: BodyParts): Sql {
  const { payload = '*' } = spec
  const wholeAs = (type: string) =>
    join(
      rows.map((row) => trusted(`\n    ${row}_data := row_to_json(${row})${type};`)),
      '',
    )
  const whole = wholeAs('')
  const sent = payload === '*' ? [...table.columns.keys()] : payload
  const types = sent.flatMap((name) => table.columns.get(name)?.type ?? [])
  const hasParts = types.some(mayHoldShapes)
  const hasShapes = hasParts || types.some(isSpatial)
  if (payload === '*' && !hasShapes) return whole
  // PostGIS makes what is no JSON of coordinates that are no numbers: the text is read again.
  const readAgain = '::text::json'
  const listedAs = (type: string, sentAs: (row: RowName, name: string) => Sql): Sql =>
    join(
      rows.map((row) => {
        const columns = sent.map((name) => sql`${sentAs(row, name)} as ${id(name)}`)
        return sql`
    ${trusted(row)}_data := (select row_to_json(listed.*)${trusted(type)} from (select ${join(columns)}) as listed);`
      }),
      '',
    )
  const textsOf = (type: string, isText: (type: PgType) => boolean) =>
    listedAs(type, (row, name) => textOr(row, name, { table, isText }))
  const part = hasParts ? readAgain : ''
  const usual =
    payload === '*' ? wholeAs(readAgain) : listedAs(part, (row, name) => sentValue(row, name, { table, names }))
  const allTexts = textsOf('', (type) => isSpatial(type) || mayHoldShapes(type))
  const texts = hasParts ? orElse(textsOf(part, isSpatial), 'others', allTexts) : allTexts
  return orElse(hasShapes ? orElse(usual, 'others', texts) : usual, outdated, whole)
}

/** Work, and what is done instead where it fails for a reason. */
const orElse = (work: Sql, reason: string, other: Sql): Sql => sql`
  begin${work}
  exception when ${trusted(reason)} then${other}
  end;`

type PgType = ColumnModel['type']

interface TextParts {
  readonly table: TableModel
  /** Whether values of a type are sent as texts. */
  isText(type: PgType): boolean
}

/** GeoJSON has no curves, nor what is not a number; such a shape is sent as PostGIS prints it, and so is what it is a part of. */
function textOr(row: RowName, name: string, { table, isText }: TextParts): Sql {
  const value = sql`${trusted(row)}.${id(name)}`
  const type = table.columns.get(name)?.type
  return type && isText(type) ? sql`${value}::text` : value
}

/** What a double cannot hold. */
const wideNumbers: ReadonlySet<string> = new Set(['int8', 'numeric'])

function sentValue(row: RowName, name: string, { table, names }: Pick<BodyParts, 'table' | 'names'>): Sql {
  const value = sql`${trusted(row)}.${id(name)}`
  const type = table.columns.get(name)?.type
  if (names.stringifyNumbers && type && wideNumbers.has(type.name)) return sql`${value}::text`
  if (type && isSpatial(type)) return sql`${id(type.schema, 'st_asgeojson')}(${value}, 15, 4)::json`
  return value
}

const isSpatial = ({ name, schema }: PgType): boolean =>
  (name === 'geometry' || name === 'geography') && schema !== 'pg_catalog'

/** Arrays and rows of types that are not PostgreSQL's own. */
const mayHoldShapes = ({ schema, kind, isArray }: PgType): boolean =>
  schema !== 'pg_catalog' && (isArray || kind === 'c' || kind === 'd')
