// The plan of the data operation `insert`.

import { type InsertAccess, mayCompare, type RowValues, type TableAccess, type UpdateAccess } from '../../sdk/access.ts'
import { badRequest, didYouMean, nameText, within } from '../../sdk/index.ts'
import { conflictRefusal, hasRulesOnConflict, keysOf, type TableModel } from '../../sdk/metadata.ts'
import { inTurns, mapSteps } from '../../sdk/services.ts'
import { always, type ConflictUpdate, type Insert, type OnConflict, type ParamOperand } from '../../sdk/sql.ts'
import type { Caller } from './caller.ts'
import type { ConflictArguments } from './schema.ts'
import { isWritable, writtenValue } from './written-values.ts'

/** Rows to insert. */
export interface InsertRequest {
  readonly objects: readonly Readonly<Record<string, unknown>>[]
  readonly on_conflict?: ConflictArguments
}

/** The statements that insert the rows, in order. Others get their turn while many rows are read. */
export async function planInsert(
  { objects, on_conflict }: InsertRequest,
  access: TableAccess,
  caller: Caller,
): Promise<readonly Insert[]> {
  const { table } = access
  const permission = access.insert!
  if (objects.length === 0) throw badRequest('unexpected-payload', 'objects should not be empty', { path: ['objects'] })
  const columns = new Set<string>()
  const given = await inTurns(
    mapSteps(objects, (object, i) => {
      const values = within('objects', () => within(i, () => readObject(object, table, permission, caller)))
      for (const column of values.keys()) columns.add(column)
      return values
    }),
  )
  const onConflict = on_conflict
    ? within('on_conflict', () => planConflict(on_conflict, [...columns], access, caller))
    : null
  return permission.rows(given, onConflict)
}

function readObject(
  object: Readonly<Record<string, unknown>>,
  table: TableModel,
  { columns, presets }: InsertAccess,
  caller: Caller,
): RowValues {
  const values = new Map<string, ParamOperand>()
  for (const [name, value] of Object.entries(object)) {
    if (presets.has(name)) throw notInsertable(name, caller)
    const hint = "relationships can't be inserted"
    const column = caller.writtenColumn(table, name, { action: 'insert', columns, hint })
    if (!isWritable(column)) throw notInsertable(name, caller)
    caller.requireColumnOf(columns, 'insert', name)
    values.set(name, writtenValue(value, column, caller))
  }
  return values
}

const notInsertable = (name: string, { role }: Caller) =>
  badRequest('not-supported', `column "${name}" is not insertable for role "${role}"`)

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
  if (hasRulesOnConflict(table.catalog)) {
    const message = `"${nameText(table.name)}" has rules for inserts or updates, for which PostgreSQL has no ON CONFLICT`
    throw badRequest('not-supported', message)
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
  refuseTransformedKeys(access, target)
  return { constraint: target, update: action === 'update' ? planUpdate(columns, update) : null }
}

/** A caller may name columns of keys, because it may name the keys. Other columns it must be allowed to write or read. */
function requireColumns({ table, insert, update, select }: TableAccess, names: readonly string[]): void {
  const keys = keysOf(table.catalog).flatMap(({ columns }) => columns)
  const known = [insert?.columns, update?.columns, select?.columns].flatMap((columns) => [...(columns ?? [])])
  const visible = new Set([...keys, ...known])
  for (const [i, name] of names.entries()) {
    if (visible.has(name)) continue
    const help = didYouMean(name, () => insert?.columns ?? [])
    throw badRequest('not-exists', `column "${name}" does not exist`, { path: [i], help })
  }
}

/** A key of a transformed column would tell which of its values are there, unless the role may compare them. */
function refuseTransformedKeys({ table, select }: TableAccess, target: OnConflict['constraint']): void {
  const keys = keysOf(table.catalog)
  const columnsOf = (name: string | null) =>
    keys.flatMap((key) => (name === null || key.name === name ? key.columns : []))
  const named = target === null || typeof target === 'string' ? columnsOf(target) : target
  const refused = named.map((name) => table.columns.get(name)).find((column) => column && !mayCompare(select, column))
  if (!refused) return
  const { name, transform } = refused
  throw badRequest(
    'not-supported',
    `the column "${name}" is transformed by "${transform!.name}" and is no conflict target`,
  )
}

function requireConstraint({ name, catalog }: TableModel, constraint: string): void {
  const found = keysOf(catalog).find((each) => each.name === constraint)
  const refusal = found ? conflictRefusal(catalog, found) : null
  if (refusal !== null) {
    throw badRequest('not-supported', `constraint "${constraint}" for table "${nameText(name)}" ${refusal}`)
  }
  if (found) return
  throw badRequest('unexpected', `constraint "${constraint}" for table "${nameText(name)}" does not exist`)
}

/** Null when there is nothing to set, and the row is left alone. */
function planUpdate(columns: readonly string[], update: UpdateAccess): ConflictUpdate | null {
  const refused = columns.find((name) => !update.columns.has(name))
  if (refused !== undefined) throw badRequest('validation-failed', `column "${refused}" is not updatable`)
  return columns.length + update.presets.size === 0 ? null : update.onConflict(columns, always)
}
