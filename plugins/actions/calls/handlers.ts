// The interface for plugins that handle actions with TypeScript functions instead of webhooks.

import { type Session, serviceKey } from '../../../sdk/index.ts'

/** Arguments and results of handled actions, by name, each `{input, output}`; plugins extend it. */
export interface ActionTypes {}

/** GraphQL with the caller's permissions, in the handler's transaction. */
export interface ActionClient {
  /**
   * Runs a query or mutation; gives its data. A failed one throws and is undone, and the handler may continue; an error that the handler
   * throws undoes everything.
   */
  graphql<Data = Record<string, unknown>>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data>
}

/** The context of a call. */
export interface ActionCall<Input = Readonly<Record<string, unknown>>> {
  /** The given arguments; omitted ones are absent. */
  readonly input: Input
  /** The caller's session. */
  readonly session: Session
  /** Request headers that the action forwards; empty without `forward_client_headers`. */
  readonly headers: Readonly<Record<string, string>>
  readonly client: ActionClient
  /** Aborts when the result is useless: the timeout is over, or the client has disconnected. */
  readonly signal: AbortSignal
  /** The id of an asynchronous call, the same for each attempt; else null. */
  readonly id: string | null
}

/** Handles calls of an action. Throwing `badRequest(code, message)` or a similar error refuses a call. */
export type ActionHandler<Input, Output> = (call: ActionCall<Input>) => Output | Promise<Output>

/** The arguments of an action in `ActionTypes`; any for other actions. */
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

/** Registers handlers of actions. */
export interface ActionHandlers {
  /** Handles the action with this name; its webhook is not called then. An action has at most one handler. */
  handle<const Name extends string>(name: Name, handler: ActionHandler<ActionInput<Name>, ActionOutput<Name>>): void
}

/** The service of the plugin `actions`. */
export const actionHandlers = serviceKey<ActionHandlers>('actions')
