// Random boolean expressions, for permissions and for requests.

import { holds, type Scope } from './conditions.ts'
import type { Draw } from './draw.ts'
import type { Comparison, Entry, Expression, Leaf, Operand } from './expressions.ts'
import { columnTypes, type Datum, jsonKeys, plainWords, type TypeName } from './types.ts'
import type { Column, Relationship, Row, Table, World } from './world.ts'
import { tableOf } from './world.ts'

/** What expressions are made of: the columns and relationships that may be named, and operands. */
export interface Vocabulary {
  columns(table: string): readonly Column[]
  relationships(table: string): readonly Relationship[]
  /** Tables for `_exists`. */
  readonly tables: readonly Table[]
  comparison(draw: Draw, column: Column, siblings: readonly Column[]): Comparison
}

/** An expression over the rows of a table. */
export function drawExpression(draw: Draw, table: string, words: Vocabulary, depth: number): Expression {
  const entries = new Map<string, Entry>()
  for (let i = draw.either([1, () => 0], [8, () => 1], [3, () => 2]); i > 0; i--) {
    const entry = drawEntry(draw, table, words, depth)
    if (entry) entries.set(entryKey(entry), entry)
  }
  return [...entries.values()]
}

function entryKey(entry: Entry): string {
  if (entry.kind === 'column') return entry.column
  return entry.kind === 'related' ? entry.relationship : entry.kind
}

function drawEntry(draw: Draw, table: string, words: Vocabulary, depth: number): Entry | null {
  const columns = words.columns(table)
  const relationships = words.relationships(table)
  const choices: (readonly [number, () => Entry])[] = []
  if (columns.length > 0) choices.push([6, () => drawComparisons(draw, draw.pick(columns), words, columns)])
  if (depth > 0) {
    const inner = (of: string) => drawExpression(draw, of, words, depth - 1)
    const connective = (kind: 'and' | 'or'): Entry => {
      return { kind, of: draw.times(0, 3, () => inner(table)), bare: draw.chance(0.2) }
    }
    choices.push(
      [2, () => connective('or')],
      [1, () => connective('and')],
      [2, () => ({ kind: 'not', of: inner(table) })],
    )
    if (relationships.length > 0) {
      choices.push([
        4,
        () => {
          const { id, target } = draw.pick(relationships)
          return { kind: 'related', relationship: id, where: inner(target) }
        },
      ])
    }
    if (words.tables.length > 0) {
      choices.push([
        1,
        () => {
          const { id } = draw.pick(words.tables)
          return { kind: 'exists', table: id, where: inner(id) }
        },
      ])
    }
  }
  return choices.length === 0 ? null : draw.either(...choices)
}

function drawComparisons(draw: Draw, column: Column, words: Vocabulary, siblings: readonly Column[]): Entry {
  const comparisons = new Map<string, Comparison>()
  for (let i = draw.either([1, () => 0], [15, () => 1], [3, () => 2]); i > 0; i--) {
    const comparison = words.comparison(draw, column, siblings)
    comparisons.set(comparison.operator, comparison)
  }
  return { kind: 'column', column: column.id, comparisons: [...comparisons.values()] }
}

/** Draws again a few times until an expression is true of some rows but not of all. */
export function drawSelective(make: () => Expression, rows: readonly Row[], scope: Scope): Expression {
  for (let tries = 3; ; tries--) {
    const expression = make()
    const count = rows.filter((row) => holds(expression, row, scope)).length
    if (tries === 0 || (count > 0 && count < rows.length)) return expression
  }
}

const generic = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin', '_is_null'] as const
const ofTexts = ['_like', '_nlike', '_ilike', '_nilike', '_similar', '_nsimilar'] as const
const ofJson = ['_contains', '_contained_in', '_has_key', '_has_keys_any', '_has_keys_all'] as const

const isText = (type: TypeName): boolean => type === 'text' || type === 'varchar'

function drawOperator(draw: Draw, type: TypeName): string {
  if (isText(type) && draw.chance(0.55)) return draw.pick(ofTexts)
  if (type === 'jsonb' && draw.chance(0.7)) return draw.pick(ofJson)
  return draw.pick(generic)
}

const isList = (operator: string): boolean => ['_in', '_nin', '_has_keys_any', '_has_keys_all'].includes(operator)

const likePatterns = [
  '%',
  '_',
  'a%',
  '%b',
  '%a%',
  'A_',
  '__',
  'a\\%b',
  '%\\_%',
  '',
  '%ë',
  '%"%',
  '\\\\',
  'A%',
  '%B%',
  'AB',
  'É%',
]
const similarPatterns = ['%', '_', '(a|b)%', 'a*b', 'a+', '[ab]+', 'a?b', 'abc|ab', '%(b|c)', '']

/** How values of a world are found: mostly among those that a column holds. */
export type ValueSource = (column: Column) => Datum

