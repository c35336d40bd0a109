// Relationships in GraphQL: nested objects and arrays, predicates on related rows, ordering by them. A relationship shows
// only to roles that may select from its target, and everything read through it passes the target's select filter.

import { GraphQLNonNull } from 'graphql'
import { relatedCost, type SelectAccess } from '../../sdk/access.ts'
import {
  type Contribution,
  type FieldMap,
  type InputFieldMap,
  type OrderElement,
  type PlanContext,
  perTable,
  type SchemaScope,
  type Value,
} from '../../sdk/graphql.ts'
import { isGraphQLName } from '../../sdk/index.ts'
import { memberValue, type RelationshipModel, type TableModel } from '../../sdk/metadata.ts'
import { type Condition, offersOrder } from '../../sdk/sql.ts'
import {
  aggregateOrderByType,
  aggregatePredicateType,
  aggregateType,
  booleanExpressionType,
  columnOrders,
  orderByType,
  planAggregate,
  planAggregateOrder,
  planAggregatePredicate,
  planBoolean,
  planOrder,
  planRow,
  planRows,
  relatedValue,
  rowList,
  rowType,
  selectArguments,
} from '../tables/graphql.ts'
import { relationshipInsertFields } from './graphql-insert.ts'

/** A relationship that the role can use, with its target. */
interface Visible {
  readonly relationship: RelationshipModel
  readonly target: TableModel
  readonly rows: SelectAccess
}

/** The relationships of a table whose target the role may select from. */
export const visibleRelationships = perTable((scope, table): readonly Visible[] => {
  const visible: Visible[] = []
  const select = scope.access(table.name)?.select
  for (const field of table.fields.values()) {
    if (field.kind !== 'relationship' || !isGraphQLName(field.name)) continue
    const relationship = select ? select.followed(field) : field
    if (!relationship) continue
    const access = scope.access(relationship.target)
    if (!access?.select || access.table.graphqlName === null) continue
    visible.push({ relationship, target: access.table, rows: access.select })
  }
  return visible
})

/** Contribution: nested objects, arrays and aggregates. */
export function relationshipFields(scope: SchemaScope, table: TableModel): FieldMap {
  const fields = new Map()
  for (const visible of visibleRelationships(scope, table)) {
    const { relationship, rows } = visible
    if (relationship.type === 'object') {
      fields.set(relationship.name, () => objectField(scope, visible))
      continue
    }
    fields.set(relationship.name, () => arrayField(scope, visible))
    if (rows.allowAggregations) {
      fields.set(`${relationship.name}_aggregate`, () => aggregateField(scope, visible))
    }
  }
  return fields
}

type Field = ReturnType<FieldMap extends ReadonlyMap<string, infer F> ? Extract<F, () => unknown> : never>

function objectField(scope: SchemaScope, { relationship, target, rows: access }: Visible): Field {
  const type = rowType(scope, target)
  const { mapping, unique } = relationship
  return {
    type: relationship.required ? new GraphQLNonNull(type) : type,
    description: relationship.comment ?? 'An object relationship',
    extensions: {
      row: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = access.row({ mapping })
          return { kind: 'one', unique, select: { rows, output: planRow(field, context, target) } }
        },
      },
    },
  }
}

function arrayField(scope: SchemaScope, { relationship, target }: Visible): Field {
  const { mapping } = relationship
  return {
    type: rowList(scope, target),
    description: relationship.comment ?? 'An array relationship',
    args: selectArguments(scope, target),
    extensions: {
      row: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = planRows(field, context, target, { mapping })
          return { kind: 'many', select: { rows, output: planRow(field, context, target) } }
        },
      },
    },
  }
}

function aggregateField(scope: SchemaScope, { relationship, target }: Visible): Field {
  const { mapping } = relationship
  return {
    type: new GraphQLNonNull(aggregateType(scope, target)),
    description: relationship.comment ?? 'An aggregate relationship',
    args: selectArguments(scope, target),
    extensions: {
      row: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = planRows(field, context, target, { mapping })
          return { kind: 'aggregate', select: { rows, output: planAggregate(field, context, target) } }
        },
      },
    },
  }
}

