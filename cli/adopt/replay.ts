// Sends recorded requests to two servers, as the roles of their callers.

import { isJsonObject } from '../../core/json/json.ts'
import type { Io } from '../io.ts'
import { countOn } from '../progress.ts'
import type { Target } from '../target/target.ts'
import { type Comparison, compareAnswers } from './differences.ts'
import type { RecordedRequest } from './recorded.ts'
import type { RecordedSession } from './recorded-session.ts'

/** A request whose answers were compared. */
export interface Compared extends Comparison {
  readonly request: RecordedRequest
}

/** The outcome of a replay. */
export interface Replay {
  readonly compared: readonly Compared[]
  /** Numbers of requests that were not sent, by reason. */
  readonly left: ReadonlyMap<string, number>
}

interface Servers {
  readonly ours: Target
  readonly theirs: Target
  readonly io: Io
}

/** The prefixes of session variables; a server passes over those of the other dialect. */
const prefixes = ['x-service-', 'x-hasura-'] as const

const named = (session: RecordedSession, prefix: string): Record<string, string> =>
  Object.fromEntries(Object.entries(session ?? {}).map(([name, value]) => [`${prefix}${name}`, value]))

/** Sends requests in their order. Mutations run on both: on the other server they stay, on ours they are rolled back. */
export async function replay(requests: readonly RecordedRequest[], servers: Servers): Promise<Replay> {
  const { ours, theirs, io } = servers
  const compared: Compared[] = []
  const left = new Map<string, number>()
  const count = countOn(io, 'requests', requests.length)
  let trial: Trial | null = null
  try {
    for (const [at, request] of requests.entries()) {
      count.at(at)
      const { body, kind, isOrdered } = request
      if (kind === 'query') {
        const [left, right] = await Promise.all([asCaller(theirs, request), asCaller(ours, request)])
        compared.push({ request, ...compareAnswers(left, right, isOrdered) })
        continue
      }
      trial ??= await trialOn(ours)
      const own = await trial(body, request.session)
      if (own.refusal !== null) {
        left.set(own.refusal, (left.get(own.refusal) ?? 0) + 1)
        continue
      }
      compared.push({ request, ...compareAnswers(await asCaller(theirs, request), own.answer, isOrdered) })
    }
  } finally {
    count.end()
  }
  return { compared, left }
}

/** The answer of a server. A caller without a session is asked without the secret. */
async function asCaller(target: Target, { path, session, body }: RecordedRequest): Promise<unknown> {
  if (session === null) return (await target.askWithoutSecret(path, body)).body
  const headers = Object.assign({}, ...prefixes.map((prefix) => named(session, prefix)))
  return (await target.ask(path, body, headers)).body
}

/** A mutation that is rolled back; `refusal`: why it cannot be. */
interface Tried {
  readonly answer: unknown
  readonly refusal: string | null
}

type Trial = (body: unknown, session: RecordedSession) => Promise<Tried>

const unknownCaller = 'they are mutations without a role'
const beyondDatabase = 'they are mutations that other servers answer'

/** Tries mutations in simulations, with the session variables of the server's dialect. */
async function trialOn(ours: Target): Promise<Trial> {
  const simulate = (graphql: unknown, session: Record<string, string>) =>
    ours.ask('/v1/metadata', { type: 'simulate', args: { changes: [], ask: [{ session, graphql }] } })
  const { status } = await simulate({ query: '{ __typename }' }, { 'x-service-role': 'admin' })
  const prefix = prefixes[status === 200 ? 0 : 1]
  return async (body, session) => {
    if (session === null) return { answer: null, refusal: unknownCaller }
    const simulated = await simulate(body, named(session, prefix))
    const answers = isJsonObject(simulated.body) ? simulated.body['answers'] : null
    const outcome = Array.isArray(answers) ? answers[0]?.before : null
    if (!isJsonObject(outcome)) return { answer: simulated.body, refusal: null }
    if ('result' in outcome) return { answer: outcome['result'], refusal: null }
    const { path, error: message, code } = outcome['error'] as Readonly<Record<string, unknown>>
    if (code === 'not-supported' && /simulat/.test(String(message))) return { answer: null, refusal: beyondDatabase }
    return { answer: { errors: [{ message, extensions: { path, code } }] }, refusal: null }
  }
}
