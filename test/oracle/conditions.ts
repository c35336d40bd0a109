// Boolean expressions over a row, in SQL's three-valued logic.

import { type Coverage, columnOperators, type Truth } from './coverage.ts'
import type { Comparison, Expression, Operand } from './expressions.ts'
import type { Json } from './json.ts'
import { contains, hasKey } from './jsonb.ts'
import { datumOf, type Run } from './request.ts'
import { like, regex, similar } from './texts.ts'
import { columnTypes, compareData, type Datum, type TypeName } from './types.ts'
import type { View } from './view.ts'
import {
  type Column,
  columnOf,
  Invalid,
  type Relationship,
  type Row,
  rowsThere,
  type Stored,
  valueIn,
  type World,
} from './world.ts'

/** The scope of an expression. Without a view, related rows need no permission, as in permissions. */
export interface Scope {
  readonly world: World
  readonly view: View | null
  readonly run: Run
  /** Counts the comparisons. */
  readonly coverage?: Coverage | undefined
}

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false
  return truths.includes(null) ? null : true
}

const negated = (truth: Truth): Truth => (truth === null ? null : !truth)

const some = (truths: readonly Truth[]): Truth => negated(every(truths.map(negated)))

/** Whether an expression is true of a row. */
export const holds = (expression: Expression, row: Row, scope: Scope): boolean =>
  evaluate(expression, row, scope) === true

const evaluate = (expression: Expression, row: Row, scope: Scope): Truth =>
  every(expression.map((entry) => evaluateEntry(entry, row, scope)))

function evaluateEntry(entry: Expression[number], row: Row, scope: Scope): Truth {
  switch (entry.kind) {
    case 'and':
      return every(entry.of.map((part) => evaluate(part, row, scope)))
    case 'or':
      return some(entry.of.map((part) => evaluate(part, row, scope)))
    case 'not':
      return negated(evaluate(entry.of, row, scope))
    case 'related': {
      const relationship = scope.world.relationships.find(({ id }) => id === entry.relationship)
      if (!relationship) throw new Invalid(`there is no relationship ${entry.relationship}`)
      scope.view?.require(relationship.target)
      return relatedRows(relationship, row, scope).some((related) => holds(entry.where, related, scope))
    }
    case 'counted':
      return counted(entry, row, scope)
    case 'exists':
      return rowsThere(scope.world, entry.table).some((other) => holds(entry.where, other, scope))
    case 'column': {
      const column = scope.view ? scope.view.requireColumn(entry.column) : columnOf(scope.world, entry.column)
      return every(entry.comparisons.map((comparison) => compare(comparison, column, row, scope)))
    }
  }
}

function counted(entry: Extract<Expression[number], { kind: 'counted' }>, row: Row, scope: Scope): Truth {
  const relationship = scope.world.relationships.find(({ id }) => id === entry.relationship)
  if (!relationship) throw new Invalid(`there is no relationship ${entry.relationship}`)
  if (scope.view?.require(relationship.target).aggregations === false) throw new Invalid('no aggregates')
  const { filter, operator, count } = entry
  const rows = relatedRows(relationship, row, scope).filter((each) => filter === null || holds(filter, each, scope))
  if (operator === '_eq') return rows.length === count
  return operator === '_gt' ? rows.length > count : rows.length <= count
}

/** The rows of a relationship that the view contains. */
export function relatedRows(relationship: Relationship, row: Row, { world, view }: Scope): readonly Row[] {
  const { target, mapping } = relationship
  const candidates = view ? view.rows(target) : rowsThere(world, target)
  const tied = candidates.filter((candidate) =>
    mapping.every(([from, to]) => {
      const [own, other] = [row[from] ?? null, candidate[to] ?? null]
      return own !== null && other !== null && compareData(columnOf(world, from).type, own.datum, other.datum) === 0
    }),
  )
  return view ? tied.filter((candidate) => view.ties(relationship, row, candidate)) : tied
}

/** The operands of a comparison with a row's column; null when one of them is NULL. */
function operandData(operand: Operand, row: Row, run: Run): readonly Datum[] | null {
  switch (operand.kind) {
    case 'value':
      return [datumOf(operand.leaf, run)]
    case 'list':
      return operand.leaves.map((leaf) => datumOf(leaf, run))
    case 'session':
      return operand.data
    case 'column': {
      const other = row[operand.column] ?? null
      return other && [other.datum]
    }
    case 'null':
      return null
  }
}

function compare(comparison: Comparison, column: Column, row: Row, { run, view, coverage }: Scope): Truth {
  const truth = truthOf(comparison, column, view ? view.value(row, column) : valueIn(row, column), { row, run })
  coverage?.note(view ? 'request' : 'permission', comparison.operator, column.type, truth)
  return truth
}

interface Operands {
  readonly row: Row
  readonly run: Run
}

function truthOf({ operator, operand }: Comparison, { type }: Column, stored: Stored, { row, run }: Operands): Truth {
  // In permissions, null is an ordinary operand; elsewhere it is unknown, as in SQL.
  if (operand.kind === 'null' && operator === '_eq') return stored === null
  if (operand.kind === 'null' && operator === '_neq') return stored !== null
  const data = operandData(operand, row, run)
  if (operator === '_is_null') return (stored === null) === data![0]
  if (operator === '_in' && data?.length === 0) return false
  if (operator === '_nin' && data?.length === 0) return true
  if (stored === null || data === null) return null
  return operators[columnOperators[operator] ?? operator]!(stored.datum, data, type)
}

type Operator = (left: Datum, right: readonly Datum[], type: TypeName) => boolean

const byOrder =
  (accepts: (order: number) => boolean): Operator =>
  (left, [right], type) =>
    accepts(compareData(type, left, right!))

const byPattern =
  (matches: typeof like, always?: 'insensitive'): Operator =>
  (left, [right], type) =>
    matches(left as string, right as string, (always ?? columnTypes[type].patterns) === 'insensitive')

const not =
  (operator: Operator): Operator =>
  (...operands) =>
    !operator(...operands)

const isIn: Operator = (left, right, type) => right.some((item) => compareData(type, left, item) === 0)

const anyKey: Operator = (left, keys) => keys.some((key) => hasKey(left as Json, key as string))

const likeOperator = byPattern(like)
const ilikeOperator = byPattern(like, 'insensitive')
const similarOperator = byPattern(similar)
const regexOperator = byPattern(regex)
const iregexOperator = byPattern(regex, 'insensitive')

const operators: Readonly<Record<string, Operator>> = {
  _eq: byOrder((order) => order === 0),
  _neq: byOrder((order) => order !== 0),
  _gt: byOrder((order) => order > 0),
  _lt: byOrder((order) => order < 0),
  _gte: byOrder((order) => order >= 0),
  _lte: byOrder((order) => order <= 0),
  _in: isIn,
  _nin: not(isIn),
  _like: likeOperator,
  _nlike: not(likeOperator),
  _ilike: ilikeOperator,
  _nilike: not(ilikeOperator),
  _similar: similarOperator,
  _nsimilar: not(similarOperator),
  _regex: regexOperator,
  _nregex: not(regexOperator),
  _iregex: iregexOperator,
  _niregex: not(iregexOperator),
  _contains: (left, [right]) => contains(left as Json, right as Json),
  _contained_in: (left, [right]) => contains(right as Json, left as Json),
  _has_key: anyKey,
  _has_keys_any: anyKey,
  _has_keys_all: (left, keys) => keys.every((key) => hasKey(left as Json, key as string)),
}
