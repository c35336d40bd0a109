// Real clients of subscriptions side by side, each with a book of its own. Each client sees two states, runs a query
// and a mutation, and gets an error. A line on stdout then asks for a restart of the server. Afterwards each client
// sees the later states, unsubscribes, and must see no more.

import { setTimeout as sleep } from 'node:timers/promises'
import { apolloOverGraphqlWs, apolloOverSubscriptionsTransportWs } from './live/apollo.ts'
import { type LiveClient, messageOf, titleOf } from './live/client.ts'
import { relayOverGraphqlWs } from './live/relay.ts'
import { graphqlSse, graphqlWs, subscriptionsTransportWs } from './live/transports.ts'
import { urqlOverEvents, urqlOverGraphqlWs } from './live/urql.ts'

const [, , url = ''] = process.argv

const clients: Record<string, LiveClient> = {
  'graphql-ws': graphqlWs(url),
  'subscriptions-transport-ws': subscriptionsTransportWs(url),
  'graphql-sse': graphqlSse(url, false),
  'graphql-sse, one stream': graphqlSse(url, true),
  'Apollo, GraphQLWsLink': apolloOverGraphqlWs(url),
  'Apollo, WebSocketLink': apolloOverSubscriptionsTransportWs(url),
  urql: urqlOverGraphqlWs(url),
  'urql, events': urqlOverEvents(url),
  Relay: await relayOverGraphqlWs(url),
}

/** A client at work. */
class Play {
  readonly #client: LiveClient
  readonly #variables: { readonly id: number }
  readonly #states: string[] = []
  #leave: () => void
  readonly #wakes: (() => void)[] = []
  told = {}

  constructor(client: LiveClient, id: number) {
    this.#client = client
    this.#variables = { id }
    this.#leave = this.#watch()
  }

  #watch(): () => void {
    const see = (state: string) => {
      if (this.#states.at(-1) !== state) this.#states.push(state)
      for (const wake of this.#wakes.splice(0)) wake()
    }
    return this.#client.subscribe('watch', this.#variables, {
      next: (data) => see(titleOf(data)),
      error: (error) => this.#client.staysAway || see(`error: ${messageOf(error)}`),
    })
  }

  /** Waits for a state; a missing one shows in the final count. */
  async #until(state: string): Promise<void> {
    const deadline = Date.now() + 20_000
    while (this.#states.at(-1) !== state && Date.now() < deadline) {
      await Promise.race([new Promise<void>((resolve) => this.#wakes.push(resolve)), sleep(1000)])
    }
  }

  #rename(title: string): Promise<unknown> {
    return this.#client.run('rename', { ...this.#variables, title })
  }

  async begin(): Promise<void> {
    await this.#until('One')
    const renamed = titleOf(await this.#rename('Two'))
    await this.#until('Two')
    const read = titleOf(await this.#client.run('read', this.#variables))
    const refused = await new Promise((resolve) => {
      const error = (reason: unknown) => resolve(messageOf(reason))
      this.#client.subscribe('wrong', {}, { next: (data) => resolve(JSON.stringify(data)), error })
    })
    this.told = { renamed, read, refused }
  }

  async end(): Promise<object> {
    while (this.#client.staysAway && this.#states.at(-1) !== 'Three') {
      this.#leave()
      this.#leave = this.#watch()
      await sleep(300)
    }
    await this.#until('Three')
    this.#leave()
    await this.#rename('Unseen')
    await sleep(500)
    this.#client.close()
    return { states: this.#states, ...this.told }
  }
}

const plays = Object.entries(clients).map(([name, client], i) => [name, new Play(client, i + 1)] as const)
await Promise.all(plays.map(([, play]) => play.begin()))
console.log('ready for a restart')
const results = await Promise.all(plays.map(async ([name, play]) => [name, await play.end()]))
console.log(JSON.stringify(Object.fromEntries(results)))
process.exit()
