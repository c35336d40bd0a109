// Log lines about operations of sockets and streams: all lines of an operation have the same id.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEntry } from '../../core/log/observe.ts'
import { recordingObserver } from '../http/server.ts'
import { startLibrary } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'
import { openSocket } from './clients.ts'

interface OperationLine {
  readonly operation_id: string
  readonly request_id: string | null
  readonly operation_name: string | null
  readonly operation_type: { readonly type: string }
}

/** The log lines of an operation, in order. */
function linesOf(entries: readonly LogEntry[], id: string): OperationLine[] {
  const details = entries.flatMap(({ type, detail }) => (type === 'websocket-log' ? [detail as SocketLine] : []))
  return details.flatMap(({ event: { detail } }) => (detail?.operation_id === id ? [detail] : []))
}
interface SocketLine {
  readonly event: { readonly detail?: OperationLine }
}

/** The id with which the log has the query of an operation. */
const queryIdOf = (entries: readonly LogEntry[], name: string): string | undefined => {
  const isIt = ({ type, detail }: LogEntry) => type === 'query-log' && JSON.stringify(detail).includes(`query ${name} `)
  return (entries.find(isIt)?.detail as { request_id: string } | undefined)?.request_id
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

for (const [protocol, start, stop] of [
  ['graphql-ws', 'start', 'stop'],
  ['graphql-transport-ws', 'subscribe', 'complete'],
] as const) {
  test(`each operation of a socket has one id in all of its lines, and its name (${protocol})`, async (t) => {
    const observe = recordingObserver()
    const { url } = await startLibrary(t, { observe })
    const socket = await openSocket(t, url, { protocol })
    socket.send({ type: 'connection_init' })
    await socket.next()
    const ask = (id: string, query: string) => socket.send({ type: start, id, payload: { query, operationName: id } })

    ask('a', 'query a { book { id } }')
    ask('b', 'query b { nothing }')
    ask('c', 'subscription c { book { id } }')
    await socket.messages.until((all) => all.some(({ id, payload }) => id === 'c' && payload !== undefined))
    socket.send({ type: stop, id: 'c' })
    const outcomes = (id: string) => linesOf(observe.entries, id).map(({ operation_type }) => operation_type.type)
    await eventually(() => (outcomes('c').includes('stopped') && outcomes('a').includes('completed')) || undefined)

    assert.deepEqual(['a', 'b', 'c'].map(outcomes), [
      ['started', 'completed'],
      ['started', 'query_err', 'completed'],
      ['started', 'stopped'],
    ])
    const ids = ['a', 'b', 'c'].map((name) => {
      const lines = linesOf(observe.entries, name)
      for (const { operation_name } of lines) assert.equal(operation_name, name)
      const own = new Set(lines.map(({ request_id }) => request_id))
      assert.equal(own.size, 1, JSON.stringify(lines))
      return String([...own][0])
    })
    for (const id of ids) assert.match(id, uuid)
    assert.equal(new Set(ids).size, 3)
    assert.equal(queryIdOf(observe.entries, 'a'), ids[0])
  })
}

test('an id in the first message is the id of all operations of the socket', async (t) => {
  const observe = recordingObserver()
  const { url } = await startLibrary(t, { observe })
  const socket = await openSocket(t, url)
  socket.send({ type: 'connection_init', payload: { headers: { 'X-Request-Id': 'mine' } } })
  for (const id of ['a', 'b']) socket.send({ type: 'start', id, payload: { query: `query ${id} { book { id } }` } })
  await socket.messages.until((all) => all.filter(({ type }) => type === 'complete').length === 2)
  for (const id of ['a', 'b']) {
    assert.deepEqual(
      linesOf(observe.entries, id).map(({ request_id }) => request_id),
      ['mine', 'mine'],
    )
    assert.equal(queryIdOf(observe.entries, id), 'mine')
  }
})

test('a query that an event stream answers is logged with the id that the answer carries', async (t) => {
  const observe = recordingObserver()
  const { url } = await startLibrary(t, { observe })
  const answer = await fetch(`${url}/v1/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'query a { book { id } }' }),
  })
  assert.match(await answer.text(), /event: complete/)
  assert.equal(queryIdOf(observe.entries, 'a'), answer.headers.get('x-request-id'))
})

test('the message of a line says what happened to a socket', async (t) => {
  const observe = recordingObserver()
  const { url } = await startLibrary(t, { observe })
  const socket = await openSocket(t, url, { protocol: 'graphql-transport-ws' })
  socket.send({ type: 'connection_init' })
  await socket.next()
  socket.send({ type: 'subscribe', id: '1', payload: { query: 'query list { book { id } }', operationName: 'list' } })
  socket.send({ type: 'subscribe', id: '2', payload: { query: '{ nothing }' } })
  const ends = ['1 complete', '2 error']
  await socket.messages.until((all) => ends.every((end) => all.some(({ id, type }) => `${id} ${type}` === end)))
  socket.send({ type: 'nonsense' })
  await socket.closed
  const messages = () =>
    observe.entries.flatMap(({ type, message }) => (type === 'websocket-log' ? [message ?? type] : []))
  await eventually(() => messages().some((line) => line.startsWith('websocket closed')))
  for (const expected of [
    /^websocket opened$/,
    /^operation 1 list started$/,
    /^operation 1 list completed$/,
    /^operation 2 refused: field "nothing" not found in type: 'query_root'$/,
    /^websocket error: Parsing client message failed: /,
    /^websocket closed: 4400 /,
  ]) {
    assert.ok(
      messages().some((line) => expected.test(line)),
      `${expected} in ${messages().join('\n')}`,
    )
  }
  const levels = observe.entries.flatMap(({ type, level }) => (type === 'websocket-log' ? [level] : []))
  assert.deepEqual(new Set(levels), new Set(['info']), "errors of clients have the level of HTTP's refusals")
})
