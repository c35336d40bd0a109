// For plugins that answer actions with functions of TypeScript in the place of webhooks.

import { type Session, serviceKey } from '../../sdk/index.ts'

/** Arguments and results of actions that plugins handle, by the action's name, each `{input, output}`: plugins add theirs. */
export interface ActionTypes {}

/** GraphQL as the caller of an action may use it, in the one transaction of the handler. */
export interface ActionClient {
  /**
   * Runs a query or mutation; its data. What fails throws and is undone, and the handler may go on; what the handler itself
   * throws undoes everything.
   */
  graphql<Data = Record<string, unknown>>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data>
}

/** What a handler is given of a call. */
export interface ActionCall<Input = Readonly<Record<string, unknown>>> {
  /** The arguments; those that were left out are absent. */
  readonly input: Input
  /** Who calls. */
  readonly session: Session
  /** Headers of the request that the action forwards: none unless it has `forward_client_headers`. */
  readonly headers: Readonly<Record<string, string>>
  readonly client: ActionClient
  /** Aborts when nobody waits for the result any more: the time of the action is up, or its client is gone. */
  readonly signal: AbortSignal
  /** Of an asynchronous action: the same whenever the call is tried again. Else null. */
  readonly id: string | null
}

/** Answers calls of an action. Throwing `badRequest(code, message)` and its like refuses a call with that error. */
export type ActionHandler<Input, Output> = (call: ActionCall<Input>) => Output | Promise<Output>

/** The arguments of an action that `ActionTypes` names; of others any. */
export type ActionInput<Name> = Name extends keyof ActionTypes
  ? ActionTypes[Name] extends { readonly input: infer Input }
    ? Input
    : Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>

/** Its result. */
export type ActionOutput<Name> = Name extends keyof ActionTypes
  ? ActionTypes[Name] extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown

/** Takes handlers of actions. */
export interface ActionHandlers {
  /** Answers the action of that name, whose webhook is not called then. There can be one handler for each. */
  handle<const Name extends string>(name: Name, handler: ActionHandler<ActionInput<Name>, ActionOutput<Name>>): void
}

/** The service of the plugin `actions`. */
export const actionHandlers = serviceKey<ActionHandlers>('actions')
