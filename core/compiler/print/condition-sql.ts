// Conditions as SQL.

import type { PgType } from '../../catalog/types.ts'
import type { ParamSource, TextCheck } from '../../database/sql/param.ts'
import { empty, id, join, param, type Sql, sql, trusted } from '../../database/sql/sql.ts'
import { existsForm } from '../plan/nesting.ts'
import type { Comparand, Condition, Mapping, Operand, PairEquality, TakenAs } from '../plan/plan.ts'
import { detached, inSubquery, rootedScope, type Scope } from '../plan/scope.ts'
import type { Printer } from '../printer.ts'
import { isThereSql, operatorSql } from '../types/comparing.ts'
import { coreOperatorCheck, coreOperatorSql, coreOperatorTrial } from '../types/operators.ts'

/** A condition on the row with that alias. */
export function conditionSql(condition: Condition, row: Sql, printer: Printer, scope = printer.scope()): Sql {
  switch (condition.kind) {
    case 'true':
      return sql`true`
    case 'false':
      return sql`false`
    case 'and':
    case 'or':
      return connectedSql(condition, { row, printer, scope })
    case 'not':
      return negatedSql(condition.of, { row, printer, scope })
    case 'null': {
      const column = columnSql(row, condition.column)
      return condition.negated ? sql`${column} is not null` : sql`${column} is null`
    }
    case 'compare': {
      const operand = comparandSql(condition.operand, row, printer, coreOperatorCheck(condition.operator))
      if (condition.operand.kind === 'param') {
        const trial = coreOperatorTrial(condition.operator, operand)
        if (trial) printer.try(trial)
        else if (typeof condition.operand.type !== 'string') printer.try(operand)
      }
      return coreOperatorSql(condition.operator, columnSql(row, condition.column), operand)
    }
    case 'related':
      return relatedSql(condition, { row, printer, scope })
    case 'exists': {
      const inner = printer.alias()
      const where = conditionSql(condition.where, inner, printer, { ...inSubquery(scope), level: 0 })
      return sql`exists (select 1 from ${tableSql(condition.table)} as ${inner} where ${where})`
    }
    case 'aggregate':
      return aggregateConditionSql(condition, { row, printer, scope })
    case 'rooted':
      return printer.rooted(row, () => conditionSql(condition.of, row, printer, rootedScope(scope)))
    case 'sql':
      return sql`(${printer.within(scope, () => condition.build(row, printer))})`
    default:
      return condition satisfies never
  }
}

/** The place where a condition is printed. */
interface Place {
  readonly row: Sql
  readonly printer: Printer
  readonly scope: Scope
}

function connectedSql({ kind, of }: Extract<Condition, { kind: 'and' | 'or' }>, { row, printer, scope }: Place): Sql {
  if (of.length === 0) return kind === 'and' ? sql`true` : sql`false`
  const inner = kind === 'and' || of.length === 1 ? scope : detached(scope)
  const parts = of.map((part) => conditionSql(part, row, printer, inner))
  return sql`(${join(parts, ` ${kind} `)})`
}

/** The planner can join the negation of a single EXISTS, as it joins the EXISTS itself. */
function negatedSql(of: Condition, { row, printer, scope }: Place): Sql {
  const inner = of.kind === 'related' ? scope : detached(scope)
  return sql`not (${conditionSql(of, row, printer, inner)})`
}

function relatedSql(condition: Extract<Condition, { kind: 'related' }>, { row, printer, scope }: Place): Sql {
  const { table, mapping } = condition
  const inner = printer.alias()
  const { form, inner: innerScope } = existsForm(condition, scope)
  const where = conditionSql(condition.where, inner, printer, innerScope)
  if (form === 'collected' || form === 'hashed') {
    const collected = collectedSql({ table, mapping }, where, { row, inner })
    return form === 'hashed' ? sql`(${collected} is true)` : collected
  }
  const link = mappingSql(mapping, row, inner, printer)
  const fence = form === 'probed' ? sql` offset 0` : empty
  const source = condition.from ? condition.from(row, printer) : tableSql(table)
  return sql`exists (select 1 from ${source} as ${inner} where ${andSql(link, where)}${fence})`
}

function aggregateConditionSql(
  { table, mapping, where, call, holds }: Extract<Condition, { kind: 'aggregate' }>,
  { row, printer, scope }: Place,
): Sql {
  const inner = printer.alias()
  const on = andSql(
    mappingSql(mapping, row, inner, printer),
    conditionSql(where, inner, printer, { ...inSubquery(scope), level: 0 }),
  )
  const value = sql`(select ${call(inner, printer)} from ${tableSql(table)} as ${inner} where ${on})`
  return sql`(${conditionSql(holds, value, printer, detached(scope))})`
}

