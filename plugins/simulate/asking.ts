// The requests of a simulation that are tried before and after its changes.

import { GraphQLRequestBody, readGraphQLRequest } from '../../sdk/graphql.ts'
import { assumedSession } from '../../sdk/http.ts'
import {
  badRequest,
  type Dialect,
  type Engine,
  pathText,
  type Session,
  type Static,
  TrellisError,
  Type,
} from '../../sdk/index.ts'
import type { Trial } from '../../sdk/metadata.ts'
import { parseJson } from '../../sdk/services.ts'
import { bindParams } from '../../sdk/sql.ts'
import { largestAnswer } from './tuning.ts'

/** A request as a session: a GraphQL request, or one of the metadata API. */
export const Asked = Type.Object(
  {
    session: Type.Optional(Type.Record(Type.String(), Type.String())),
    graphql: Type.Optional(GraphQLRequestBody),
    explain: Type.Optional(Type.Boolean()),
    operation: Type.Optional(Type.Unknown({ shown: Type.Object({}, { additionalProperties: true }) })),
  },
  { title: 'AskedRequest' },
)

export type AskedRequest = Static<typeof Asked>

/** The session of a request: its variables, with the role among them; without a role it is the administrator's. */
export function sessionOf({ session = {} }: AskedRequest, dialect: Dialect, at: readonly (string | number)[]): Session {
  const path = [...at, 'session']
  const lower = Object.entries(session).map(([name, value]) => [name.toLowerCase(), value] as const)
  const foreign = lower.find(([name]) => !name.startsWith(dialect.sessionPrefix))
  if (foreign) {
    const message = `"${foreign[0]}" is no session variable: their names begin with "${dialect.sessionPrefix}"`
    throw badRequest('parse-failed', message, { path })
  }
  try {
    return assumedSession(Object.fromEntries(lower), dialect)
  } catch (error) {
    throw error instanceof TrellisError ? error.with({ path }) : error
  }
}

/** Refuses a request of neither kind, or of both, and an operation that is to be explained. */
export function refuseUnclear({ graphql, operation, explain }: AskedRequest, at: readonly (string | number)[]): void {
  if ((graphql === undefined) === (operation === undefined)) {
    throw badRequest('parse-failed', 'expected either "graphql" or "operation"', { path: at })
  }
  if (explain === true && graphql === undefined) {
    throw badRequest('parse-failed', 'only GraphQL requests can be explained', { path: [...at, 'explain'] })
  }
}

/** The result of a request as it is shown; a large one is an error. */
function shownResult(result: unknown): unknown {
  const isText = typeof result === 'string' || Buffer.isBuffer(result)
  const text = isText ? result.toString() : JSON.stringify(result)
  const bytes = Buffer.byteLength(text)
  if (bytes > largestAnswer) {
    const message = `the answer has ${bytes} bytes, and a simulation shows at most ${largestAnswer}`
    throw badRequest('not-supported', message)
  }
  return isText ? parseJson(text, 'precise') : result
}

/** The SQL of each root field of a query, which does not run. */
function statementsOf(
  graphql: Static<typeof GraphQLRequestBody>,
  session: Session,
  { model }: Trial,
  service: Engine['graphql'],
): unknown {
  const request = readGraphQLRequest(graphql)
  if (service.operation(request).kind !== 'query') throw badRequest('invalid-params', 'only queries can be explained')
  const { fields, variables } = service.inspect(request, session, 'standard', model)
  return fields.map(({ key, statement }) => ({
    field: key,
    sql: statement ? statement.textWith(bindParams(statement.params, { variables, session })) : null,
  }))
}

/** Runs a request in the transaction of a simulation. */
export async function ask(
  { graphql, operation, explain }: AskedRequest,
  session: Session,
  trial: Trial,
  service: Engine['graphql'],
): Promise<unknown> {
  const { model, transaction, run } = trial
  if (graphql === undefined) return shownResult(await run(operation))
  if (explain) return shownResult(statementsOf(graphql, session, trial, service))
  const answer = await service.execute(readGraphQLRequest(graphql), session, {
    ...{ headers: {}, transaction, model },
    onPrepared({ calls }) {
      // They would reach other servers, which cannot undo anything.
      if (calls) throw badRequest('not-supported', 'fields that are not answered by the database cannot be simulated')
    },
  })
  return shownResult(answer)
}

/** The answer as a simulation lists it: `{result}` or `{error}`. */
export const shownOutcome = ({
  result,
  error,
}: {
  readonly result?: unknown
  readonly error?: TrellisError | undefined
}) => (error ? { error: { path: pathText(error.path), error: error.message, code: error.code } } : { result })

/** Refuses a session that may only read: its requests would write, though only until the end. */
export function refuseReaders({ readOnly }: Session): void {
  if (readOnly) throw badRequest('access-denied', 'the read secret does not allow simulations')
}
