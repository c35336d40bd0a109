// Functions of plugins that receive events instead of webhooks.

import {
  badRequest,
  didYouMean,
  messageOf,
  parseFailed,
  serviceKey,
  stackOf,
  TrellisError,
} from '../../../sdk/index.ts'
import { longestTimer, type Observer, parseJson, unlessAborted } from '../../../sdk/services.ts'
import { keptMessageCharacters } from '../tuning.ts'
import { type Attempt, failureStatus, type WebhookCall, type WebhookCaller } from './attempt.ts'
import type { ResolvedHeaders } from './headers.ts'

/** An event for a function. */
export interface EventCall {
  /** The id of the event; the same at each attempt. */
  readonly id: string
  /** The body that a webhook would get. A number that a double cannot hold is a `RawNumber`. */
  readonly payload: unknown
  /** 1 at first. */
  readonly attempt: number
  /** Aborts after the timeout of the trigger, and when the server stops. */
  readonly signal: AbortSignal
}

/** Receives events. The event is delivered when it returns, and tried again by the trigger's retries when it throws. */
export type EventHandler = (call: EventCall) => unknown

/** Registers functions for triggers that name a `handler`. */
export interface EventHandlers {
  /** Names a function, in `register`. A name has one function. */
  handle(name: string, handler: EventHandler): void
}

/** The service of the plugin `delivery` for plugins with handlers. */
export const eventHandlers = serviceKey<EventHandlers>('event handlers')

/** The functions by name. They are complete when the server is ready, as the metadata is resolved with them. */
export class NamedHandlers implements EventHandlers {
  readonly #handlers = new Map<string, EventHandler>()
  #isComplete = false

  handle(name: string, handler: EventHandler): void {
    if (typeof name !== 'string' || name === '') throw new Error('the name of an event handler has to be a text')
    if (typeof handler !== 'function') throw new Error(`event handler "${name}" has to be a function`)
    if (this.#handlers.has(name)) throw new Error(`event handler "${name}" is declared already`)
    if (this.#isComplete) {
      throw new Error(`event handler "${name}" is declared too late: declarations are complete when register() returns`)
    }
    this.#handlers.set(name, handler)
  }

  complete(): void {
    this.#isComplete = true
  }

  /** The function; refuses an unknown name. */
  require(name: string): EventHandler {
    const handler = this.#handlers.get(name)
    if (handler) return handler
    const help = didYouMean(name, () => this.#handlers.keys())
    throw badRequest('constraint-violation', `no plugin has an event handler "${name}"`, { help })
  }
}

const ofWebhooks = ['headers', 'request_transform', 'response_transform'] as const

/** Refuses members of a trigger with a handler that would have no effect. */
export function refuseWebhookMembers(given: object): void {
  for (const key of ofWebhooks) {
    if (Reflect.get(given, key) !== undefined)
      throw parseFailed(`${key} is for webhooks, and this trigger has a handler`, [key])
  }
}

/** The receiver of a trigger's events. */
export type Receiver =
  | { readonly kind: 'webhook'; readonly url: string; readonly headers: ResolvedHeaders }
  | { readonly kind: 'function'; readonly name: string; readonly run: EventHandler }

/** An event for a receiver. */
export interface ReceiverCall extends WebhookCall {
  /** Attempts before this one. */
  readonly tries: number
}

/** Calls webhooks and functions. A failed attempt is a result as well, so a call rejects only when the signal aborts. */
export class ReceiverCaller {
  readonly webhooks: WebhookCaller
  readonly #observe: Observer

  constructor(webhooks: WebhookCaller, observe: Observer) {
    this.webhooks = webhooks
    this.#observe = observe
  }

  call(receiver: Receiver, call: ReceiverCall): Promise<Attempt> {
    return receiver.kind === 'function' ? this.#run(receiver, call) : this.webhooks.call(receiver, call)
  }

  async #run({ name, run }: Receiver & { kind: 'function' }, call: ReceiverCall): Promise<Attempt> {
    const { id, body, tries, timeoutSeconds, signal } = call
    const limit = AbortSignal.timeout(Math.min(longestTimer, Math.max(1, Math.round(timeoutSeconds * 1000))))
    const either = AbortSignal.any([signal, limit])
    const failed = (message: string, status: number) => this.webhooks.ofFunction(name, body, { message, status })
    try {
      const given: EventCall = { id, payload: parseJson(body, 'precise'), attempt: tries + 1, signal: either }
      await unlessAborted(either, (async () => run(given))())
      return this.webhooks.ofFunction(name, body, null)
    } catch (error) {
      signal.throwIfAborted()
      if (limit.aborted) return failed(`no result within ${timeoutSeconds} s`, failureStatus.client)
      // An error of the API is a refusal; any other is a fault of the plugin.
      if (!(error instanceof TrellisError)) this.#report(name, error)
      return failed(shown(messageOf(error)), failureStatus.other)
    }
  }

  #report(name: string, error: unknown): void {
    const detail = `event handler "${name}" failed: ${stackOf(error)}`
    this.#observe.log({ type: 'unstructured', level: 'error', detail })
  }
}

/** A message for the log of attempts: without credentials of URLs. */
const shown = (message: string): string => message.slice(0, keptMessageCharacters).replace(/\/\/[^\s/@]*@/g, '//')
