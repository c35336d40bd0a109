// Resolves boolean expressions of permissions: JSON and a table become a condition. All names in it exist, all literals are
// in PostgreSQL's syntax, and its dependencies are recorded.

import { relatedCost } from '../../sdk/access.ts'
import { badRequest, didYouMean, nameText, parseFailed, type QualifiedName, within } from '../../sdk/index.ts'
import { type MemberValue, memberValue, type RelationshipModel, type TableModel } from '../../sdk/metadata.ts'
import { isDeeper } from '../../sdk/services.ts'
import { allOf, type Condition } from '../../sdk/sql.ts'
import { aggregatedRelationship, resolveAggregates } from './aggregate-expression.ts'
import { visibleColumns } from './columns.ts'
import { resolveComparisons, resolveValueComparisons } from './comparisons.ts'
import type { ExpressionContext, ReachedRows } from './expression-context.ts'
import { canonicalWord, listItems, objectEntries, readExists } from './expression-syntax.ts'

/** The deepest expression that is accepted: deeper ones are mistakes, and PostgreSQL's stack is limited. */
const maxDepth = 200

/** The condition that an expression puts on the rows of a table; throws with a path relative to the expression. */
export function resolveExpression(expression: unknown, table: TableModel, context: ExpressionContext): Condition {
  if (isDeeper(expression, maxDepth))
    throw parseFailed(`a boolean expression is nested at most ${maxDepth} levels deep`)
  if (context.reader) return resolveMembers(expression, table, context)
  const root = { table, isUsed: false }
  const of = resolveMembers(expression, table, withRoot(root, context))
  return root.isUsed ? { kind: 'rooted', of } : of
}

const withRoot = (root: NonNullable<ExpressionContext['root']>, context: ExpressionContext): ExpressionContext => ({
  table: (name) => context.table(name),
  depend: (on, reason) => context.depend(on, reason),
  dialect: context.dialect,
  root,
})

function resolveMembers(expression: unknown, table: TableModel, context: ExpressionContext): Condition {
  const entries = objectEntries(expression, 'expecting an Object for boolean exp')
  context.reader?.cost.add(entries.length)
  return allOf(entries.map(([key, value]) => within(key, () => resolveEntry(key, value, table, context))))
}

function resolveEntry(key: string, value: unknown, table: TableModel, context: ExpressionContext): Condition {
  switch (canonicalWord(key)) {
    case '_and':
      return allOf(resolveList(value, table, context))
    case '_or':
      return anyOf(resolveList(value, table, context))
    case '_not':
      return { kind: 'not', of: resolveMembers(value, table, context) }
    case '_exists':
      return resolveExists(value, context)
    default:
      return resolveField(key, value, table, context)
  }
}

function resolveList(value: unknown, table: TableModel, context: ExpressionContext): Condition[] {
  const items = listItems(value)
  context.reader?.cost.add(items.length)
  return items.map((item, i) => within(i, () => resolveMembers(item, table, context)))
}

function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { kind: 'false' }
  return conditions.length === 1 ? conditions[0]! : { kind: 'or', of: conditions }
}

function resolveExists(value: unknown, context: ExpressionContext): Condition {
  const { table: name, where } = readExists(value)
  const table = within('_table', () => existingTable(name, context))
  const rows = within('_table', () => reach(table, null, context))
  context.reader?.cost.add(relatedCost)
  context.depend({ kind: 'table', table: name }, 'remote_table')
  const condition = within('_where', () => resolveMembers(where, table, context))
  return rows.exists(condition)
}

const reach = (table: TableModel, relationship: string | null, { reader }: ExpressionContext): ReachedRows =>
  reader?.reach(table, relationship) ?? allRowsOf(table)

