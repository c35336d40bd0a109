// A world with a table for every type, and comparisons with every operator. One comparison is in a request, with
// literals and variables; one is in a role's filter, with literals and session variables. Every order and aggregate of
// the type is included as well.

import { appliesTo, numericOperators } from './aggregates.ts'
import { holds } from './conditions.ts'
import { columnOperators, valueOperatorsOf } from './coverage.ts'
import type { Draw } from './draw.ts'
import type { Comparison, Expression, Leaf } from './expressions.ts'
import { directions } from './generate-arguments.ts'
import { drawComparisonWith, type Lifted, valuesOf } from './generate-expressions.ts'
import { drawSessionComparison, type Session } from './generate-filters.ts'
import { colourTable } from './generate-tables.ts'
import { isLiteral } from './inputs.ts'
import type { Arguments, Call, Request, Root } from './request.ts'
import { columnTypes, type TypeName, typeNames } from './types.ts'
import {
  type Column,
  displayName,
  type Role,
  type Row,
  type SelectPermission,
  type Stored,
  type Table,
  type World,
} from './world.ts'

export interface OperatorCase {
  readonly world: World
  readonly requests: readonly Request[]
}

export function drawOperatorCase(draw: Draw): OperatorCase {
  const bare = drawTypeWorld(draw)
  const { tables } = bare
  const roles = new Map<string, { readonly selects: SelectPermission[]; session: Session }>()
  /** Requests of the administrator by type, those of roles by role. */
  const requests = new Map<string, Request>()
  const ask = (name: string, role: string | null, root: Root) => {
    const asked = requests.get(name)?.roots ?? []
    requests.set(name, {
      role,
      root: 'query',
      stored: false,
      roots: [...asked, { ...root, alias: `root${asked.length}` }],
    })
  }
  for (const type of typeNames) {
    const table = tables.find(({ id }) => id === tableId(type))!
    const selective = (make: () => Comparison) => drawSelective(make, table, bare)
    const column = table.columns[1]!
    const source = valuesOf(draw, bare)
    for (const operator of valueOperatorsOf(type)) {
      for (const lifted of [asLiteral, asVariable]) {
        const where = selective(() => drawComparisonWith(draw, operator, column, source, lifted))
        ask(type, null, rootOf(table, where))
      }
    }
    for (const root of orderRoots(table)) ask(`order ${type}`, null, root)
    ask(`aggregate ${type}`, null, aggregateRoot(table))
    for (const [name, make] of filterMakers(draw, column, table, bare)) {
      const role = roles.get(name) ?? { selects: [], session: {} }
      let session: Session = role.session
      const filter = selective(() => {
        session = { ...role.session }
        return make(session)
      })
      const columns = table.columns.map(({ id }) => id)
      role.selects.push({ table: table.id, columns, filter, limit: null, aggregations: false })
      roles.set(name, { ...role, session })
      ask(name, name, rootOf(table, null))
    }
  }
  const all = [...roles].map(([name, granted]): Role => ({ name, ...granted, inserts: [], updates: [], deletes: [] }))
  return { world: { ...bare, roles: all }, requests: [...requests.values()] }
}

/** A world with a table for every type, and without roles. */
export function drawTypeWorld(draw: Draw): World {
  const tables = [colourTable, ...typeNames.map((type) => drawTypeTable(draw, type))]
  return { tables, relationships: [], roles: [], functions: [], sequences: {} }
}

/** The id of a type's table. */
export const tableId = (type: TypeName): string => `table of ${type}`

/** Two nullable columns of a type; in some rows the first is greater, in others the second. */
function drawTypeTable(draw: Draw, type: TypeName): Table {
  const columns = ['id', 'first', 'second'].map((name, i): Column => {
    const id = `${type}.${name}`
    return { id, name, type: i === 0 ? 'int' : type, nullable: i > 0, customName: null, default: null }
  })
  const rows = drawPairs(draw, type).map(([first, second], i): Row => {
    return { [`${type}.id`]: { datum: BigInt(i) }, [`${type}.first`]: first, [`${type}.second`]: second }
  })
  const reference = {
    table: colourTable.id,
    target: 'colour.value',
    onDelete: 'no action',
    onUpdate: 'no action',
    isDeferred: false,
  } as const
  const foreignKeys = ['first', 'second'].map((name) => ({ ...reference, name, column: `${type}.${name}` }))
  return {
    ...{ id: tableId(type), schema: 'public', name: `t_${typeNames.indexOf(type)}`, columns, rows },
    ...{ primaryKey: [`${type}.id`], uniques: [], checks: [], customRoots: {}, isEnum: false, view: null },
    foreignKeys: columnTypes[type].kind === 'enum' ? foreignKeys : [],
  }
}

type Pair = readonly [Stored, Stored]

