// Random boolean expressions of permissions, with their session variables.

import { holds } from './conditions.ts'
import { columnOperators, valueOperatorsOf } from './coverage.ts'
import type { Draw } from './draw.ts'
import type { Comparison, Expression } from './expressions.ts'
import {
  drawExpression,
  drawOperand,
  drawSelective,
  drawValueComparison,
  isList,
  isPattern,
  type ValueSource,
  type Vocabulary,
  valuesOf,
} from './generate-expressions.ts'
import { isList as isJsonList, isObject, type Json } from './json.ts'
import { columnTypes, type Datum, quotedItem } from './types.ts'
import { type Column, fieldsOf, hidingColumn, type Row, type Table, tableOf, type World } from './world.ts'

/** The variables that a role's permissions use, with their values. */
export type Session = { [variable: string]: string }

/** An expression over the rows of a table; its session variables are added to `session`. */
export function drawFilter(draw: Draw, table: Table, world: World, session: Session): Expression {
  const source = valuesOf(draw, world)
  const words: Vocabulary = {
    columns: (id) => fieldsOf(tableOf(world, id)).filter(({ type }) => columnTypes[type].compare !== null),
    aggregated: (id) => world.relationships.filter(({ table, type }) => table === id && type === 'array'),
    relationships: (id) => world.relationships.filter((relationship) => relationship.table === id),
    tables: world.tables,
    comparison: (_draw, column, siblings) => drawFilterComparison(draw, column, siblings, source, session),
  }
  const make = () => drawExpression(draw, table.id, words, 2)
  return drawHidingAware(draw, make, table, world) ?? drawSelective(make, table.rows, { world, view: null, run: 0 })
}

/** Sometimes an expression that would match other rows if none were hidden; null when none was drawn or found. */
function drawHidingAware(draw: Draw, make: () => Expression, table: Table, world: World): Expression | null {
  if (!world.tables.some(hidingColumn) || draw.chance(0.5)) return null
  const open = withoutHiding(world)
  for (let tries = 12; tries > 0; tries--) {
    const expression = make()
    const found = (scene: World) => (row: Row) => holds(expression, row, { world: scene, view: null, run: 0 })
    if (table.rows.some((row) => found(world)(row) !== found(open)(row))) return expression
  }
  return null
}

/** The world without hidden rows. */
function withoutHiding(world: World): World {
  const tables = world.tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => (column === hidingColumn(table) ? { ...column, name: 'shown' } : column)),
  }))
  return { ...world, tables }
}

function drawFilterComparison(
  draw: Draw,
  column: Column,
  siblings: readonly Column[],
  source: ValueSource,
  session: Session,
): Comparison {
  // Columns are compared with columns.
  const isColumn = ({ computedOf }: Column) => computedOf === undefined
  const alike = siblings.filter(
    (each) => isColumn(column) && isColumn(each) && each.id !== column.id && each.type === column.type,
  )
  const comparison = draw.either<Comparison>(
    [6, () => drawLiteralComparison(draw, column, source)],
    [alike.length > 0 ? 6 : 0, () => drawColumnComparison(draw, alike)],
    [1, () => ({ operator: draw.pick(['_eq', '_neq']), operand: { kind: 'null' } })],
    [4, () => drawAnySessionComparison(draw, column, source, session)],
  )
  const spelling = drawSpelling(draw, comparison)
  return spelling ? { ...comparison, spelling } : comparison
}

function drawSpelling(draw: Draw, { operator, operand }: Comparison): Comparison['spelling'] {
  if (draw.chance(0.1)) return 'dollar'
  if (operator === '_neq' && draw.chance(0.3)) return 'alias'
  // The members of an object would be read as operators.
  const isPlain = operand.kind === 'session' || (operand.kind === 'value' && isScalarJson(operand.leaf.input))
  return operator === '_eq' && isPlain && draw.chance(0.3) ? 'bare' : undefined
}

const isScalarJson = (json: Json): boolean => json !== null && !isObject(json) && !isJsonList(json)

function drawLiteralComparison(draw: Draw, column: Column, source: ValueSource): Comparison {
  const comparison = drawValueComparison(draw, column, source, (leaf) => leaf)
  const { operator, operand } = comparison
  // Within a list, the name of a variable is an ordinary text.
  if (operand.kind !== 'list' || !columnTypes[column.type].patterns || isPattern(operator) || !draw.chance(0.1)) {
    return comparison
  }
  const name = { type: 'String', input: 'X-Service-Role', datum: 'X-Service-Role' }
  return { operator, operand: { ...operand, leaves: [...operand.leaves, name] } }
}

const drawColumnComparison = (draw: Draw, alike: readonly Column[]): Comparison => ({
  operator: draw.pick(Object.keys(columnOperators)),
  operand: { kind: 'column', column: draw.pick(alike).id },
})

function drawAnySessionComparison(draw: Draw, column: Column, source: ValueSource, session: Session): Comparison {
  const operator = draw.pick(valueOperatorsOf(column.type).filter((name) => name !== '_is_null'))
  return (
    drawSessionComparison(draw, operator, column, source, session) ?? { operator: '_neq', operand: { kind: 'null' } }
  )
}

/** A comparison with a session variable; null when no value for it was found. */
export function drawSessionComparison(
  draw: Draw,
  operator: string,
  column: Column,
  source: ValueSource,
  session: Session,
): Comparison | null {
  const type = columnTypes[column.type]
  const isOfText = isPattern(operator) || operator.startsWith('_has_key')
  const text = (datum: Datum) => (isOfText ? (datum as string) : type.text(datum))
  const many = isList(operator)
  const read = () => safely(() => drawOperand(draw, operator, column, source).datum, text)
  const data = (many ? draw.times(0, 3, read) : [read()]).filter((datum) => datum !== null)
  if (!many && data.length === 0) return null
  const value = many ? `{${data.map((datum) => quotedItem(text(datum))).join(',')}}` : text(data[0]!)
  return { operator, operand: { kind: 'session', variable: drawVariable(draw, session, value), data } }
}

/** A new session variable, as expressions spell it. */
export function drawVariable(draw: Draw, session: Session, value: string): string {
  const isUser = !Object.hasOwn(session, userVariable) && draw.chance(0.2)
  const variable = isUser ? userVariable : `x-service-v${Object.keys(session).length}`
  session[variable] = value
  if (isUser && draw.chance(0.5)) return draw.pick(['REQ_USER_ID', 'req_user_id'])
  return draw.chance(0.5) ? variable : variable.replace('x-service', 'X-Service')
}

const userVariable = 'x-service-user-id'

/** A value whose text is valid in an HTTP header; null when none was found. */
export function safely(make: () => Datum, text: (datum: Datum) => string): Datum | null {
  for (let tries = 20; tries > 0; tries--) {
    const datum = make()
    if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text(datum))) return datum
  }
  return null
}
