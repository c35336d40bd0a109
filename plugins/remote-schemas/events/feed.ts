// A root field of subscriptions that a remote server answers.

import {
  answered,
  type FeedPlanner,
  type FieldSelection,
  type ResolvedCall,
  wholeAnswer,
} from '../../../sdk/graphql.ts'
import { pathKeys, validationFailed } from '../../../sdk/index.ts'
import { answerOf, fieldAnswers } from '../ask/answer.ts'
import type { Question, RemotePlan } from '../ask/questions.ts'
import { allOf, requestOf } from '../ask/request-body.ts'
import type { ServerOptions } from '../ask/server.ts'
import type { RemoteSchemaModel } from '../metadata.ts'
import type { PlanField } from '../root-fields.ts'
import type { RemoteEvent } from '../servers/transport.ts'

/** The feed of a subscription field; `plan` plans the remote root field. */
export function remoteFeed(
  remote: RemoteSchemaModel,
  plan: PlanField,
  options: Pick<ServerOptions, 'keepsData'>,
): FeedPlanner<RemotePlan> {
  return {
    kind: 'feed',
    membersBy: 'response name',
    partial: options.keepsData,
    plan: (field, context) => checked(plan(field, context), field),
    origin: (call) => JSON.stringify([remote.transport.origin, asked(call, remote).body]),
    open: (call) => open(call, remote, options.keepsData),
  }
}

/** A namespace may hold several fields, or none: a subscription needs exactly one. */
function checked(plan: RemotePlan, field: FieldSelection): RemotePlan {
  if (plan.fields === 1) return plan
  throw validationFailed('subscriptions must select one top level field', pathKeys(field.path))
}

interface Asked {
  readonly question: Question
  readonly body: string
  readonly aliases: readonly string[]
  /** Whether events may be passed through. */
  readonly isWhole: boolean
}

function asked(given: ResolvedCall<RemotePlan>, { types }: RemoteSchemaModel): Asked {
  const call = { ...given, rows: null }
  const { names } = types
  const mayBeWhole = names.keepsTypes && names.namespace === null
  const whole = mayBeWhole ? call.plan.ask(call, { index: 0, isWhole: true }) : null
  const isWhole = whole?.isExact === true
  const question = isWhole && whole ? whole : call.plan.ask(call, { index: 0, isWhole: false })
  const { body, aliases } = requestOf({ ...allOf([question]), questions: [question], shape: 'event', call, types })
  return { question, body, aliases, isWhole }
}

async function open(
  call: ResolvedCall<RemotePlan>,
  remote: RemoteSchemaModel,
  keepsData: boolean,
): Promise<AsyncIterable<unknown>> {
  const { body, ...reading } = asked(call, remote)
  return results(await remote.transport.begin({ body, call }), { ...reading, keepsData })
}

interface Reading extends Omit<Asked, 'body'> {
  readonly keepsData: boolean
}

async function* results(events: AsyncIterable<RemoteEvent>, reading: Reading): AsyncGenerator<unknown> {
  for await (const event of events) yield resultOf(event, reading)
}

function resultOf(event: RemoteEvent, { question, aliases, isWhole, keepsData }: Reading): unknown {
  const answer = answerOf(event, 200)
  if (isWhole) return wholeAnswer(JSON.stringify(event))
  if (answer.errors.length > 0 && !keepsData) return answered(null, { errors: answer.errors, endsAnswer: true })
  return question.result(fieldAnswers(answer, aliases))
}
