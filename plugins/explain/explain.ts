// The statements that a request would run, and PostgreSQL's plans for them. The statements are printed from the
// same plans that answer requests.

import {
  type GraphQLRequest,
  type InspectedField,
  type InspectedStatement,
  readGraphQLRequest,
  type Variables,
} from '../../sdk/graphql.ts'
import { assumedSession } from '../../sdk/http.ts'
import { badRequest, type Dialect, type Engine, type Session, TrellisError } from '../../sdk/index.ts'
import { decode } from '../../sdk/metadata.ts'
import {
  bindParams,
  isReadOnlyTransaction,
  type ReadOptions,
  sessionVariablesOf,
  type Transaction,
} from '../../sdk/sql.ts'
import { explainBody } from './schema.ts'

/** PostgreSQL's plan of a statement: its lines, or its tree of nodes. */
type PostgresPlan = readonly string[] | object

interface Explained {
  readonly sql: string
  readonly plan: PostgresPlan
}

/** Which plans are asked for. */
interface PlanOptions {
  readonly format: 'text' | 'json'
  readonly analyze: boolean
}

/** Of root fields that need no statement. */
type Unasked = Readonly<Record<keyof Explained, null>>

const unasked: Unasked = { sql: null, plan: null }

/** The explanation of a root field. */
type ExplainedField = { readonly field: string } & (Explained | Unasked)

/** The caller, and when it needs no answer any more. */
type Asking = Required<Pick<ReadOptions, 'caller'>> & { whenUnwanted(): AbortSignal }

/** Explains the request of a body: each root field of a query, or the one statement of a subscription. */
export async function explain(
  engine: Engine,
  body: unknown,
  { caller, whenUnwanted }: Asking,
): Promise<Explained | Unasked | readonly ExplainedField[]> {
  const { query, user = {}, is_relay, format = 'text', analyze = false } = decode(explainBody, body)
  const options = { format, analyze }
  const request = readRequest(query)
  const session = explainedSession(user, engine.dialect)
  const { kind } = engine.graphql.operation(request)
  if (kind === 'mutation') throw badRequest('invalid-params', 'only queries can be explained')
  const schema = is_relay ? 'relay' : 'standard'
  const { fields, variables, hasJoins } = engine.graphql.inspect(request, session, schema)
  checkFields(engine, fields, hasJoins)
  checkSession(fields, session)
  const bindings = { variables, session, options }
  const work = async (transaction: Transaction) => {
    if (kind === 'subscription') return explainSubscription(transaction, fields[0]!.statement, bindings)
    const explained: ExplainedField[] = []
    for (const field of fields) explained.push(await explainField(transaction, field, bindings))
    return explained
  }
  return engine.database.transaction(work, { readOnly: true, caller, signal: analyze ? whenUnwanted() : null })
}

function readRequest(query: unknown): GraphQLRequest {
  try {
    return readGraphQLRequest(typeof query === 'string' ? { query } : query)
  } catch (error) {
    throw error instanceof TrellisError ? error.at('query') : error
  }
}

function checkFields({ dialect }: Engine, fields: readonly InspectedField[], hasJoins: boolean): void {
  const refusal = fields.find((field) => field.refusal !== null)?.refusal
  if (refusal) throw badRequest('invalid-params', refusal)
  if (fields.some(({ by }) => by === 'javascript')) {
    throw badRequest('invalid-params', `only ${dialect.explainable} queries can be explained`)
  }
  if (hasJoins) throw badRequest('not-supported', 'Remote relationships are not allowed in explain query')
}

function checkSession(fields: readonly InspectedField[], { role, variables }: Session): void {
  const needed = sessionVariablesOf(fields.flatMap(({ statement }) => statement?.params ?? []))
  const missing = needed.find((name) => !Object.hasOwn(variables, name))
  if (missing === undefined) return
  throw badRequest('unexpected-payload', `missing required session variable for role "${role}" : ${missing}`)
}

/** The session of the member `user`: session variables in any case; other members are left out. */
function explainedSession(user: Readonly<Record<string, string>>, dialect: Dialect): Session {
  const variables: Record<string, string> = {}
  for (const [key, value] of Object.entries(user)) {
    const name = key.toLowerCase()
    const isSecret = name === dialect.adminSecretHeader || name === dialect.accessKeyHeader
    if (name.startsWith(dialect.sessionPrefix) && !isSecret) variables[name] = value
  }
  return assumedSession(variables, dialect)
}

interface Bindings {
  readonly variables: Variables
  readonly session: Session
  readonly options: PlanOptions
}

async function explainField(
  transaction: Transaction,
  { key, statement }: InspectedField,
  bindings: Bindings,
): Promise<ExplainedField> {
  if (!statement) return { field: key, ...unasked }
  const values = bindParams(statement.params, bindings)
  const plan = await planOf(transaction, { text: statement.text, values }, bindings.options)
  return { field: key, sql: statement.textWith(values), plan }
}

const someId = '00000000-0000-0000-0000-000000000000'

async function explainSubscription(
  transaction: Transaction,
  statement: InspectedStatement | null,
  bindings: Bindings,
): Promise<Explained | Unasked> {
  if (!statement) return unasked
  const { text, memberParams } = statement.batch()
  const values = JSON.stringify(bindParams(memberParams, bindings))
  return { sql: text, plan: await planOf(transaction, { text, values: [[someId], [values]] }, bindings.options) }
}

/** A statement with its values. */
interface Asked {
  readonly text: string
  readonly values: readonly unknown[]
}

/** The plan of a statement, which runs only to be analyzed. */
async function planOf(
  transaction: Transaction,
  { text, values }: Asked,
  { format, analyze }: PlanOptions,
): Promise<PostgresPlan> {
  const asked = `EXPLAIN (FORMAT ${format.toUpperCase()}${analyze ? ', ANALYZE, BUFFERS' : ''}) ${text}`
  try {
    const rows = await transaction.rows<{ 'QUERY PLAN': string | readonly object[] }>(asked, values)
    const plans = rows.map((row) => row['QUERY PLAN'])
    return format === 'json' ? (plans[0]![0] as object) : (plans as string[])
  } catch (error) {
    if (!isReadOnlyTransaction(error)) throw error
    const message = 'a function that the request calls writes, so the request can only be explained without analyze'
    throw badRequest('not-supported', message)
  }
}
