// Real clients of subscriptions at one server, which is restarted under them.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { installClients } from './install.ts'
import { runProgram, runTool } from './run.ts'

before(installClients)

const clients = [
  'graphql-ws',
  'subscriptions-transport-ws',
  'graphql-sse',
  'graphql-sse, one stream',
  'Apollo, GraphQLWsLink',
  'Apollo, WebSocketLink',
  'urql',
  'urql, events',
  'Relay',
]

test('real clients subscribe, ask, are refused, come back after a restart, and leave', async (t) => {
  const settings = { liveQueriesRefetchInterval: 200 }
  const trellis = await startLibrary(t, { settings })
  const { url, database } = trellis
  await database.sql(`delete from book;
    insert into book (id, title, publisher_id) select n, 'One', 1 from generate_series(1, ${clients.length}) n`)
  await runProgram('introspect', url, { args: ['relay-live'] })
  await runTool('relay-compiler/cli.js', ['relay-live.config.json', '--noWatchman'])
  const restart = async () => {
    await trellis.engine.close()
    await database.sql(`update book set title = 'Three'`)
    await startTrellis(t, { database, settings: { ...settings, serverPort: Number(new URL(url).port) } })
  }
  const told = (await runProgram('live', url, { onFirstLine: restart })) as Record<string, { refused: string }>
  assert.deepEqual(Object.keys(told), clients)
  for (const [name, { refused, ...rest }] of Object.entries(told)) {
    assert.deepEqual(rest, { states: ['One', 'Two', 'Three'], renamed: 'Two', read: 'Two' }, name)
    assert.match(refused, /unexpected negative value|expecting a non-negative/, name)
  }
})
