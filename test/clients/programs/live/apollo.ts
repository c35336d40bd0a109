// Apollo Client, over the link of each protocol.

import { ApolloClient, type ApolloLink, gql, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { WebSocketLink } from '@apollo/client/link/ws'
import { documents, type LiveClient } from './client.ts'
import { subscriptionClient, transportWs } from './transports.ts'

function withLink(link: ApolloLink, close: () => void): LiveClient {
  const client = new ApolloClient({ cache: new InMemoryCache(), link })
  return {
    subscribe(name, variables, { next, error }) {
      const observable = client.subscribe({ query: gql(documents[name]), variables })
      const subscription = observable.subscribe({
        next: (result) => (result.error ? error(result.error) : next(result.data)),
        error,
      })
      return () => subscription.unsubscribe()
    },
    async run(name, variables) {
      const document = gql(documents[name])
      if (name === 'rename') return (await client.mutate({ mutation: document, variables })).data
      return (await client.query({ query: document, variables, fetchPolicy: 'network-only' })).data
    },
    close() {
      client.stop()
      close()
    },
  }
}

export function apolloOverGraphqlWs(url: string): LiveClient {
  const transport = transportWs(url)
  return withLink(new GraphQLWsLink(transport), () => void transport.dispose())
}

export function apolloOverSubscriptionsTransportWs(url: string): LiveClient {
  const transport = subscriptionClient(url)
  return withLink(new WebSocketLink(transport), () => transport.close())
}
