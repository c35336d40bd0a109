// The plan of the data operation `insert`.

import type { TableAccess } from '../../sdk/graphql.ts'
import { badRequest, nameText, within } from '../../sdk/index.ts'
import type { InsertPermission, TableModel } from '../../sdk/metadata.ts'
import type { ColumnValue, ConflictUpdate, Insert, OnConflict, ParamOperand, RowCheck } from '../../sdk/sql.ts'
import type { Caller } from './caller.ts'
import type { ConflictArguments } from './schema.ts'
import { isWritable, presetValues, writtenColumn, writtenValue } from './written-values.ts'

/** Rows to insert. */
export interface InsertRequest {
  readonly objects: readonly Readonly<Record<string, unknown>>[]
  readonly on_conflict?: ConflictArguments
}

/** PostgreSQL takes 65535 parameters; an insert with more values than this is split. */
const maxValues = 32_000

type Tuple = ReadonlyMap<string, ParamOperand>

/** The statements that insert the rows, in order. */
export function planInsert({ objects, on_conflict }: InsertRequest, access: TableAccess, caller: Caller): Insert[] {
  const { table } = access
  const permission = access.insert!
  if (objects.length === 0) throw badRequest('unexpected-payload', 'objects should not be empty', { path: ['objects'] })
  const given = within('objects', () =>
    objects.map((object, i) => within(i, () => readObject(object, table, permission, caller))),
  )
  const columns = [...new Set(given.flatMap((tuple) => [...tuple.keys()]))]
  const onConflict = on_conflict
    ? within('on_conflict', () => planConflict(on_conflict, columns, access, caller))
    : null
  const check = rowCheck(access, onConflict)
  const presets = presetValues(permission.presets, table, caller)
  const all = [...columns, ...presets.map(({ column }) => column)]
  const rows = given.map((tuple) => rowValues(tuple, columns, presets))
  return chunks(rows, all.length).map((part) => ({
    kind: 'insert',
    table: table.name,
    rows: { kind: 'values', columns: all, rows: part },
    onConflict,
    check,
  }))
}

function readObject(
  object: Readonly<Record<string, unknown>>,
  table: TableModel,
  { columns, presets }: InsertPermission,
  caller: Caller,
): Tuple {
  const values = new Map<string, ParamOperand>()
  for (const [name, value] of Object.entries(object)) {
    const column = writtenColumn(table, name, { hint: "relationships can't be inserted", visible: columns })
    if (presets.has(name) || !isWritable(column)) {
      throw badRequest('not-supported', `column "${name}" is not insertable for role "${caller.role}"`)
    }
    caller.requireColumnOf(columns, 'insert', name)
    values.set(name, writtenValue(value, column, caller))
  }
  return values
}

/** Null stands for the column's default. */
const rowValues = (tuple: Tuple, columns: readonly string[], presets: readonly ColumnValue[]) => [
  ...columns.map((column) => tuple.get(column) ?? null),
  ...presets.map(({ value }) => value),
]

function chunks<T>(rows: readonly T[], width: number): T[][] {
  const size = Math.max(1, Math.floor(maxValues / Math.max(width, 1)))
  const parts: T[][] = []
  for (let i = 0; i < rows.length; i += size) parts.push(rows.slice(i, i + size))
  return parts
}

/** The insert check holds for inserted rows, the update check for updated ones; without that the former for both. */
function rowCheck({ insert, update }: TableAccess, onConflict: OnConflict | null): RowCheck | null {
  const condition = insert!.check
  const updated = onConflict?.update ? (update?.check ?? null) : null
  const isFree = condition.kind === 'true' && (updated === null || updated.kind === 'true')
  return isFree ? null : { kind: 'insert', condition, updated }
}

function planConflict(
  { action, constraint, constraint_on }: ConflictArguments,
  columns: readonly string[],
  access: TableAccess,
  caller: Caller,
): OnConflict {
  const { table, update } = access
  if (!update) {
    const reason = 'since update permissions are not defined'
    throw badRequest('permission-denied', `upsert is not allowed for role "${caller.role}" ${reason}`)
  }
  if (constraint !== undefined && constraint_on !== undefined) {
    throw badRequest('unexpected-payload', `'constraint' and 'constraint_on' cannot be set at a time`)
  }
  if (constraint === undefined && constraint_on === undefined && action === 'update') {
    const message = `Expecting 'constraint' or 'constraint_on' when the 'action' is 'update'`
    throw badRequest('unexpected-payload', message)
  }
  const target = constraint ?? (typeof constraint_on === 'string' ? [constraint_on] : constraint_on) ?? null
  if (typeof target === 'string') within('constraint', () => requireConstraint(table, target))
  else if (target) within('constraint_on', () => requireColumns(access, target))
  return { constraint: target, update: action === 'update' ? planUpdate(columns, access, caller) : null }
}

function requireColumns({ table, insert }: TableAccess, names: readonly string[]): void {
  const refusal = { hint: '', visible: insert?.columns ?? [] }
  for (const [i, name] of names.entries()) within(i, () => writtenColumn(table, name, refusal))
}

function requireConstraint({ name, catalog }: TableModel, constraint: string): void {
  const constraints = [...(catalog.primaryKey ? [catalog.primaryKey] : []), ...catalog.uniqueConstraints]
  if (constraints.some((each) => each.name === constraint)) return
  throw badRequest('unexpected', `constraint "${constraint}" for table "${nameText(name)}" does not exist`)
}

/** Null when there is nothing to set, and the row is left alone. */
function planUpdate(columns: readonly string[], { table, update }: TableAccess, caller: Caller): ConflictUpdate | null {
  const { columns: updatable, presets, filter } = update!
  const refused = columns.find((name) => !updatable.has(name))
  if (refused !== undefined) throw badRequest('validation-failed', `column "${refused}" is not updatable`)
  if (columns.length + presets.size === 0) return null
  return { columns, presets: presetValues(presets, table, caller), where: filter }
}
