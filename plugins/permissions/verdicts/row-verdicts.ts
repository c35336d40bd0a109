// Evaluates the nodes of rules for one row: their verdicts, and the values that they compare.

import { badRequest, nameKey, type Session } from '../../../sdk/index.ts'
import type { OperationContext, TableModel } from '../../../sdk/metadata.ts'
import { parseJson } from '../../../sdk/services.ts'
import {
  bindParams,
  type Condition,
  columnSql,
  compile,
  conditionSql,
  join,
  literal,
  mappingSql,
  Printer,
  prepare,
  type Sql,
  sessionVariablesOf,
  sql,
  tableSql,
  trusted,
} from '../../../sdk/sql.ts'
import { resolveExpression } from '../boolean-expression.ts'
import type { ExpressionContext } from '../expression-context.ts'
import { longestValue, mostValues } from '../tuning.ts'
import type { ComparedColumn, RuleNode } from './rule-tree.ts'

/** A node for one row. */
export interface Verdict {
  /** Null: SQL answers neither true nor false, or a session variable is missing. */
  readonly verdict: boolean | null
  /** The value of the compared column; of several related rows, a list of values. Undefined: there is no such column. */
  readonly actual?: unknown
  /** The value of the other column. */
  readonly other?: unknown
  /** The session variable that is missing. */
  readonly missing?: string
}

/** A row, and the session that asks for it. */
export interface JudgedRow {
  readonly table: TableModel
  /** The condition that it alone fulfils. */
  readonly key: Condition
  readonly session: Session
  readonly context: OperationContext
}

/** The verdicts of nodes, in their order; null if there is no such row. */
export async function verdictsOf(nodes: readonly RuleNode[], judged: JudgedRow): Promise<Verdict[] | null> {
  const { table, key, session, context } = judged
  const printer = new Printer({ stringifyNumbers: false, serverVersion: context.catalog.serverVersion })
  const row = printer.alias()
  const expressions = expressionContext(context)
  const missing = nodes.map(({ rule }) => missingVariable(resolveExpression(rule, table, expressions), judged))
  const cells = nodes.flatMap(({ rule, compared, other }, i) => {
    const condition = conditionSql(resolveExpression(rule, table, expressions), row, printer)
    const verdict = missing[i] === null ? sql`(${condition})::text` : sql`null`
    return [verdict, valueSql(compared, { row, printer }), valueSql(other, { row, printer })]
  })
  const where = conditionSql(key, row, printer)
  // Trial expressions protect hidden rows from callers; this one may see all.
  const query = sql`select ${join(cells)} from ${tableSql(table.name)} as ${row} where ${where} limit 2`
  const statement = compile(query)
  const values = bindParams(statement.params, { variables: {}, session })
  const rows = await context.transaction.texts(prepare(statement), values)
  if (rows.length > 1) throw badRequest('data-exception', 'the key fits several rows', { path: ['key'] })
  const [found] = rows
  if (!found) return null
  const shown = (text: string | null | undefined) => (text == null ? null : parseJson(text, 'precise'))
  return nodes.map(({ compared, other }, i) => {
    const [verdict, actual, compare] = found.slice(3 * i, 3 * i + 3)
    return {
      verdict: verdict == null ? null : verdict === 'true',
      ...(compared && { actual: shown(actual) }),
      ...(other && { other: shown(compare) }),
      ...(missing[i] !== null && { missing: missing[i]! }),
    }
  })
}

/** The context of expressions that administrators ask about. */
export const expressionContext = ({ model, dialect }: OperationContext): ExpressionContext => ({
  dialect,
  table: (name) => model.tables.get(nameKey(name)),
  depend: () => {},
})

function missingVariable(condition: Condition, { session, context }: JudgedRow): string | null {
  const printer = new Printer({ stringifyNumbers: false, serverVersion: context.catalog.serverVersion })
  const { params } = compile(conditionSql(condition, printer.alias(), printer))
  return sessionVariablesOf(params).find((name) => !Object.hasOwn(session.variables, name)) ?? null
}

interface Printing {
  readonly row: Sql
  readonly printer: Printer
}

/** The JSON text of a column's value, or of the values of related rows. */
function valueSql(compared: ComparedColumn | null, { row, printer }: Printing): Sql {
  if (!compared) return sql`null`
  const { way, column } = compared
  if (way.length === 0) return shortened(columnSql(row, column))
  let outer = row
  const [tables, conditions]: [Sql[], Sql[]] = [[], []]
  for (const { target, mapping } of way) {
    const inner = printer.alias()
    tables.push(sql`${tableSql(target)} as ${inner}`)
    conditions.push(mappingSql(mapping, outer, inner, printer) ?? sql`true`)
    outer = inner
  }
  const most = trusted(String(mostValues))
  const values = sql`select ${shortened(columnSql(outer, column))} as v from ${join(tables)} where ${join(conditions, ' and ')} limit ${most}`
  return sql`(select coalesce(json_agg(v::json), '[]')::text from (${values}) as ${printer.alias()})`
}

function shortened(value: Sql): Sql {
  const text = sql`to_json(${value})::text`
  const most = trusted(String(longestValue))
  const beginning = sql`to_json(left(${text}, ${most}) || ${literal('…')})::text`
  return sql`case when length(${text}) > ${most} then ${beginning} else ${text} end`
}