/** For permissions, whose authors see all rows; row filters of plugins apply where roles get access. */
const allRowsOf = ({ name: table }: TableModel): ReachedRows => ({
  related: (mapping, where, from) => ({ kind: 'related', table, mapping, where, ...(from && { from }) }),
  exists: (where) => ({ kind: 'exists', table, where }),
  aggregate: (compared) => ({ ...compared, kind: 'aggregate', table }),
  allowAggregations: true,
})

function existingTable(name: QualifiedName, context: ExpressionContext): TableModel {
  const table = context.table(name)
  if (!table) throw badRequest('not-exists', `table "${nameText(name)}" does not exist`)
  return table
}

/** The condition on a computed field: on its value, or on any of its rows. */
function resolveMember(
  name: string,
  member: MemberValue,
  value: unknown,
  { table, context }: { readonly table: TableModel; readonly context: ExpressionContext },
): Condition {
  context.reader?.checkMember(table, name)
  context.depend({ kind: 'computed field', table: table.name, name }, 'on_type')
  context.reader?.cost.add(relatedCost)
  if (member.kind === 'scalar') return resolveValueComparisons({ name, ...member }, value, table, context)
  const returned = existingTable(member.table, context)
  const rows = reach(returned, name, context)
  return rows.related([], allOf([member.where, resolveMembers(value, returned, context)]), member.from)
}

/** Why a member of a row that is neither a column nor a relationship cannot be used in an expression. */
const refusals: Readonly<Record<string, string>> = {
  computed_field: 'computed fields that take arguments can not be part of the where clause',
  remote_relationship: 'remote field unsupported',
}

function resolveField(name: string, value: unknown, table: TableModel, context: ExpressionContext): Condition {
  const column = table.columns.get(name)
  if (column) {
    context.reader?.checkColumn(table, name)
    return resolveComparisons(column, value, table, context)
  }
  const field = table.fields.get(name)
  // Expressions of permissions use database names, which may differ from GraphQL names.
  if (!field || field.kind === 'column') {
    const aggregated = resolveAggregated(name, value, table, context)
    if (aggregated) return aggregated
    context.reader?.checkUnknown(table, name)
    const help = didYouMean(name, () => [...visibleColumns(table, context), ...visibleRelationships(table, context)])
    throw badRequest('not-exists', `"${name}" does not exist`, { help })
  }
  if (field.kind === 'relationship') return resolveRelated(field, value, table, context)
  const member = memberValue(field)
  if (member) return resolveMember(name, member, value, { table, context })
  throw badRequest('unexpected-payload', refusals[(field as { kind: string }).kind] ?? `"${name}" is not a column`)
}

/** Relationships that an error may suggest: only for permissions, whose authors see all. */
const visibleRelationships = ({ fields }: TableModel, { reader }: ExpressionContext): string[] =>
  reader ? [] : [...fields].filter(([, { kind }]) => kind === 'relationship').map(([name]) => name)

/** The condition on aggregates of related rows; null if the name means something else, or if they may not be aggregated. */
function resolveAggregated(
  name: string,
  value: unknown,
  table: TableModel,
  context: ExpressionContext,
): Condition | null {
  const relationship = aggregatedRelationship(name, table)
  if (!relationship) return null
  const related = existingTable(relationship.target, context)
  const rows = reach(related, relationship.name, context)
  if (!rows.allowAggregations) return null
  context.depend({ kind: 'relationship', table: table.name, name: relationship.name }, 'on_type')
  const { mapping } = relationship
  const filtered = (filter: unknown) => resolveMembers(filter, related, context)
  return resolveAggregates(value, { table: related, rows, mapping, filtered }, context)
}

function resolveRelated(
  relationship: RelationshipModel,
  value: unknown,
  table: TableModel,
  context: ExpressionContext,
): Condition {
  const { name, target, mapping } = relationship
  context.depend({ kind: 'relationship', table: table.name, name }, 'on_type')
  const related = existingTable(target, context)
  const rows = reach(related, name, context)
  context.reader?.cost.add(relatedCost)
  return rows.related(mapping, resolveMembers(value, related, context))
}