/** Unlike a plain IN, the result is never NULL. */
function collectedSql(
  { table, mapping }: Pick<Extract<Condition, { kind: 'related' }>, 'table' | 'mapping'>,
  where: Sql,
  { row, inner }: { readonly row: Sql; readonly inner: Sql },
): Sql {
  const outers = mapping.map(([outer, , equality]) => linkedSql(row, outer, equality))
  const keys = mapping.map(([, key, equality]) => linkedSql(inner, key, equality))
  const areThere = (values: readonly Sql[]) =>
    join(
      values.map((value, i) => isThereSql(value, mapping[i]![2]?.isRow === true)),
      ' and ',
    )
  const rows = sql`select ${join(keys)} from ${tableSql(table)} as ${inner} where ${andSql(areThere(keys), where)} offset 0`
  const operator = mapping[0]![2]?.operator
  const isAmong = operator ? sql`${operatorSql(operator)} any` : sql`in`
  return sql`(${areThere(outers)} and (${join(outers)}) ${isAmong} (${rows}))`
}

export const columnSql = (row: Sql, column: string): Sql => sql`${row}.${id(column)}`

/** A column's value in the form in which it is compared. */
export const comparableSql = (value: Sql, { sql: name, isEnumDomain }: PgType): Sql =>
  isEnumDomain ? sql`(${value})::${trusted(name)}` : value

/** A column as the argument of an aggregate. */
export const argumentSql = (row: Sql, column: string, takenAs: TakenAs = null): Sql =>
  takenSql(columnSql(row, column), takenAs)

/** A value as the argument of an aggregate. */
export function takenSql(value: Sql, takenAs: TakenAs = null): Sql {
  if (takenAs === 'text') return sql`${value}::text collate "C"`
  return takenAs === 'numeric' ? sql`${value}::numeric` : value
}

/** The name of an aggregate in SQL. */
export const aggregateName = ({ operator, schema }: { readonly operator: string; readonly schema?: string }): Sql =>
  schema === undefined ? trusted(operator) : id(schema, operator)

export const tableSql = ({ schema, name }: { readonly schema: string; readonly name: string }): Sql => id(schema, name)

/** The equality of the columns that tie two rows together; null without such columns. */
export function mappingSql(mapping: Mapping, outer: Sql, inner: Sql, printer: Printer): Sql | null {
  if (mapping.length === 0) return null
  const pairs = mapping.map(([left, right, equality]) => {
    const operator = operatorSql(equality?.operator ?? ['pg_catalog', '='])
    return sql`${linkedSql(inner, right, equality)} ${operator} ${linkedSql(outer, left, equality)}`
  })
  const given = mapping.flatMap(([, , equality]) => equality?.given?.({ outer, inner }, printer) ?? [])
  return join([...pairs, ...given], ' and ')
}

/** A column that ties two rows together, in the form in which it is compared. */
function linkedSql(row: Sql, column: string, equality: PairEquality | undefined): Sql {
  const value = columnSql(row, column)
  return equality?.as === undefined ? value : sql`(${value})::${trusted(equality.as)}`
}

/** The conjunction of the parts that exist and are not constantly true. */
export function andSql(...parts: readonly (Sql | null)[]): Sql {
  const rest = parts.filter((part) => part !== null && !isTrue(part)) as Sql[]
  return rest.length === 0 ? sql`true` : join(rest, ' and ')
}

export const isTrue = (fragment: Sql): boolean => fragment.parts.length === 1 && fragment.parts[0] === 'true'

/** The right side of a comparison, see {@link operandSql}. */
export function comparandSql(comparand: Comparand, row: Sql, printer: Printer, check?: TextCheck): Sql {
  if (comparand.kind === 'rootColumn') return columnSql(printer.rootOr(row), comparand.column)
  return operandSql(comparand, row, check)
}

/** An operand; binding it may check its text. */
export function operandSql(operand: Operand, row: Sql, check?: TextCheck): Sql {
  switch (operand.kind) {
    case 'param':
      return param(check ? checkedSource(operand.source, check) : operand.source, operand.type)
    case 'column':
      return columnSql(row, operand.column)
    default:
      return operand satisfies never
  }
}

/** The same source always yields the same checked source, because each source is bound once. */
const checkedSources = new WeakMap<ParamSource, ParamSource>()

function checkedSource(source: ParamSource, check: TextCheck): ParamSource {
  if (source.from !== 'input' && source.from !== 'session' && source.from !== 'constant') return source
  const known = checkedSources.get(source)
  if (known && 'check' in known && known.check === check) return known
  const made = { ...source, check }
  checkedSources.set(source, made)
  return made
}
