// Running a printed statement in the transaction of the request.

import { badRequest } from '../../sdk/index.ts'
import type { OperationContext } from '../../sdk/metadata.ts'
import { parseJson } from '../../sdk/services.ts'
import { bindParams, prepare, type Statement, sessionVariablesOf } from '../../sdk/sql.ts'

/** The JSON value that a statement answers with, numbers as PostgreSQL wrote them. */
export async function runStatement(
  statement: Statement,
  { session, transaction }: Pick<OperationContext, 'session' | 'transaction'>,
): Promise<unknown> {
  const missing = sessionVariablesOf(statement.params).find((name) => !Object.hasOwn(session.variables, name))
  if (missing !== undefined) throw badRequest('not-found', `"${missing}" header is expected but not found`)
  const values = bindParams(statement.params, { variables: {}, session })
  const [row] = await transaction.texts(prepare(statement), values)
  return parseJson(row?.[0] ?? 'null', 'lossless')
}
