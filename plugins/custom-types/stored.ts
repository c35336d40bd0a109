// Selections from values that are stored as jsonb, such as the results of asynchronous actions. They are planned as a part of
// the statement that reads the value, so that subscriptions can follow them.

import { type GraphQLOutputType, getNullableType, isListType, isObjectType } from 'graphql'
import {
  type FieldSelection,
  type MemberPlanner,
  type PlanContext,
  planJoin,
  type ResolvedRowPlanner,
} from '../../sdk/graphql.ts'
import { builtInType } from '../../sdk/metadata.ts'
import { allRows, always, id, join, literal, type Output, type Rows, type Sql, sql, trusted } from '../../sdk/sql.ts'

/** The SQL of a jsonb value in a row. */
type JsonOf = (row: Sql) => Sql

/** The columns of generated rows: their value, and their position in the list. */
const value = id('value')
const place = 'place'

/** The output for a stored value of the field's type. */
export const planStored = (field: FieldSelection, context: PlanContext, jsonOf: JsonOf): Output =>
  planValue(field.definition!.type, { field, context }, jsonOf)

interface Planning {
  readonly field: FieldSelection
  readonly context: PlanContext
}

function planValue(type: GraphQLOutputType, planning: Planning, jsonOf: JsonOf): Output {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return planList(nullable.ofType, planning, jsonOf)
  if (!isObjectType(nullable)) return leaf(jsonOf)
  const entries = planning.field.fieldsOf(nullable).map((child) => {
    return { key: child.responseName, value: planMember(child, planning.context) }
  })
  return {
    kind: 'one',
    unique: true,
    select: { rows: valuesOf(jsonOf, 'object'), output: { kind: 'object', entries } },
  }
}

const leaf = (jsonOf: JsonOf): Output => ({
  kind: 'sql',
  columnsOnly: true,
  build: (row) => sql`coalesce(${jsonOf(row)}::text, 'null')`,
})

const rowValue: JsonOf = (row) => sql`${row}.${value}`

/** The value as a row, if it has that JSON type. The declared type may have changed since the value was stored. */
function valuesOf(jsonOf: JsonOf, type: 'object' | 'array'): Rows {
  const build = (outer: Sql) => {
    const given = jsonOf(outer)
    return sql`(select ${given} as ${value} where jsonb_typeof(${given}) = ${literal(type)})`
  }
  return { ...allRows, from: { kind: 'sql', build }, where: always }
}

/** A list's elements as rows. A value that is not a list gives null. */
function planList(item: GraphQLOutputType, planning: Planning, jsonOf: JsonOf): Output {
  const elements = (outer: Sql) => {
    // A second guard: PostgreSQL may read the elements before it evaluates the condition on the type.
    const given = rowValue(outer)
    const guarded = sql`case when jsonb_typeof(${given}) = ${literal('array')} then ${given} end`
    const list = sql`jsonb_array_elements(${guarded}) with ordinality`
    return sql`(select * from ${list} as ${id('items')} (${value}, ${id(place)}))`
  }
  const orderBy = [{ target: { kind: 'column', column: place }, direction: 'asc', nulls: 'last' } as const]
  const rows: Rows = { ...allRows, from: { kind: 'sql', build: elements }, where: always, orderBy }
  const many: Output = { kind: 'many', select: { rows, output: planValue(item, planning, rowValue) } }
  return { kind: 'one', unique: true, select: { rows: valuesOf(jsonOf, 'array'), output: many } }
}

function planMember(field: FieldSelection, context: PlanContext): Output {
  const { definition, name, parentType } = field
  if (definition === null) return { kind: 'json', text: JSON.stringify(parentType) }
  const { member } = definition.extensions
  if (member?.kind === 'relational') return planRelated(field, context, member)
  if (member) return planJoined(field, context, member)
  return planValue(definition.type, { field, context }, (row) => sql`(${rowValue(row)} -> ${literal(name)})`)
}

/** A relationship: its fields become columns of a generated row. */
function planRelated(
  field: FieldSelection,
  context: PlanContext,
  { needs, plan }: Extract<MemberPlanner, { kind: 'relational' }>,
): Output {
  const build = (outer: Sql) => {
    const columns = Object.entries(needs).map(([member, { sql: type }]) => {
      return sql`(${rowValue(outer)} ->> ${literal(member)})::${trusted(type)} as ${id(member)}`
    })
    return sql`(select ${columns.length > 0 ? join(columns) : sql`true`})`
  }
  const rows: Rows = { ...allRows, from: { kind: 'sql', build }, where: always }
  return { kind: 'one', unique: true, select: { rows, output: plan(field, context) } }
}

const json = builtInType('jsonb')

/** A field that another call answers: it is given the needed members as they were stored. */
function planJoined(field: FieldSelection, context: PlanContext, planner: ResolvedRowPlanner): Output {
  const output = planJoin(field, context, { planner, typeOf: () => json })
  const build = (outer: Sql) => {
    const columns = planner.needs.map((member) => sql`(${rowValue(outer)} -> ${literal(member)}) as ${id(member)}`)
    return sql`(select ${columns.length > 0 ? join(columns) : sql`true`})`
  }
  return {
    kind: 'one',
    unique: true,
    select: { rows: { ...allRows, from: { kind: 'sql', build }, where: always }, output },
  }
}
