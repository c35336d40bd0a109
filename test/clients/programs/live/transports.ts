// The libraries of the protocols themselves.

import { createClient as createSseClient } from 'graphql-sse'
import { createClient } from 'graphql-ws'
import { SubscriptionClient } from 'subscriptions-transport-ws'
import { documents, type LiveClient, type Variables, type Watcher } from './client.ts'

interface Result {
  readonly data?: unknown
  readonly errors?: readonly unknown[] | undefined
}

/** Passes data, and errors in results, to the subscriber. */
export const told = ({ next, error }: Watcher, { data, errors }: Result): void => {
  if (errors?.length) error(errors)
  else next(data)
}

/** The client of graphql-ws as other clients use it: it reconnects after any close. */
export const transportWs = (url: string, path = '/v1/graphql') =>
  createClient({
    url: url.replace('http', 'ws') + path,
    retryAttempts: 100,
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 50)),
    shouldRetry: () => true,
  })

/** The client of subscriptions-transport-ws. */
export const subscriptionClient = (url: string) =>
  new SubscriptionClient(`${url.replace('http', 'ws')}/v1/graphql`, { reconnect: true, minTimeout: 10_000 }, WebSocket)

/** A client that runs one operation per call of `subscribe`. */
interface Subscribing {
  subscribe(
    payload: { query: string; variables: Variables },
    sink: { next(result: Result): void; error(error: unknown): void; complete(): void },
  ): () => void
  dispose(): unknown
}

type Subscribe = (query: string, variables: Variables, watcher: Watcher) => () => void

/** A client that makes no difference between operations. */
const ofSubscribe = (subscribe: Subscribe, close: () => void): LiveClient => ({
  subscribe: (name, variables, watcher) => subscribe(documents[name], variables, watcher),
  run: (name, variables) =>
    new Promise((next, error) => {
      subscribe(documents[name], variables, { next, error })
    }),
  close,
})

const byLibrary = (client: Subscribing): LiveClient =>
  ofSubscribe(
    (query, variables, watcher) =>
      client.subscribe(
        { query, variables },
        { next: (result) => told(watcher, result), error: watcher.error, complete: () => {} },
      ),
    () => void client.dispose(),
  )

export const graphqlWs = (url: string): LiveClient => byLibrary(transportWs(url) as Subscribing)

export const graphqlSse = (url: string, singleConnection: boolean): LiveClient =>
  byLibrary(
    createSseClient<boolean>({
      url: `${url}/v1/graphql`,
      singleConnection,
      retryAttempts: 100,
      retry: () => new Promise((resolve) => setTimeout(resolve, 50)),
    }) as Subscribing,
  )

export function subscriptionsTransportWs(url: string): LiveClient {
  const client = subscriptionClient(url)
  return ofSubscribe(
    (query, variables, watcher) =>
      client
        .request({ query, variables })
        .subscribe({ next: (result) => told(watcher, result as Result), error: watcher.error }).unsubscribe,
    () => client.close(),
  )
}
