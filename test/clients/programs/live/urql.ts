// urql: subscriptions over a WebSocket and all else over fetch, or everything over fetch, which reads server-sent events.

import { Client, type Exchange, fetchExchange, gql, type OperationResult, subscriptionExchange } from '@urql/core'
import { documents, type LiveClient } from './client.ts'
import { transportWs } from './transports.ts'

function withExchanges(url: string, exchanges: Exchange[], close: () => void): LiveClient {
  const client = new Client({
    url: `${url}/v1/graphql`,
    exchanges,
    fetchSubscriptions: exchanges.length === 1,
    preferGetMethod: false,
  })
  const dataOf = ({ data, error }: OperationResult) => {
    if (error) throw error
    return data as unknown
  }
  return {
    subscribe(name, variables, watcher) {
      const { unsubscribe } = client.subscription(gql(documents[name]), variables).subscribe(({ data, error }) => {
        if (error) watcher.error(error)
        else watcher.next(data)
      })
      return unsubscribe
    },
    run: async (name, variables) =>
      dataOf(await client[name === 'rename' ? 'mutation' : 'query'](gql(documents[name]), variables)),
    close,
  }
}

export function urqlOverGraphqlWs(url: string): LiveClient {
  const transport = transportWs(url)
  const exchange = subscriptionExchange({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: ({ next, error, complete }) => ({
        unsubscribe: transport.subscribe(
          { query, variables: variables as Record<string, unknown> },
          { next: (result) => next(result as Parameters<typeof next>[0]), error, complete },
        ),
      }),
    }),
  })
  return withExchanges(url, [exchange, fetchExchange], () => void transport.dispose())
}

export const urqlOverEvents = (url: string): LiveClient => ({
  ...withExchanges(url, [fetchExchange], () => {}),
  staysAway: true,
})