/** Values for a column's comparisons. */
export const valuesOf =
  (draw: Draw, world: World): ValueSource =>
  ({ id, type }) => {
    const table = world.tables.find(({ columns }) => columns.some((column) => column.id === id))!
    const stored = draw.chance(0.75) && table.rows.length > 0 ? draw.pick(table.rows)[id] : null
    const datum = stored ? stored.datum : columnTypes[type].draw(draw)
    return type === 'jsonb' && datum === null ? 'a' : datum
  }

/** One operand of an operator, as a value with its type. */
function drawOperand(draw: Draw, operator: string, column: Column, source: ValueSource): Leaf {
  const { type } = column
  const text = (datum: string): Leaf => ({ type: 'String', input: datum, datum })
  if ((ofTexts as readonly string[]).includes(operator)) {
    return text(draw.pick(operator.endsWith('similar') ? similarPatterns : likePatterns))
  }
  if (operator.startsWith('_has_key')) return text(draw.pick(jsonKeys))
  const datum = source(column)
  return { type: columnTypes[type].scalar, input: columnTypes[type].input(datum, draw), datum }
}

/** A comparison with values of the request itself. */
export function drawValueComparison(
  draw: Draw,
  column: Column,
  source: ValueSource,
  lifted: <D>(draw: Draw, leaf: Leaf<D>, again: () => Leaf<D>) => Leaf<D>,
): Comparison {
  const operator = drawOperator(draw, column.type)
  if (operator === '_is_null') {
    const make = (): Leaf<boolean> => {
      const datum = draw.chance(0.5)
      return { type: 'Boolean', input: datum, datum }
    }
    return { operator, operand: { kind: 'value', leaf: lifted(draw, make(), make) } }
  }
  const make = () => drawOperand(draw, operator, column, source)
  if (!isList(operator)) return { operator, operand: { kind: 'value', leaf: lifted(draw, make(), make) } }
  const leaves = draw.times(0, 3, make)
  // An empty list as a variable has no leaf to tell its type.
  if (leaves.length > 0 && draw.chance(0.2)) return { operator, operand: { kind: 'list', leaves, lift: true } }
  return { operator, operand: { kind: 'list', leaves: leaves.map((leaf) => lifted(draw, leaf, make)), lift: false } }
}

/** A filter for a permission; session variables that it uses are added to `session`. */
export function drawFilter(
  draw: Draw,
  table: Table,
  world: World,
  session: { [variable: string]: string },
): Expression {
  const source = valuesOf(draw, world)
  const words: Vocabulary = {
    columns: (id) => tableOf(world, id).columns,
    relationships: (id) => world.relationships.filter((relationship) => relationship.table === id),
    tables: world.tables,
    comparison: (_draw, column, siblings) => drawFilterComparison(draw, column, siblings, source, session),
  }
  return drawSelective(() => drawExpression(draw, table.id, words, 2), table.rows, { world, view: null, run: 0 })
}

function drawFilterComparison(
  draw: Draw,
  column: Column,
  siblings: readonly Column[],
  source: ValueSource,
  session: { [variable: string]: string },
): Comparison {
  const alike = siblings.filter(({ id, type }) => id !== column.id && type === column.type)
  return draw.either<Comparison>(
    [6, () => drawValueComparison(draw, column, source, (_draw, leaf) => leaf)],
    [alike.length > 0 ? 4 : 0, () => drawColumnComparison(draw, alike)],
    [1, () => ({ operator: draw.pick(['_eq', '_neq']), operand: { kind: 'null' } })],
    [4, () => drawSessionComparison(draw, column, source, session)],
  )
}

const columnOperators = ['_ceq', '_cneq', '_cgt', '_clt', '_cgte', '_clte'] as const

const drawColumnComparison = (draw: Draw, alike: readonly Column[]): Comparison => ({
  operator: draw.pick(columnOperators),
  operand: { kind: 'column', column: draw.pick(alike).id },
})

function drawSessionComparison(
  draw: Draw,
  column: Column,
  source: ValueSource,
  session: { [variable: string]: string },
): Comparison {
  const operator = draw.pick(generic.filter((name) => name !== '_is_null'))
  const type = columnTypes[column.type]
  // Of an array of arrays PostgreSQL has no text that tells them apart.
  const many = isList(operator) && column.type !== 'int[]'
  const read = (): Datum => (isText(column.type) ? draw.pick(plainWords) : headerSafe(source(column), column.type))
  const data = many ? draw.times(0, 3, read) : [read()]
  const variable = `x-service-v${Object.keys(session).length}`
  session[variable] = many ? `{${data.map((datum) => quotedItem(type.text(datum))).join(',')}}` : type.text(data[0]!)
  const spelled = draw.chance(0.5) ? variable : variable.replace('x-service', 'X-Service')
  const operand: Operand = { kind: 'session', variable: spelled, data }
  return { operator: isList(operator) && !many ? '_eq' : operator, operand }
}

/** Headers are ASCII. */
const headerSafe = (datum: Datum, type: TypeName): Datum => {
  if (type !== 'jsonb') return datum
  return /^[\x20-\x7e]*$/.test(JSON.stringify(datum)) ? datum : ['a']
}

const quotedItem = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
