// The condition of a trigger: a boolean expression on the old and the new row, compiled into the trigger's function.

import { badRequest, type QualifiedName, within } from '../../../sdk/index.ts'
import type { Rename, ResolveContext, TableModel } from '../../../sdk/metadata.ts'
import {
  allOf,
  type Condition,
  compile,
  conditionSql,
  literal,
  type ParamSource,
  Printer,
  replaceParams,
  type Sql,
  sql,
  trusted,
} from '../../../sdk/sql.ts'
import { renameInExpression, resolveExpression } from '../../permissions/index.ts'
import { type RowName, type RowOperation, rowsOf } from './row-operations.ts'

/** `{old, new}` with a boolean expression each, which must both hold; `_and`, `_or` and `_not` combine such objects. */
export type EventCondition = Readonly<Record<string, unknown>>

/** A resolved condition on two rows. */
type RowsCondition =
  | { readonly kind: 'row'; readonly row: RowName; readonly of: Condition }
  | { readonly kind: 'and' | 'or'; readonly of: readonly RowsCondition[] }
  | { readonly kind: 'not'; readonly of: RowsCondition }

export interface ConditionPlace {
  readonly operation: RowOperation
  readonly table: TableModel
  readonly context: ResolveContext
}

/** The condition in SQL on the variables `old` and `new` of a trigger's function; throws if it is invalid. */
export function eventConditionSql(condition: EventCondition, place: ConditionPlace): Sql {
  return rowsSql(resolveObject(condition, place), new Printer({ stringifyNumbers: false, serverVersion: 0 }))
}

function resolveObject(condition: unknown, place: ConditionPlace): RowsCondition {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) {
    throw badRequest('constraint-violation', 'expecting an Object for when')
  }
  const of = Object.entries(condition).map(([key, value]) => within(key, () => resolveMember(key, value, place)))
  return { kind: 'and', of }
}

function resolveMember(key: string, value: unknown, place: ConditionPlace): RowsCondition {
  if (key === '_not') return { kind: 'not', of: resolveObject(value, place) }
  if (key === '_and' || key === '_or') {
    if (!Array.isArray(value)) throw badRequest('constraint-violation', `expecting an Array for ${key}`)
    const of = value.map((item, i) => within(i, () => resolveObject(item, place)))
    return { kind: key === '_and' ? 'and' : 'or', of }
  }
  const rows: readonly string[] = rowsOf[place.operation]
  if (!rows.includes(key)) {
    const allowed = [...rows, '_and', '_or', '_not'].map((each) => `"${each}"`).join(', ')
    throw badRequest(
      'constraint-violation',
      `unexpected key "${key}" in when of ${place.operation}, expecting one of ${allowed}`,
    )
  }
  return { kind: 'row', row: key as RowName, of: resolveExpression(value, place.table, place.context) }
}

function rowsSql(condition: RowsCondition, printer: Printer): Sql {
  switch (condition.kind) {
    case 'row':
      return withLiterals(conditionSql(allOf([condition.of]), trusted(condition.row), printer))
    case 'not':
      return sql`not (${rowsSql(condition.of, printer)})`
    default:
      return connected(condition, printer)
  }
}

function connected({ kind, of }: Extract<RowsCondition, { kind: 'and' | 'or' }>, printer: Printer): Sql {
  const [first, ...rest] = of.map((each) => rowsSql(each, printer))
  if (!first) return trusted(kind === 'and' ? 'true' : 'false')
  return sql`(${rest.reduce((all, each) => sql`${all} ${trusted(kind)} ${each}`, first)})`
}

/** A trigger takes no parameters, so bound values are written as literals. */
function withLiterals(fragment: Sql): Sql {
  const { params } = compile(fragment)
  const literals = params.map(literalOf)
  return replaceParams(fragment, (index) => literals[index] ?? trusted('null')).fragment
}

function literalOf(source: ParamSource): Sql {
  if (source.from === 'constant') {
    const { value, encode } = source
    return value === null ? trusted('null') : literal(encode ? encode(value) : value)
  }
  throw badRequest('not-supported', 'session variables cannot be compared with in when')
}

/** The condition after a column was renamed. */
export function renameInCondition(
  condition: EventCondition,
  rename: Rename,
  { table, lookup }: { readonly table: QualifiedName; lookup(table: QualifiedName): TableModel | undefined },
): EventCondition {
  const inside = (value: unknown) => renameInCondition(value as EventCondition, rename, { table, lookup })
  const members = Object.entries(condition).map(([key, value]): [string, unknown] => {
    if (key === '_not') return [key, inside(value)]
    if (key === '_and' || key === '_or') return [key, (value as unknown[]).map(inside)]
    return [key, renameInExpression(value as Record<string, unknown>, table, rename, lookup)]
  })
  return Object.fromEntries(members)
}
