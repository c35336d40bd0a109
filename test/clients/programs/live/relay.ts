// Relay, with all operations over one socket.

import relay from 'relay-runtime'
import type { LiveClient, Variables } from './client.ts'
import { transportWs } from './transports.ts'

const { commitMutation, createOperationDescriptor, Environment, fetchQuery, Network, RecordSource, Store } = relay

const artifact = async (name: string): Promise<relay.ConcreteRequest> =>
  (await import(`../../relay-live/generated/artifacts/${name}.graphql.js`)).default

export async function relayOverGraphqlWs(url: string): Promise<LiveClient> {
  const transport = transportWs(url, '/v1beta1/relay')
  const [watch, wrong, read, rename] = await Promise.all([
    artifact('bookWatchSubscription'),
    artifact('bookWrongSubscription'),
    artifact('bookReadQuery'),
    artifact('bookRenameMutation'),
  ])
  const ask = ({ text }: relay.RequestParameters, variables: Variables) =>
    relay.Observable.create<relay.GraphQLResponse>(({ next, error, complete }) =>
      transport.subscribe(
        { query: text ?? '', variables },
        {
          next: (result) => next(result as relay.GraphQLResponse),
          // Relay shows errors as an Error.
          error: (reason) => error(Array.isArray(reason) ? new Error(reason[0].message) : (reason as Error)),
          complete,
        },
      ),
    )
  const environment = new Environment({ store: new Store(new RecordSource()), network: Network.create(ask, ask) })
  const subscriptions = { watch, wrong }
  return {
    subscribe(name, variables, { next, error }) {
      const request = createOperationDescriptor(subscriptions[name], variables)
      const subscription = relay.requestSubscription(environment, {
        ...{ subscription: subscriptions[name], variables: request.request.variables },
        onNext: (data) => next(data),
        onError: error,
      })
      return () => subscription.dispose()
    },
    run: (name, variables) =>
      name === 'read'
        ? fetchQuery(environment, read, variables).toPromise()
        : new Promise((onCompleted, onError) => {
            commitMutation(environment, { mutation: rename, variables, onCompleted, onError })
          }),
    close: () => void transport.dispose(),
  }
}