/** Contribution: `T_bool_exp` members that ask for a related row. */
export function relationshipPredicates(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  // A role that may change rows but not select them must not learn about the rows that they lead to.
  if (!scope.access(table.name)?.select) return fields
  for (const { relationship, target, rows } of visibleRelationships(scope, table)) {
    const predicate = (value: Value, context: PlanContext): Condition => {
      context.addCost(relatedCost, value.path)
      return rows.related(relationship.mapping, planBoolean(value, context))
    }
    fields.set(relationship.name, () => ({
      type: booleanExpressionType(scope, target),
      extensions: { relationship: relationship.name, boolean: predicate },
    }))
  }
  return fields
}

/** Contribution: `T_bool_exp` members that ask for aggregates of related rows. */
export function aggregatePredicates(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  if (!scope.access(table.name)?.select) return fields
  for (const { relationship, target, rows } of visibleRelationships(scope, table)) {
    if (relationship.type !== 'array' || !rows.allowAggregations) continue
    const name = `${relationship.name}_aggregate`
    // A member of that name keeps it.
    if (table.fields.has(name)) continue
    const aggregated = (value: Value, context: PlanContext): Condition =>
      planAggregatePredicate(value, context, { table: target, rows, mapping: relationship.mapping })
    fields.set(name, () => ({
      type: aggregatePredicateType(scope, target),
      extensions: { relationship: relationship.name, boolean: aggregated },
    }))
  }
  return fields
}

/** Contribution: `T_order_by` members that order by a related row, or by an aggregate over related rows. */
export function relationshipOrders(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  for (const visible of visibleRelationships(scope, table)) {
    const { relationship, target } = visible
    if (relationship.type === 'object') {
      if (!isOrderable(scope, target)) continue
      fields.set(relationship.name, () => ({
        type: orderByType(scope, target),
        extensions: { order: (value: Value, context: PlanContext) => planRelatedOrder(visible, value, context) },
      }))
    } else {
      const field = `${relationship.name}_aggregate`
      const related = { field, table: target, mapping: relationship.mapping }
      fields.set(field, () => ({
        type: aggregateOrderByType(scope, target),
        extensions: { order: (value: Value) => planAggregateOrder(scope, related, value) },
      }))
    }
  }
  return fields
}

/** Whether the role sees a member that is not a column, but has a value to order by: a computed field. */
function hasOrderedMember(scope: SchemaScope, table: TableModel): boolean {
  const select = scope.access(table.name)?.select
  if (!select) return false
  return [...table.fields.values()].some((field) => {
    const member = memberValue(field)
    const isSeen = select.computedFields.has(field.name) || select.maskedFields.has(field.name)
    return member?.kind === 'scalar' && isSeen && offersOrder(member.type)
  })
}

/** Whether a table has anything to order by: of its own, or through to-one relationships, which may lead in circles. */
function isOrderable(scope: SchemaScope, table: TableModel, seen = new Set<TableModel>()): boolean {
  if (seen.has(table)) return false
  seen.add(table)
  if (columnOrders(scope, table).size > 0 || hasOrderedMember(scope, table)) return true
  const visible = visibleRelationships(scope, table)
  return visible.some(({ relationship, target }) => relationship.type === 'array' || isOrderable(scope, target, seen))
}

function planRelatedOrder(
  { relationship, rows }: Visible,
  value: Value,
  context: PlanContext,
): readonly OrderElement[] {
  const { mapping, unique } = relationship
  context.addCost(relatedCost, value.path)
  return planOrder(value, context).map(({ target: of, value: ordered, direction, nulls }) => {
    return {
      target: rows.orderByRelated({ mapping, unique, of }),
      value: relatedValue(relationship.name, ordered),
      direction,
      nulls,
      column: null,
    }
  })
}

/** Aggregates of related rows as predicates. */
export const aggregatePredicateContribution: Contribution = {
  name: 'aggregates of related rows',
  booleanFields: aggregatePredicates,
}

/** Relationships as nested objects and arrays, predicates and orderings. */
export const relationshipContribution: Contribution = {
  name: 'relationships',
  rowFields: relationshipFields,
  booleanFields: relationshipPredicates,
  orderFields: relationshipOrders,
  insertFields: relationshipInsertFields,
}
