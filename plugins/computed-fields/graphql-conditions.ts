// Computed fields in `where` and `order_by`: scalars compare and order like columns, rows of a table like those of an array
// relationship. A role has those that it may select, as far as they need no arguments of the request.

import { onlyWhere, relatedCost, type SelectAccess } from '../../sdk/access.ts'
import type { InputFieldMap, PlanContext, SchemaScope, Value } from '../../sdk/graphql.ts'
import { type MemberValue, memberValue, type PgType, type TableModel } from '../../sdk/metadata.ts'
import { allOf, offersOrder, type SqlBuilder } from '../../sdk/sql.ts'
import {
  aggregateOrderByType,
  booleanExpressionType,
  directed,
  orderByEnum,
  planAggregateOrder,
  planBoolean,
  valueComparison,
} from '../tables/graphql.ts'

type Rows = Extract<MemberValue, { kind: 'rows' }>

/** A computed field that the role may use in conditions. */
type Usable = { readonly name: string } & (
  | { readonly kind: 'scalar'; readonly type: PgType; readonly value: SqlBuilder }
  | { readonly kind: 'rows'; readonly member: Rows; readonly target: TableModel; readonly rows: SelectAccess }
)

function usableFields(scope: SchemaScope, table: TableModel): Usable[] {
  const usable: Usable[] = []
  // A role that may change rows but not select them must not learn about values of them.
  const select = scope.access(table.name)?.select
  if (!select) return usable
  for (const field of table.fields.values()) {
    if (field.kind !== 'computed_field') continue
    const { name } = field
    const member = memberValue(field)
    if (member?.kind === 'scalar') {
      const mask = select.maskedFields.get(name)
      if (mask) usable.push({ name, ...member, value: onlyWhere(mask, member.value) })
      else if (select.computedFields.has(name)) usable.push({ name, ...member })
    } else if (member && select.reaches(member.table)) {
      const access = scope.access(member.table)
      if (access?.select && access.table.graphqlName !== null)
        usable.push({ kind: 'rows', name, member, target: access.table, rows: access.select })
    }
  }
  return usable
}

/** Contribution: comparisons of scalars, and conditions on returned rows, any of which must fulfil them. */
export function computedBooleanFields(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  for (const field of usableFields(scope, table)) {
    const { name } = field
    if (field.kind === 'scalar') {
      const { type, value } = field
      fields.set(name, () => {
        const { type: input, plan } = valueComparison(scope, { name, type, value })
        const boolean = (given: Value, context: PlanContext) => {
          // Its function may read as many rows as a relationship leads to.
          context.addCost(relatedCost, given.path)
          return plan(given)
        }
        return { type: input, extensions: { boolean } }
      })
      continue
    }
    const { member, target, rows } = field
    const boolean = (value: Value, context: PlanContext) => {
      context.addCost(relatedCost, value.path)
      return rows.related([], allOf([member.where, planBoolean(value, context)]), member.from)
    }
    fields.set(name, () => ({ type: booleanExpressionType(scope, target), extensions: { boolean } }))
  }
  return fields
}

/** Contribution: orders by scalars, and by aggregates of returned rows. */
export function computedOrderFields(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  for (const field of usableFields(scope, table)) {
    if (field.kind === 'scalar') {
      const { name, type, value: build } = field
      if (!offersOrder(type)) continue
      const ordered = {
        target: { kind: 'sql', build },
        value: { key: [name], type, nullable: true },
        column: null,
      } as const
      fields.set(name, () => ({
        type: orderByEnum(scope),
        extensions: {
          order: (value: Value, context: PlanContext) => {
            context.addCost(relatedCost, value.path)
            return [directed(value, ordered)]
          },
        },
      }))
      continue
    }
    const { member, target, name } = field
    // A single row has nothing to aggregate.
    if (member.where.kind !== 'true') continue
    const related = { field: `${name}_aggregate`, table: target, mapping: [], from: member.from }
    fields.set(related.field, () => ({
      type: aggregateOrderByType(scope, target),
      extensions: { order: (value: Value) => planAggregateOrder(scope, related, value) },
    }))
  }
  return fields
}
