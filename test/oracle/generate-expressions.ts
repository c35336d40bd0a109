// Random boolean expressions, for permissions and for requests.

import { holds, type Scope } from './conditions.ts'
import { jsonOperators, patternOperators, valueOperatorsOf } from './coverage.ts'
import type { Draw } from './draw.ts'
import type { Comparison, Entry, Expression, Leaf } from './expressions.ts'
import { isList as isJsonList, isObject, type Json } from './json.ts'
import { columnTypes, type Datum, jsonKeys, type TypeName } from './types.ts'
import { type Column, fieldsOf, type Relationship, type Row, type Table, valueIn, type World } from './world.ts'

/** The vocabulary of expressions: columns, relationships and operands. */
export interface Vocabulary {
  columns(table: string): readonly Column[]
  relationships(table: string): readonly Relationship[]
  /** Array relationships whose rows may be aggregated in conditions. */
  aggregated(table: string): readonly Relationship[]
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
  if (entry.kind === 'counted') return `${entry.relationship} counted`
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
    const aggregated = words.aggregated(table)
    if (aggregated.length > 0) {
      choices.push([
        2,
        () => {
          const { id, target } = draw.pick(aggregated)
          const filter = draw.chance(0.5) ? inner(target) : null
          const operator = draw.pick(['_eq', '_gt', '_lte'] as const)
          return { kind: 'counted', relationship: id, filter, operator, count: draw.integer(0, 3) }
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

/** Draws a few more times until an expression is true for some rows but not for all. */
export function drawSelective(make: () => Expression, rows: readonly Row[], scope: Scope): Expression {
  for (let tries = 3; ; tries--) {
    const expression = make()
    const count = rows.filter((row) => holds(expression, row, scope)).length
    if (tries === 0 || (count > 0 && count < rows.length)) return expression
  }
}

function drawOperator(draw: Draw, type: TypeName): string {
  if (columnTypes[type].patterns && draw.chance(0.55)) return draw.pick(patternOperators)
  if (type === 'jsonb' && draw.chance(0.7)) return draw.pick(jsonOperators)
  return draw.pick(valueOperatorsOf(type))
}

/** Whether an operator compares with a list. */
export const isList = (operator: string): boolean =>
  ['_in', '_nin', '_has_keys_any', '_has_keys_all'].includes(operator)

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
const regexPatterns = ['a', '^a', 'b$', '^$', '^(a|b)', 'a.', '[ab]+', 'a?b', '^[^a]', 'A', 'ab|ë', '']
const similarPatterns = ['%', '_', '(a|b)%', 'a*b', 'a+', '[ab]+', 'a?b', 'abc|ab', '%(b|c)', '']

/** Draws values from a world: usually values that a column contains. */
export type ValueSource = (column: Column) => Datum

/** Values for a column's comparisons. */
export const valuesOf =
  (draw: Draw, world: World): ValueSource =>
  (column) => {
    const table = world.tables.find((each) => fieldsOf(each).some(({ id }) => id === column.id))!
    const { type } = column
    const stored = draw.chance(0.75) && table.rows.length > 0 ? valueIn(draw.pick(table.rows), column) : null
    return notJsonNull(stored ? stored.datum : columnTypes[type].draw(draw))
  }

/** In requests, JSON null means SQL NULL. */
export const notJsonNull = (datum: Datum): Datum => (datum === null ? 'a' : datum)

/** A value of a column in the notation of a request. */
export function leafOf(draw: Draw, { type }: Pick<Column, 'type'>, datum: Datum): Leaf {
  const { scalar, input, kind } = columnTypes[type]
  return { type: scalar, input: input(datum, draw), datum, ...(kind === 'enum' ? { isEnum: true } : {}) }
}

const stringLeaf = (datum: string): Leaf => ({ type: 'String', input: datum, datum })

const patternsOf = (operator: string): readonly string[] => {
  if (operator.endsWith('regex')) return regexPatterns
  return operator.endsWith('similar') ? similarPatterns : likePatterns
}

/** One operand of an operator, as a value with its type. */
export function drawOperand(draw: Draw, operator: string, column: Column, source: ValueSource): Leaf {
  if (isPattern(operator)) {
    const datum = draw.pick(patternsOf(operator))
    return { type: columnTypes[column.type].scalar, input: datum, datum }
  }
  if (operator.startsWith('_has_key')) return stringLeaf(draw.pick(jsonKeys))
  if (operator === '_contains' || operator === '_contained_in')
    return leafOf(draw, column, drawPart(draw, source(column)))
  return leafOf(draw, column, source(column))
}

/** Whether an operator matches text patterns. */
export const isPattern = (operator: string): boolean => (patternOperators as readonly string[]).includes(operator)

/** Some members of an object or list, so that it probably contains them. */
function drawPart(draw: Draw, datum: Datum): Datum {
  const json = datum as Json
  if (draw.chance(0.5) || json === null) return datum
  if (isJsonList(json)) return draw.some(json)
  return isObject(json) ? Object.fromEntries(draw.some(Object.entries(json))) : datum
}

/** Replaces some values by variables; `again` returns the value of the second run. */
export type Lifted = <D>(leaf: Leaf<D>, again: () => Leaf<D>) => Leaf<D>

/** A comparison with values of the request itself. */
export const drawValueComparison = (draw: Draw, column: Column, source: ValueSource, lifted: Lifted): Comparison =>
  drawComparisonWith(draw, drawOperator(draw, column.type), column, source, lifted)

/** The same for a given operator. */
export function drawComparisonWith(
  draw: Draw,
  operator: string,
  column: Column,
  source: ValueSource,
  lifted: Lifted,
): Comparison {
  if (operator === '_is_null') {
    const make = (): Leaf<boolean> => {
      const datum = draw.chance(0.5)
      return { type: 'Boolean', input: datum, datum }
    }
    return { operator, operand: { kind: 'value', leaf: lifted(make(), make) } }
  }
  if (operator === '_has_key' && draw.chance(0.1)) return { operator, operand: { kind: 'null' } }
  const make = () => drawOperand(draw, operator, column, source)
  if (!isList(operator)) return { operator, operand: { kind: 'value', leaf: lifted(make(), make) } }
  const leaves = draw.times(0, 3, make)
  // An empty list in a variable has no leaf that determines its type.
  if (leaves.length > 0 && draw.chance(0.2)) return { operator, operand: { kind: 'list', leaves, lift: true } }
  return { operator, operand: { kind: 'list', leaves: leaves.map((leaf) => lifted(leaf, make)), lift: false } }
}
