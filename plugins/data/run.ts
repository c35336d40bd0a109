// Runs printed statements in the transaction of the request.

import { badRequest } from '../../sdk/index.ts'
import type { OperationContext } from '../../sdk/metadata.ts'
import { parseJson } from '../../sdk/services.ts'
import {
  type AggregateOutput,
  aggregateSql,
  bindParams,
  type MutationProgram,
  type ParamSource,
  Printer,
  prepare,
  programStatements,
  type Rows,
  runStaged,
  type Statement,
  sessionVariablesOf,
} from '../../sdk/sql.ts'
import { printerOptions } from './calling.ts'

type Caller = Pick<OperationContext, 'session' | 'transaction'>

/** The JSON value that a statement answers with, numbers as PostgreSQL wrote them. */
export async function runStatement(statement: Statement, { session, transaction }: Caller): Promise<unknown> {
  requireVariables(statement.params, session)
  const values = bindParams(statement.params, { variables: {}, session })
  const [row] = await transaction.texts(prepare(statement), values)
  return parseJson(row?.[0] ?? 'null', 'lossless')
}

const rowCount: AggregateOutput = {
  kind: 'object',
  entries: [{ key: 'count', value: { kind: 'call', call: { operator: 'count', columns: [], distinct: false } } }],
}

/** How many rows there are. */
export async function runCount(rows: Rows, context: OperationContext): Promise<{ readonly count: unknown }> {
  const printer = new Printer(printerOptions(context))
  const statement = printer.finish(aggregateSql({ rows, output: rowCount }, null, printer))
  return (await runStatement(statement, context)) as { readonly count: unknown }
}

/** The JSON value of a change, which takes several statements where rules rewrite it. */
export async function runProgram(program: MutationProgram, caller: Caller): Promise<unknown> {
  if (program.kind === 'constant') return parseJson(program.text, 'lossless')
  if (program.kind === 'direct') return runStatement(program.statement, caller)
  const { session, transaction } = caller
  for (const { params } of programStatements(program)) requireVariables(params, session)
  const run = (...[statement, values]: Parameters<typeof transaction.bytes>) => transaction.bytes(statement, values)
  const answer = await runStaged(program, transaction, { variables: {}, session }, run)
  return parseJson(answer.toString(), 'lossless')
}

/** Refuses a request whose session lacks a variable that its statement needs. */
export function requireVariables(params: readonly ParamSource[], { variables }: OperationContext['session']): void {
  const missing = sessionVariablesOf(params).find((name) => !Object.hasOwn(variables, name))
  if (missing !== undefined) throw badRequest('not-found', `"${missing}" header is expected but not found`)
}
