// The PostgreSQL triggers that write changes of a table to the event log.
//
// A trigger must never prevent a write. Its function lists columns, which others may rename, drop or change in type without this
// server. If a column is gone, or a session has planned the function with another type, the function compares and sends whole rows
// until it is replaced.

import { createHash } from 'node:crypto'
import type { Dialect } from '../../../sdk/index.ts'
import type { ColumnModel, ResolveContext, TableModel } from '../../../sdk/metadata.ts'
import { compile, id, join, type Sql, sql, trusted } from '../../../sdk/sql.ts'
import type { EventTrigger, OperationSpec } from '../schema.ts'
import { longestKey } from '../tuning.ts'
import { eventConditionSql } from './condition.ts'
import { type RowName, type RowOperation, rowOperations, rowsOf } from './row-operations.ts'
import { type SessionSetting, searchPath, settingsFor } from './session-settings.ts'
import { type VirtualColumn, withVirtualColumns } from './virtual-columns.ts'

/** The work of a database trigger for an operation of an event trigger. */
export interface SqlTrigger {
  readonly operation: RowOperation
  /** The name of the database trigger and its function, unless it shares those of another event trigger. */
  readonly name: string
  /** The settings of the function. */
  readonly settings: readonly SessionSetting[]
  /**
   * The source of the function up to the statement that writes events, for a table with these virtual columns. Event triggers with the
   * same one share a function.
   */
  head(virtual: readonly VirtualColumn[]): string
}

export interface TriggerNames {
  readonly dialect: Pick<Dialect, 'triggerPrefix' | 'userSetting' | 'traceSetting'>
  /** Whether numbers beyond double precision are sent as strings in lists of columns. */
  readonly stringifyNumbers: boolean
  /** Whether such numbers and shapes are sent in whole rows as in lists of columns. */
  readonly listsRows: boolean
}

/** PostgreSQL truncates longer names. */
const longestName = 63

/** The name of an operation's trigger; a long one keeps its beginning and gets a digest. */
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

/** The database triggers of an event trigger; throws for an invalid condition. */
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
        head: (virtual) => {
          const begin = trigger.trigger_on_replication ? firesAlways : ''
          return `${begin}${compile(headOf(work, virtual, rowsOf[operation])).text}`
        },
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

const firesAlways = `
-- fires for replication`

/** Whether the database trigger of a function with this source fires for changes that arrive by replication. */
export const isAlwaysFired = (body: string): boolean => body.startsWith(firesAlways)

const declarations = trusted(`
declare
  old_data json;
  new_data json;
  order_key text;
  is_wanted boolean;
  is_recorded boolean;
begin`)

/** A variable of the function may have the name of a column in a virtual column's expression; the column wins. */
const columnsFirst = trusted(`
#variable_conflict use_column`)

const headOf = (work: Sql, virtual: readonly VirtualColumn[], rows: readonly RowName[]): Sql =>
  virtual.length === 0
    ? sql`${declarations}${work}`
    : sql`${columnsFirst}${declarations}${withVirtualColumns(virtual, rows)}${work}`

/** A listed column was dropped, or its type changed after the session planned the function. */
const outdated = 'undefined_column or datatype_mismatch'

/** The columns that events have. A whole row is sent as it is, unless some of its values are not. */
function sentColumns({ spec: { payload = '*' }, table, names }: Pick<BodyParts, 'spec' | 'table' | 'names'>) {
  if (payload !== '*' || !names.listsRows) return payload
  const isChanged = [...table.columns.values()].some(({ type }) => isText(type, names) || isSpatial(type))
  return isChanged ? [...table.columns.keys()] : payload
}

/** The statements for a row, up to the one that writes events. */
function workOf(given: BodyParts): Sql {
  const parts = { ...given, spec: { ...given.spec, payload: sentColumns(given) } }
  const rows = rowsOf[parts.operation]
  const changed = parts.operation === 'update' ? comparison(parts.spec.columns) : trusted('')
  return sql`${typesOf(parts)}${changed}${whenHolds(parts)}${assignments(rows, parts)}${orderKey(parts, rows)}`
}

/**
 * Sessions plan a function with the column types of that moment, so the function must be replaced when a listed column changes
 * its type. A comment with a digest of the types makes its source differ then.
 */
function typesOf({ trigger, spec: { columns, payload = '*' }, table }: BodyParts): Sql {
  // The expressions of virtual columns are planned with all columns.
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

/** If the condition cannot be evaluated, the event is sent: an extra event is better than a lost one. */
function whenHolds({ spec: { when }, operation, table, context }: BodyParts): Sql {
  if (!when) return trusted('')
  return sql`
  begin
    is_wanted := coalesce(${eventConditionSql(when, { operation, table, context })}, false);
  exception when others then
    is_wanted := true;
  end;${orUnwanted}`
}

/** A row whose key changes belongs to the new key. */
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

/** Dates and times print by the session's `DateStyle` and time zone; a key must be the same for all sessions. */
function keyValue(value: Sql, type: PgType | undefined): Sql {
  if (type?.schema !== 'pg_catalog') return value
  if (type.name === 'timestamptz') return sql`to_json(${value} at time zone 'UTC')::text`
  return type.name === 'date' || type.name === 'timestamp' ? sql`to_json(${value})::text` : value
}

/**
 * Types without their own equality are compared by their binary image. `is distinct from` on lists of columns would use any operator
 * named `=`, and by that of boxes those with the same area are equal.
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
  // PostGIS prints invalid JSON for NaN coordinates, so the text is parsed and repaired.
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

/** Work with a fallback for one kind of error. */
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

/** GeoJSON has no curves and no NaN. Such a shape is sent as PostGIS prints it, and so are the values that contain it. */
function textOr(row: RowName, name: string, { table, isText }: TextParts): Sql {
  const value = sql`${trusted(row)}.${id(name)}`
  const type = table.columns.get(name)?.type
  return type && isText(type) ? sql`${value}::text` : value
}

/** Numbers that are texts in answers, too. */
const wideNumbers: ReadonlySet<string> = new Set(['int8', 'numeric', 'float8'])

const isText = ({ name, schema }: PgType, { stringifyNumbers }: TriggerNames): boolean =>
  stringifyNumbers && schema === 'pg_catalog' && wideNumbers.has(name)

function sentValue(row: RowName, name: string, { table, names }: Pick<BodyParts, 'table' | 'names'>): Sql {
  const value = sql`${trusted(row)}.${id(name)}`
  const type = table.columns.get(name)?.type
  if (type && isText(type, names)) return sql`${value}::text`
  if (type && isSpatial(type)) return sql`${id(type.schema, 'st_asgeojson')}(${value}, 15, 4)::json`
  return value
}

const isSpatial = ({ name, schema }: PgType): boolean =>
  (name === 'geometry' || name === 'geography') && schema !== 'pg_catalog'

/** Arrays, rows and domains of types that are not built in. */
const mayHoldShapes = ({ schema, kind, isArray }: PgType): boolean =>
  schema !== 'pg_catalog' && (isArray || kind === 'c' || kind === 'd')
