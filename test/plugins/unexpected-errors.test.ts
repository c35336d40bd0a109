// Errors that nobody expects, such as the mistake of a plugin: the client sees no details, and the log shows them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin } from '../../core/engine/plugin.ts'
import { recordingObserver } from '../http/server.ts'
import { graphqlSseClient, graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startLibrary } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'

const books = '{ book(where: {id: {_eq: 1}}) { title } }'
const change = 'mutation { update_book(where: {id: {_eq: 1}}, _set: {title: "Dusk"}) { affected_rows } }'

test('an unexpected error is logged wherever its operation came from, and not shown', async (t) => {
  const observe = recordingObserver()
  let isFaulty = false
  const fail = () => {
    if (isFaulty) throw new TypeError('my mistake')
  }
  const plugin = definePlugin({
    name: 'faulty',
    register: (engine) =>
      engine.around({
        operation(_work, run) {
          fail()
          return run()
        },
        change(_work, run) {
          fail()
          return run()
        },
      }),
  })
  const { url, request, sql } = await startLibrary(t, { plugins: [plugin], observe })
  const sockets = graphqlWsClient(t, url)
  const streams = graphqlSseClient(t, url, { singleConnection: true })
  /** Runs some work; gives the answers that it received and whether the log shows the mistake. */
  const told = async (work: () => Promise<unknown>) => {
    observe.entries.length = 0
    isFaulty = true
    const answer = JSON.stringify(await work())
    const isLogged = () => observe.entries.some(({ detail }) => String(detail).includes('TypeError: my mistake'))
    await eventually(isLogged)
    isFaulty = false
    assert.match(answer, /internal error/)
    assert.doesNotMatch(answer, /mistake/)
  }
  for (const query of [books, change]) {
    await told(async () => (await request('/v1/graphql', { body: { query } })).body)
    await told(async () => (await request('/v1/graphql', { body: [{ query }] })).body)
    await told(() => subscribeWith(sockets, query).atLeast(1))
    await told(() => subscribeWith(streams, query).atLeast(1))
  }
  const live = subscribeWith(sockets, `subscription ${books}`)
  await live.atLeast(1)
  await told(async () => {
    await sql(`update book set title = 'Noon' where id = 1`)
    return live.atLeast(2)
  })
})
