// `T_order_by`, `T_aggregate_order_by` and the enum of directions.

import { GraphQLEnumType, type GraphQLInputFieldConfig, type GraphQLInputObjectType, GraphQLNonNull } from 'graphql'
import { maskedValue, relatedCost } from '../../../../sdk/access.ts'
import {
  columnType,
  declaredField,
  type InputFieldMap,
  type OrderElement,
  type OrderedValue,
  type PlanContext,
  perTable,
  type SchemaScope,
  shared,
  tableInput,
  type Value,
} from '../../../../sdk/graphql.ts'
import { nameKey, nameText, type QualifiedName, sameName } from '../../../../sdk/index.ts'
import { builtInType, type ColumnModel, type Model, type TableModel } from '../../../../sdk/metadata.ts'
import { type Mapping, offersOrder, type SqlBuilder } from '../../../../sdk/sql.ts'
import { selectableColumns } from '../row-type.ts'
import {
  aggregatedType,
  aggregateSchema,
  columnsOf,
  isExtreme,
  numericAggregates,
  takenAs,
} from './aggregate-columns.ts'

const directions = {
  asc: ['asc', 'last', 'in ascending order, nulls last'],
  asc_nulls_first: ['asc', 'first', 'in ascending order, nulls first'],
  asc_nulls_last: ['asc', 'last', 'in ascending order, nulls last'],
  desc: ['desc', 'first', 'in descending order, nulls first'],
  desc_nulls_first: ['desc', 'first', 'in descending order, nulls first'],
  desc_nulls_last: ['desc', 'last', 'in descending order, nulls last'],
} as const

type Direction = keyof typeof directions

/** `enum order_by`. */
export function orderByEnum(scope: SchemaScope): GraphQLEnumType {
  return scope.generatedType('order_by', () => {
    const values = Object.entries(directions).map(([name, [, , description]]) => [name, { description }])
    const description = 'column ordering options'
    return new GraphQLEnumType({ name: 'order_by', description, values: Object.fromEntries(values) })
  })
}

/** `T_order_by`. */
export const orderByType = tableInput({
  name: (table) => `${table.graphqlName}_order_by`,
  description: ({ name }) => `Ordering options when selecting data from "${nameText(name)}".`,
  fields: (table, scope) => scope.orderFields(table),
})

/** Everything that one `T_order_by` object orders by, in the order written. */
export function planOrder(value: Value, context: PlanContext): readonly OrderElement[] {
  const elements: OrderElement[] = []
  const type = value.type instanceof GraphQLNonNull ? value.type.ofType : value.type
  const fields = (type as GraphQLInputObjectType).getFields()
  for (const [name, member] of value.members(1)) {
    if (member.isNull) continue
    elements.push(...declaredField(fields, name)!.extensions.order!(member, context))
  }
  return elements
}

/** An element in the direction that an `order_by` value names. */
export function directed(value: Value, ordered: Omit<OrderElement, 'direction' | 'nulls'>): OrderElement {
  const [direction, nulls] = directions[value.enumValue() as Direction]
  return { ...ordered, direction, nulls }
}

/** A column of the row at hand as something to order by. */
export const orderedColumn = ({ name, type, nullable }: ColumnModel): Omit<OrderElement, 'direction' | 'nulls'> => ({
  target: { kind: 'column', column: name },
  value: { key: [name], type, nullable },
  column: name,
})

/** The value of a related row, or of related rows, under the name of the field that leads there. */
export const relatedValue = (field: string, { key, type }: OrderedValue): OrderedValue => ({
  key: [field, ...key],
  type,
  nullable: true,
})

/** The selectable columns that rows can be ordered by, by GraphQL name. */
export const orderableColumns = perTable(
  (scope, table): ReadonlyMap<string, ColumnModel> =>
    new Map([...selectableColumns(scope, table)].filter(([, { type }]) => offersOrder(type))),
)

/** Contribution: an ordering for each column that has one. */
export function columnOrders(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map()
  const type = orderByEnum(scope)
  for (const [name, column] of orderableColumns(scope, table)) {
    fields.set(name, () => ({
      type,
      extensions: {
        column: column.name,
        order: (value: Value) => [directed(value, orderedColumn(column))],
      },
    }))
  }
  for (const seen of scope.access(table.name)?.select?.transformed.values() ?? []) {
    const { field, name } = seen.column
    const build = maskedValue(seen)
    if (field === null || !build || !offersOrder(seen.column.type) || !columnType(scope, seen.column)) continue
    const ordered = {
      target: { kind: 'sql', build },
      value: { key: [name], type: seen.column.type, nullable: true },
      column: null,
    } as const
    fields.set(field, () => ({
      type,
      extensions: { order: (value: Value) => [directed(value, ordered)] },
    }))
  }
  return fields
}

/** The related rows, as ordering by an aggregate needs them. */
export interface RelatedRows {
  /** The field that orders by them. */
  readonly field: string
  readonly table: TableModel
  readonly mapping: Mapping
  /** Another source of the rows. */
  readonly from?: SqlBuilder
}