/** Nulls, two different values in both orders, equal values, and others. */
function drawPairs(draw: Draw, type: TypeName): readonly Pair[] {
  const { compare } = columnTypes[type]
  const value = (): NonNullable<Stored> => ({ datum: columnTypes[type].draw(draw) })
  const one = value()
  let other = value()
  while (compare && compare(one.datum, other.datum) === 0) other = value()
  const others = Array.from({ length: 10 }, (): Pair => [value(), value()])
  return [[null, one], [other, null], [null, null], [one, other], [other, one], [one, one], ...others]
}

const asLiteral: Lifted = (leaf, again) => (isLiteral(leaf.input) || leaf.isEnum ? leaf : asVariable(leaf, again))

const asVariable: Lifted = (leaf, again) => {
  const { input, datum } = again()
  return { ...leaf, lift: { strict: false, byDefault: false, second: { input, datum } } }
}

const asIs = <D>(leaf: Leaf<D>): Leaf<D> => leaf

/** Makers of comparisons for each operator of a column, by the name of the role that gets one. */
function* filterMakers(
  draw: Draw,
  column: Column,
  table: Table,
  world: World,
): Generator<[role: string, make: (session: Session) => Comparison]> {
  if (!columnTypes[column.type].compare) return
  const source = valuesOf(draw, world)
  for (const operator of valueOperatorsOf(column.type)) {
    yield [`value${operator}`, () => drawComparisonWith(draw, operator, column, source, asIs)]
    if (operator === '_is_null') continue
    yield [
      `session${operator}`,
      (session) => drawSessionComparison(draw, operator, column, source, session) ?? nothing(operator),
    ]
  }
  for (const operator of Object.keys(columnOperators)) {
    const operand = { kind: 'column', column: table.columns[2]!.id } as const
    yield [`column${operator}`, () => ({ operator, operand })]
  }
}

/** A comparison that accepts no row, when no value could be found. */
const nothing = (operator: string): Comparison => ({ operator, operand: { kind: 'list', leaves: [], lift: false } })

/** Draws until a comparison accepts one row and rejects another. */
function drawSelective(make: () => Comparison, table: Table, world: World): Expression {
  const column = table.columns[1]!.id
  const scope = { world, view: null, run: 0 } as const
  for (let tries = 300; ; tries--) {
    const comparison = make()
    const expression: Expression = [{ kind: 'column', column, comparisons: [comparison] }]
    const negation: Expression = [{ kind: 'not', of: expression }]
    const some = (condition: Expression) => table.rows.some((row) => holds(condition, row, scope))
    if (tries === 0 || (some(expression) && some(negation))) return expression
  }
}

const selected = { alias: null, directives: {} } as const

/** All columns of a row. */
export const allItems = ({ columns }: Table) =>
  columns.map((column) => ({ kind: 'column', column: column.id, path: null, ...selected }) as const)

const byColumn = ({ id }: Column, datum: string) =>
  [{ kind: 'column', column: id, direction: { type: 'order_by', input: datum, datum, isEnum: true } }] as const

function rootOf(table: Table, where: Expression | null): Root {
  const orderBy = { objects: [byColumn(table.columns[0]!, 'asc')], lift: false } as const
  const args = { orderBy, ...(where ? { where: { expression: where, lift: false } } : {}) }
  return { kind: 'select', table: table.id, args, items: allItems(table), ...selected }
}

/** The rows in each direction, and one root for each value. */
function orderRoots(table: Table): readonly Root[] {
  const [key, first] = table.columns as [Column, Column]
  if (!columnTypes[first.type].compare) return []
  const root = (args: Arguments): Root => ({
    kind: 'select',
    table: table.id,
    args,
    items: allItems(table),
    ...selected,
  })
  const ordered = directions.map((direction) => {
    return { orderBy: { objects: [byColumn(first, direction), byColumn(key, 'asc')], lift: false } }
  })
  const name = { type: `${displayName(table)}_select_column`, input: first.name, datum: first.id, isEnum: true }
  return [...ordered.map(root), ...ordered.map((args) => root({ ...args, distinctOn: [name] }))]
}

/** All aggregates of a column. */
function aggregateRoot(table: Table): Root {
  const column = table.columns[1]!
  const operators = [...numericOperators, 'min', 'max'].filter((operator) => appliesTo(operator, column))
  const columns = [{ column: column.id, alias: null }]
  const calls = operators.map((operator): Call => ({ kind: 'operator', operator, columns, ...selected }))
  const name = { type: `${displayName(table)}_select_column`, input: column.name, datum: column.id, isEnum: true }
  const count: Call = { kind: 'count', columns: [name], distinct: null, ...selected }
  const distinct = { type: 'Boolean', input: true, datum: true }
  const counts: readonly Call[] = columnTypes[column.type].compare
    ? [count, { ...count, distinct, alias: 'kinds' }]
    : [count]
  return {
    kind: 'aggregate',
    table: table.id,
    args: {},
    items: [{ kind: 'calls', calls: [...counts, ...calls], ...selected }],
    ...selected,
  }
}
