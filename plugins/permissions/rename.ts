// Applies renames of columns, relationships and tables to permissions.

import { type QualifiedName, sameName } from '../../sdk/index.ts'
import { memberValue, type Rename, type TableModel } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { aggregatedRelationship, aggregateMember } from './aggregate-expression.ts'
import {
  type BooleanExpression,
  canonicalWord,
  columnOperator,
  columnReference,
  readExists,
} from './expression-syntax.ts'
import type { PermissionKind, Permissions } from './schema.ts'

/** The tables as they were before the rename. */
export type TableLookup = (name: QualifiedName) => TableModel | undefined

/** A permission's definition with the new name. */
export function renameInPermission<P extends Permissions[PermissionKind]>(
  permission: P,
  table: QualifiedName,
  rename: Rename,
  lookup: TableLookup,
): P {
  const renamesColumn = rename.kind === 'column' && sameName(rename.table, table)
  const column = (name: string) => (renamesColumn && name === rename.from ? rename.to : name)
  const members = Object.entries(permission).map(([key, value]): [string, unknown] => {
    if (key === 'filter' || key === 'check') {
      return [key, value && renameInExpression(value as BooleanExpression, table, rename, lookup)]
    }
    if (key === 'columns') return [key, Array.isArray(value) ? value.map(column) : value]
    if (key === 'set') return [key, renameKeys(value as object, column)]
    return [key, value]
  })
  return Object.fromEntries(members) as P
}

const renameKeys = (record: object, rename: (key: string) => string): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))

/** An expression on the rows of `table` with the new name. */
export function renameInExpression(
  expression: BooleanExpression,
  table: QualifiedName,
  rename: Rename,
  lookup: TableLookup,
): BooleanExpression {
  return renameMembers(expression, { table, rename, lookup, root: table })
}

/** The position of a member of an expression, and the rename. */
interface Place {
  readonly table: QualifiedName
  readonly rename: Rename
  readonly lookup: TableLookup
  /** The table of the rows that the whole expression filters. */
  readonly root: QualifiedName
}

const renameMembers = (expression: BooleanExpression, place: Place): BooleanExpression =>
  Object.fromEntries(Object.entries(expression).map(([key, value]) => renameEntry(key, value, place)))

function renameEntry(key: string, value: unknown, place: Place): [string, unknown] {
  const { table, rename } = place
  const inside = (expression: unknown, of: QualifiedName) =>
    renameMembers(expression as BooleanExpression, { ...place, table: of })
  switch (canonicalWord(key)) {
    case '_and':
    case '_or':
      return [key, (value as unknown[]).map((item) => inside(item, table))]
    case '_not':
      return [key, inside(value, table)]
    case '_exists': {
      const exists = readExists(value)
      return [key, { _table: renameTable(exists.table, rename), _where: inside(exists.where, exists.table) }]
    }
    default:
      return renameMember(key, value, place)
  }
}

const renameTable = (name: QualifiedName, rename: Rename): QualifiedName =>
  rename.kind === 'table' && sameName(rename.from, name) ? rename.to : name

function renameMember(key: string, value: unknown, place: Place): [string, unknown] {
  const { table, rename, lookup, root } = place
  const isHere = rename.kind !== 'table' && sameName(rename.table, table)
  const name = isHere && key === rename.from ? rename.to : key
  if (!isJsonObject(value)) return [name, value]
  const model = lookup(table)
  const field = model?.columns.has(key) ? undefined : model?.fields.get(key)
  if (field?.kind === 'relationship') {
    return [name, renameMembers(value, { ...place, table: field.target })]
  }
  const aggregated = field || !model ? undefined : aggregatedRelationship(key, model)
  if (aggregated) {
    const isRenamed = isHere && rename.kind === 'relationship' && aggregated.name === rename.from
    const { target } = aggregated
    return [isRenamed ? aggregateMember(rename.to) : key, renameAggregates(value, { ...place, table: target })]
  }
  const member = field ? memberValue(field) : null
  if (member?.kind === 'rows') return [name, renameMembers(value, { ...place, table: member.table })]
  if (rename.kind !== 'column') return [name, value]
  return [name, renameOperands(value, { ...rename, isHere, isOfRoot: sameName(rename.table, root) })]
}

/** Aggregates of the rows of a table with the new name. */
function renameAggregates(aggregates: Readonly<Record<string, unknown>>, place: Place): object {
  const { table, rename } = place
  const isHere = rename.kind === 'column' && sameName(rename.table, table)
  const column = (name: unknown) => (isHere && name === rename.from ? rename.to : name)
  const renamed = ([key, value]: [string, unknown]): [string, unknown] => {
    if (key === 'filter' && isJsonObject(value)) return [key, renameMembers(value, place)]
    if (key !== 'arguments') return [key, value]
    if (Array.isArray(value)) return [key, value.map(column)]
    if (!isJsonObject(value)) return [key, column(value)]
    return [key, Object.fromEntries(Object.entries(value).map(([each, name]) => [each, column(name)]))]
  }
  const operators = Object.entries(aggregates).map(([name, operator]) => {
    return [name, isJsonObject(operator) ? Object.fromEntries(Object.entries(operator).map(renamed)) : operator]
  })
  return Object.fromEntries(operators)
}

/** A renamed column, and whether the current row, or the whole expression's row, is of its table. */
interface ColumnRename {
  readonly from: string
  readonly to: string
  readonly isHere: boolean
  readonly isOfRoot: boolean
}

function renameReference(operand: unknown, { from, to, isHere, isOfRoot }: ColumnRename): unknown {
  const reference = columnReference(operand)
  if (reference?.name !== from) return operand
  if (reference.ofRoot) return isOfRoot ? ['$', to] : operand
  return isHere ? to : operand
}

/** A column's comparisons, with the new name of the columns that they compare it with. */
const renameOperands = (comparisons: object, rename: ColumnRename): object =>
  Object.fromEntries(
    Object.entries(comparisons).map(([word, operand]) => {
      if (columnOperator(word) !== undefined) return [word, renameReference(operand, rename)]
      if (canonicalWord(word) !== '_cast') return [word, operand]
      const casts = Object.entries(operand as object).map(([type, inside]) => [type, renameOperands(inside, rename)])
      return [word, Object.fromEntries(casts)]
    }),
  )
