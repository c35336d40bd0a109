// Conditions as SQL.

import { id, join, param, type Sql, sql } from '../database/sql.ts'
import { coreOperatorSql } from './operators.ts'
import type { Condition, Mapping, Operand, TakenAs } from './plan.ts'
import type { Printer } from './printer.ts'

/** A condition on the row of that alias. */
export function conditionSql(condition: Condition, row: Sql, printer: Printer): Sql {
  switch (condition.kind) {
    case 'true':
      return sql`true`
    case 'false':
      return sql`false`
    case 'and':
    case 'or':
      return connectedSql(condition, row, printer)
    case 'not':
      return sql`not (${conditionSql(condition.of, row, printer)})`
    case 'null': {
      const column = columnSql(row, condition.column)
      return condition.negated ? sql`${column} is not null` : sql`${column} is null`
    }
    case 'compare': {
      const column = columnSql(row, condition.column)
      return coreOperatorSql(condition.operator, column, operandSql(condition.operand, row))
    }
    case 'related': {
      const inner = printer.alias()
      const link = mappingSql(condition.mapping, row, inner)
      const where = conditionSql(condition.where, inner, printer)
      return sql`exists (select 1 from ${tableSql(condition.table)} as ${inner} where ${andSql(link, where)})`
    }
    case 'exists': {
      const inner = printer.alias()
      const where = conditionSql(condition.where, inner, printer)
      return sql`exists (select 1 from ${tableSql(condition.table)} as ${inner} where ${where})`
    }
    case 'sql':
      return sql`(${condition.build(row, printer)})`
    default:
      return condition satisfies never
  }
}

function connectedSql({ kind, of }: Extract<Condition, { kind: 'and' | 'or' }>, row: Sql, printer: Printer): Sql {
  if (of.length === 0) return kind === 'and' ? sql`true` : sql`false`
  const parts = of.map((part) => conditionSql(part, row, printer))
  return sql`(${join(parts, ` ${kind} `)})`
}

export const columnSql = (row: Sql, column: string): Sql => sql`${row}.${id(column)}`

/** A column as the argument of an aggregate. */
export function argumentSql(row: Sql, column: string, takenAs: TakenAs = null): Sql {
  const value = columnSql(row, column)
  if (takenAs === 'text') return sql`${value}::text collate "C"`
  return takenAs === 'numeric' ? sql`${value}::numeric` : value
}

export const tableSql = ({ schema, name }: { readonly schema: string; readonly name: string }): Sql => id(schema, name)

/** The columns of two rows that tie them together; null when there are none. */
export function mappingSql(mapping: Mapping, outer: Sql, inner: Sql): Sql | null {
  if (mapping.length === 0) return null
  const pairs = mapping.map(([left, right]) => sql`${columnSql(inner, right)} = ${columnSql(outer, left)}`)
  return join(pairs, ' and ')
}

/** A conjunction without the parts that are absent or simply true. */
export function andSql(...parts: readonly (Sql | null)[]): Sql {
  const rest = parts.filter((part) => part !== null && !isTrue(part)) as Sql[]
  return rest.length === 0 ? sql`true` : join(rest, ' and ')
}

export const isTrue = (fragment: Sql): boolean => fragment.parts.length === 1 && fragment.parts[0] === 'true'

export function operandSql(operand: Operand, row: Sql): Sql {
  switch (operand.kind) {
    case 'param':
      return param(operand.source, operand.type)
    case 'column':
      return columnSql(row, operand.column)
    default:
      return operand satisfies never
  }
}
