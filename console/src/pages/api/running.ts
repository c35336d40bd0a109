// Sending an operation, or explaining it.

import { facts } from '../../base/facts.ts'
import type { PlanNode } from '../../parts/plan-tree.tsx'
import { useOutcomes } from '../../parts/use-outcomes.ts'
import { type Identity, identity, identityHeaders } from '../../requests/identity.ts'
import { follow, send } from '../../requests/send.ts'
import { graphql } from '../../server/operations.ts'
import { history } from './history.ts'
import { type GraphqlRequest, isSubscription } from './operations.ts'

/** The SQL and the plan of a root field. */
export interface FieldPlan {
  readonly field?: string
  readonly sql: string | null
  readonly plan: { readonly Plan: PlanNode } | null
}

/** A message of a subscription. */
export interface Message {
  /** The first one is 1. */
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly body: unknown
}

/** Messages of a subscription that the page keeps. */
const keptMessages = 100

const remember = ({ query, variables }: GraphqlRequest, state: 'good' | 'bad') =>
  history.remember(query, state, variables === undefined ? undefined : JSON.stringify(variables, null, 2))

interface Sent {
  readonly request: GraphqlRequest
  readonly mode: 'run' | 'explain' | 'analyze'
}

/** The state of the last request of a draft. */
export type Outcome =
  | { readonly state: 'running'; cancel(): void }
  | { readonly state: 'failed'; readonly error: unknown; retry(): void }
  | {
      readonly state: 'following'
      /** The last of them. */
      readonly messages: readonly Message[]
      readonly isOpen: boolean
      readonly as: Identity
      stop(): void
    }
  | { readonly state: 'plans'; readonly plans: readonly FieldPlan[]; readonly as: Identity }
  | {
      readonly state: 'done'
      readonly body: unknown
      readonly text: string
      readonly millis: number
      readonly as: Identity
      readonly hasErrors: boolean
    }

async function outcomeOf({ request, mode }: Sent, as: Identity, signal: AbortSignal): Promise<Outcome> {
  const { query, variables, operationName } = request
  if (mode === 'run') {
    const { body, text, millis } = await graphql(
      { query, ...(variables !== undefined && { variables }), ...(operationName !== undefined && { operationName }) },
      { as, signal },
    )
    return { state: 'done', body, text, millis, as, hasErrors: body.errors !== undefined }
  }
  const user = as.role === null ? { [facts.roleHeader]: 'admin' } : identityHeaders(as)
  const { body } = await send<FieldPlan | readonly FieldPlan[]>({
    ...{ name: 'explain', path: 'v1/graphql/explain', signal },
    body: { query: request, user, format: 'json', ...(mode === 'analyze' && { analyze: true }) },
  })
  return { state: 'plans', plans: [body].flat(), as }
}

/** Shows the messages of a subscription until it ends or is stopped. */
async function subscribe(request: GraphqlRequest, controller: AbortController, show: (outcome: Outcome) => void) {
  const as = identity.get()
  let messages: readonly Message[] = []
  const state = (isOpen: boolean) => show({ state: 'following', messages, isOpen, as, stop: () => controller.abort() })
  const stream = { name: request.operationName ?? 'graphql', path: 'v1/graphql', as, signal: controller.signal }
  state(true)
  try {
    await follow({ ...stream, body: request }, ({ event, data: body }) => {
      if (event !== 'next') return
      const message = { id: (messages.at(-1)?.id ?? 0) + 1, at: Date.now(), body }
      messages = [...messages, message].slice(-keptMessages)
      state(true)
    })
  } catch (error) {
    if (!controller.signal.aborted) throw error
  }
  state(false)
}

/** The outcomes of drafts, with the function that sends one. */
export function useRequests() {
  const { outcomes, begin } = useOutcomes<Outcome>()
  const start = async (draft: string, sent: Sent): Promise<void> => {
    const { controller, show } = begin(draft)
    show({ state: 'running', cancel: () => controller.abort() })
    try {
      if (sent.mode === 'run' && isSubscription(sent.request)) {
        remember(sent.request, 'good')
        await subscribe(sent.request, controller, show)
        return
      }
      const outcome = await outcomeOf(sent, identity.get(), controller.signal)
      remember(sent.request, outcome.state === 'done' && outcome.hasErrors ? 'bad' : 'good')
      show(outcome)
    } catch (error) {
      remember(sent.request, 'bad')
      const shown = controller.signal.aborted ? new Error('cancelled') : error
      show({ state: 'failed', error: shown, retry: () => void start(draft, sent) })
    }
  }
  return { outcomes, start } as const
}