/** `R_aggregate_order_by`. */
export const aggregateOrderByType = tableInput({
  name: (table) => `${table.graphqlName}_aggregate_order_by`,
  description: ({ name }) => `order by aggregate values of table "${nameText(name)}"`,
  fields: (table, scope) => {
    const fields: Record<string, GraphQLInputFieldConfig> = { count: { type: orderByEnum(scope) } }
    for (const [operator, type] of operatorOrderByTypes) {
      if (columnsOf(scope, table, operator).size > 0) fields[operator] = { type: type(scope, table) }
    }
    return fields
  },
})

/** Several operators share their members. */
const operatorOrders = (operator: string) =>
  perTable((scope, table): Readonly<Record<string, GraphQLInputFieldConfig>> => {
    const type = orderByEnum(scope)
    const members = [...columnsOf(scope, table, operator)].map(([field, column]) => {
      return [field, { type, extensions: { column: column.name } }]
    })
    return shared(Object.fromEntries(members))
  })

const extremeOrders = operatorOrders('max')
const numericOrders = operatorOrders('sum')

const operatorOrderByType = (operator: string) => {
  const orders = isExtreme(operator) ? extremeOrders : numericOrders
  return tableInput({
    name: (table, { model }) => operatorOrderByName(model, table, operator),
    description: ({ name }) => `order by ${operator}() on columns of table "${nameText(name)}"`,
    fields: (table, scope) => orders(scope, table),
  })
}

const orderedAggregates = ['max', 'min', ...numericAggregates]

/** `R_<op>_order_by` by the operator. */
const operatorOrderByTypes = orderedAggregates.map((operator) => [operator, operatorOrderByType(operator)] as const)

const likeAggregates = new WeakMap<Model['tables'], ReadonlyMap<string, TableModel>>()

/** The tables whose names end like an aggregate, by the keys of their names: they are few. */
function tablesLikeAggregates({ tables }: Pick<Model, 'tables'>): ReadonlyMap<string, TableModel> {
  const known = likeAggregates.get(tables)
  if (known) return known
  const found = new Map([...tables].filter(([, { name }]) => mayTakeOrderByName(name)))
  likeAggregates.set(tables, found)
  return found
}

/** `R_<op>_order_by`, unless a table `R_<op>` has rows that are ordered by an input of this name. */
function operatorOrderByName(model: Model, { name, graphqlName }: TableModel, operator: string): string {
  const other = tablesLikeAggregates(model).get(nameKey({ schema: name.schema, name: `${name.name}_${operator}` }))
  const isTaken = other?.graphqlName === `${graphqlName}_${operator}`
  return isTaken ? `${graphqlName}_aggregate_${operator}_order_by` : `${graphqlName}_${operator}_order_by`
}

/** Whether a table's name ends like an aggregate, so that {@link takenOrderByName} depends on other tables. */
export const mayTakeOrderByName = ({ name }: QualifiedName): boolean =>
  orderedAggregates.some((each) => name.endsWith(`_${each}`))

/** The input by which rows of another table are ordered, whose name a table takes when it gets this one; null: none. */
export function takenOrderByName({ tables }: Pick<Model, 'tables'>, table: QualifiedName, name: string): string | null {
  const operator = orderedAggregates.find((each) => table.name.endsWith(`_${each}`))
  if (operator === undefined) return null
  const other = tables.get(nameKey({ schema: table.schema, name: table.name.slice(0, -operator.length - 1) }))
  if (!other || name !== `${other.graphqlName}_${operator}`) return null
  const leadsThere = ({ fields }: TableModel) =>
    [...fields.values()].some((field) => {
      return field.kind === 'relationship' && field.type === 'array' && sameName(field.target, other.name)
    })
  return [...tables.values()].some(leadsThere) ? `${name}_order_by` : null
}

/** The order that an `R_aggregate_order_by` value asks for, over all related rows that the role may see. */
export function planAggregateOrder(scope: SchemaScope, related: RelatedRows, value: Value): readonly OrderElement[] {
  const { field: relation, table, mapping, from } = related
  const rows = scope.access(table.name)!.select!
  const ordered = (operator: string, column: ColumnModel | null): Omit<OrderElement, 'direction' | 'nulls'> => {
    const taken = column && takenAs(operator, column)
    const schema = column ? aggregateSchema(operator, column) : undefined
    const type = column ? aggregatedType(operator, column) : builtInType('int8')
    const key = column ? [operator, column.name] : [operator]
    return {
      target: rows.orderByAggregate({
        ...{ mapping, operator, column: column?.name ?? null, takenAs: taken, schema },
        ...(from && { from }),
      }),
      value: relatedValue(relation, { key, type, nullable: true }),
      column: null,
    }
  }
  return [...value.members(relatedCost)].flatMap(([operator, member]) => {
    if (operator === 'count') return member.isNull ? [] : [directed(member, ordered('count', null))]
    if (member.isNull) throw member.mismatch('an object')
    const columns = columnsOf(scope, table, operator)
    return [...member.members(relatedCost)]
      .filter(([, direction]) => !direction.isNull)
      .map(([field, direction]) => directed(direction, ordered(operator, columns.get(field)!)))
  })
}
