// Conditions on aggregates of related rows in boolean expressions:
// `{"<relationship>_aggregate": {"count": {"filter": {...}, "predicate": {"_gt": 2}}}}`.

import { relatedCost } from '../../sdk/access.ts'
import { badRequest, parseFailed, within } from '../../sdk/index.ts'
import type { ColumnModel, RelationshipModel, TableModel } from '../../sdk/metadata.ts'
import { jsonType } from '../../sdk/services.ts'
import { allOf, always, type Condition, isOrdered, type Mapping } from '../../sdk/sql.ts'
import {
  type ComparableAggregate,
  comparableAggregates,
  compareAggregate,
  comparedType,
  comparedValue,
  isComparedBy,
  pairArguments,
} from '../tables/graphql.ts'
import { requireColumn, visibleColumns } from './columns.ts'
import { resolveValueComparisons } from './comparisons.ts'
import type { ExpressionContext, ReachedRows } from './expression-context.ts'
import { columnOperator, listItems, objectEntries } from './expression-syntax.ts'

const suffix = '_aggregate'

/** The array relationship whose rows a name of an expression aggregates; undefined if it is another name. */
export function aggregatedRelationship(name: string, { fields }: TableModel): RelationshipModel | undefined {
  if (!name.endsWith(suffix)) return undefined
  const field = fields.get(name.slice(0, -suffix.length))
  return field?.kind === 'relationship' && field.type === 'array' ? field : undefined
}

/** The name that aggregates the rows of a relationship. */
export const aggregateMember = (relationship: string): string => `${relationship}${suffix}`

/** Rows that are aggregated. */
interface Aggregated {
  readonly table: TableModel
  readonly rows: ReachedRows
  readonly mapping: Mapping
  /** The condition that a `filter` puts on them. */
  readonly filtered: (filter: unknown) => Condition
}

const unexpected = (message: string) => badRequest('unexpected-payload', message)

const objectExpected = (value: unknown) => `parsing Object failed, expected Object, but encountered ${jsonType(value)}`

/** The condition that an object of aggregates puts on the row that the aggregated rows are related to. */
export function resolveAggregates(value: unknown, of: Aggregated, context: ExpressionContext): Condition {
  const entries = objectEntries(value, objectExpected(value))
  context.reader?.cost.add(relatedCost * entries.length)
  return allOf(entries.map(([name, given]) => within(name, () => resolveAggregate(name, given, of, context))))
}

function resolveAggregate(name: string, value: unknown, of: Aggregated, context: ExpressionContext): Condition {
  const aggregate = comparableAggregates.find((each) => each.name === name) ?? null
  if (!aggregate && name !== 'count') throw unexpected(`unknown aggregate "${name}"`)
  const members = new Map(objectEntries(value, objectExpected(value)))
  for (const key of members.keys()) {
    if (!known.has(key)) throw unexpected(`unexpected key "${key}" in an aggregate`)
  }
  const { table } = of
  const isDistinct = readDistinct(members.get('distinct') ?? false)
  const columns = within('arguments', () => {
    const names = namesOf(members.get('arguments') ?? null, aggregate)
    return names.map((each) => argumentColumn(each, { aggregate, isDistinct, table }, context))
  })
  const filter = members.get('filter') ?? null
  const where = filter === null ? always : within('filter', () => of.filtered(filter))
  const predicate = members.get('predicate') ?? null
  if (predicate === null) throw parseFailed('key "predicate" not found')
  const subject = { name, type: comparedType(aggregate), value: comparedValue }
  const holds = within('predicate', () => {
    refuseColumns(predicate)
    return resolveValueComparisons(subject, predicate, table, context)
  })
  return compareAggregate({ ...of, where }, { aggregate, columns, isDistinct, holds })
}

const known = new Set(['arguments', 'distinct', 'filter', 'predicate'])

function readDistinct(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw parseFailed(`parsing Bool failed, expected Boolean, but encountered ${jsonType(value)}`)
}

/** The value of an aggregate belongs to no row, so there is no column beside it. */
function refuseColumns(predicate: unknown): void {
  if (typeof predicate !== 'object' || predicate === null) return
  const word = Object.keys(predicate).find((each) => columnOperator(each) !== undefined)
  if (word !== undefined) throw unexpected(`an aggregate cannot be compared with a column: ${word}`)
}

/** The names of the aggregated columns: of `count` a list, of an aggregate of two an object, else a text. */
function namesOf(given: unknown, aggregate: ComparableAggregate | null): readonly string[] {
  if (!aggregate) return given === null ? [] : [...new Set([listItems(given)].flat().map(columnName))]
  if (!aggregate.isOfTwo) return [columnName(given)]
  const pair = new Map(objectEntries(given, objectExpected(given)))
  return pairArguments.map((each) => within(each, () => columnName(pair.get(each) ?? null)))
}

function columnName(name: unknown): string {
  if (typeof name === 'string') return name
  throw parseFailed(`parsing Text failed, expected String, but encountered ${jsonType(name)}`)
}

interface Argument {
  readonly aggregate: ComparableAggregate | null
  readonly isDistinct: boolean
  readonly table: TableModel
}

function argumentColumn(name: string, { aggregate, isDistinct, table }: Argument, context: ExpressionContext): string {
  if (!table.columns.has(name)) context.reader?.checkUnknown(table, name)
  const hint = 'only columns can be aggregated'
  const column = requireColumn(table, name, {
    missing: `"${name}" does not exist`,
    hint,
    visible: visibleColumns(table, context),
  })
  context.reader?.checkColumn(table, name)
  refuseArgument(column, aggregate, isDistinct)
  context.depend({ kind: 'column', table: table.name, name }, 'on_type')
  return name
}

function refuseArgument(column: ColumnModel, aggregate: ComparableAggregate | null, isDistinct: boolean): void {
  const { name, type, transform } = column
  if (transform) throw unexpected(`the column "${name}" is transformed by "${transform.name}" and cannot be aggregated`)
  if (aggregate && !isComparedBy(aggregate, column)) {
    throw unexpected(`"${name}" has type '${type.name}' and cannot be an argument of "${aggregate.name}"`)
  }
  if (!aggregate && isDistinct && !isOrdered(type)) {
    throw unexpected(`"${name}" has type '${type.name}' and cannot be used in a distinct count`)
  }
}
