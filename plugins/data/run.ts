// Running a printed statement in the transaction of the request.

import { bindParams, sessionVariablesOf } from '../../core/compiler/bind.ts'
import { prepare } from '../../core/database/prepared-statement.ts'
import type { Statement } from '../../core/database/sql.ts'
import { badRequest } from '../../core/errors.ts'
import { parseJson } from '../../core/json.ts'
import type { OperationContext } from '../../core/operations/operation.ts'

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
