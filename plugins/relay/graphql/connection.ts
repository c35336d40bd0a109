// The plan of a connection: the order and the page of its arguments, and its selection.

import type { FieldSelection, OrderElement, PlanContext } from '../../../sdk/graphql.ts'
import { pathKeys, validationFailed } from '../../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../../sdk/metadata.ts'
import type { Rows } from '../../../sdk/sql.ts'
import { orderedColumn, planMembers, planOrderBy, readLimit } from '../../tables/graphql.ts'
import type { Connection, ConnectionOutput, EdgeOutput, Entry, PageInfoOutput } from './connection-sql.ts'
import { cursorCodec } from './cursor.ts'
import { nodeKey } from './node-id.ts'

/** The plan of a field whose type is `TConnection`, over the rows of its base set. */
export function planConnection(
  field: FieldSelection,
  context: PlanContext,
  { table, rows }: { readonly table: TableModel; readonly rows: Rows },
): Connection {
  const first = field.argument('first')
  const last = field.argument('last')
  if (first && last) throw atOnce(field, '"first" and "last"')
  const size = readLimit(first ?? last)
  const ofTable = totalOrder(planOrderBy(field, context), nodeKey(context.schema, table)!)
  const order = rows.from.kind === 'table' ? ofTable : ofTable.map(mayBeNull)
  const cursor = planCursor(field, order)
  const entries = entriesOf(field, (member) => planMember(member, context, table))
  return { table: table.name, rows, order, cursor, size, fromEnd: last !== undefined, entries }
}

const atOnce = (field: FieldSelection, both: string) =>
  validationFailed(`${both} are not allowed at once`, pathKeys(field.argumentsPath))

/** In rows that a function makes, columns that are declared NOT NULL may be null all the same. */
const mayBeNull = (element: OrderElement): OrderElement => ({ ...element, value: { ...element.value, nullable: true } })

/** The order asked for, each value once, and then the key. */
function totalOrder(given: readonly OrderElement[], key: readonly ColumnModel[]): readonly OrderElement[] {
  const byKey = key.map((column) => ({ ...orderedColumn(column), direction: 'asc', nulls: 'last' }) as const)
  const order = new Map<string, OrderElement>()
  for (const element of [...given, ...byKey]) {
    const name = JSON.stringify(element.value.key)
    if (!order.has(name)) order.set(name, element)
  }
  return [...order.values()]
}

function planCursor(field: FieldSelection, order: readonly OrderElement[]): Connection['cursor'] {
  const after = field.argument('after')
  const before = field.argument('before')
  if (after && before) throw atOnce(field, '"after" and "before"')
  const given = after ?? before
  if (!given) return null
  const side = after ? 'after' : 'before'
  const values = order.map(({ value }) => value)
  const operand = given.param(cursorCodec(side, values), 'text[]', field.argumentsPath)
  if (operand.kind !== 'param') throw new Error('a cursor is a parameter')
  return { side, source: operand.source }
}

/** The fields that are selected of an object; `__typename` is known. */
function entriesOf<Value>(
  field: FieldSelection,
  plan: (member: FieldSelection) => Value,
): Entry<Value | { readonly kind: 'json'; readonly text: string }>[] {
  return field.fields().map((member) => {
    const isTypename = member.definition === null
    const value = isTypename ? { kind: 'json' as const, text: JSON.stringify(member.parentType) } : plan(member)
    return { key: member.responseName, value }
  })
}

function planMember(member: FieldSelection, context: PlanContext, table: TableModel): ConnectionOutput {
  if (member.name === 'pageInfo') {
    const entries = entriesOf(member, ({ name }) => ({ kind: name }) as PageInfoOutput)
    return { kind: 'pageInfo', entries }
  }
  const entries = entriesOf<EdgeOutput>(member, (part) => {
    if (part.name === 'cursor') return { kind: 'cursor' }
    return { kind: 'node', output: planMembers(part.fields(), context, table) }
  })
  return { kind: 'edges', entries }
}
