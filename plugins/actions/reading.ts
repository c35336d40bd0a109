// Reads the log of asynchronous calls.

import { badRequest, Type } from '../../sdk/index.ts'
import { ContainedJson, GraphQLName, type OperationContext, operation, PointInTime } from '../../sdk/metadata.ts'
import { readPage } from '../../sdk/services.ts'
import { mostLogged, mostLoggedBytes } from './tuning.ts'

const Status = Type.Union(['created', 'processing', 'completed', 'error'].map((status) => Type.Literal(status)))

const Args = Type.Object({
  action: Type.Optional(GraphQLName),
  status: Type.Optional(Status),
  from: Type.Optional(PointInTime),
  /** The first moment after the period. */
  to: Type.Optional(PointInTime),
  /** Session variables that the call was made with. */
  session: Type.Optional(ContainedJson),
  /** A part of the arguments. */
  where: Type.Optional(ContainedJson),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: mostLogged })),
  /** The id of the last entry of the page before. */
  after: Type.Optional(Type.String()),
})

const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Unknown>>(schema: T) =>
  Type.Union([schema, Type.Null()])

const Call = Type.Object(
  {
    id: Type.String(),
    action: Type.String(),
    status: Status,
    input: Type.Unknown(),
    session_variables: Type.Unknown(),
    output: Type.Unknown(),
    errors: Type.Unknown(),
    created_at: Type.String(),
    response_received_at: nullable(Type.String()),
  },
  { title: 'LoggedCall' },
)

/** The request's headers may hold credentials, so they are not shown. */
const columns = `id, action_name as action, status, input_payload as input, session_variables, response_payload as output,
  errors, created_at, response_received_at`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The moment of an entry. */
async function momentOf({ transaction }: OperationContext, id: string): Promise<string> {
  const [entry] = uuid.test(id)
    ? await transaction.rows<{ at: string }>(
        'select created_at::text as at from trellis.hdb_action_log where id = $1',
        [id],
      )
    : []
  if (!entry) throw badRequest('not-exists', 'the log has no such entry', { path: ['after'] })
  return entry.at
}

export const getActionLogs = operation({
  type: 'get_action_logs',
  about: { summary: 'Lists calls of asynchronous actions, the newest first.', result: Type.Array(Call) },
  args: Args,
  access: 'any',
  editsMetadata: false,
  async handle(context, { action, status, from, to, session, where, limit = 100, after }) {
    const values: unknown[] = []
    const bound = (value: unknown) => `$${values.push(value)}`
    const conditions = [
      'true',
      ...(action === undefined ? [] : [`action_name = ${bound(action)}`]),
      ...(status === undefined ? [] : [`status = ${bound(status)}`]),
      ...(from === undefined ? [] : [`created_at >= ${bound(from)}::timestamptz`]),
      ...(to === undefined ? [] : [`created_at < ${bound(to)}::timestamptz`]),
      ...(session === undefined ? [] : [`session_variables @> ${bound(session)}::jsonb`]),
      ...(where === undefined ? [] : [`input_payload @> ${bound(where)}::jsonb`]),
    ]
    if (after !== undefined) {
      const at = `${bound(await momentOf(context, after))}::timestamptz`
      conditions.push(`(created_at < ${at} or (created_at = ${at} and id > ${bound(after)}::uuid))`)
    }
    const { rows } = await readPage(context.transaction, {
      from: `select ${columns} from trellis.hdb_action_log where ${conditions.join(' and ')}`,
      order: 'created_at desc, id',
      values,
      limit,
      offset: 0,
      counts: false,
      mostBytes: mostLoggedBytes,
    })
    return rows
  },
})
