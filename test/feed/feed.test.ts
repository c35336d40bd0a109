// News of the server as server-sent events.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { mostClients } from '../../plugins/feed/tuning.ts'
import { startWith } from '../jobs/worker.ts'
import { atEnd } from '../support/cleanup.ts'
import { librarySql } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'

interface News {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A client of the feed, with the events that it has received. */
async function listen(t: TestContext, url: string, headers: Record<string, string>) {
  const request = get(`${url}/v1alpha1/feed`, { headers })
  request.on('error', () => {})
  atEnd(t, () => void request.destroy())
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const received = { text: '', isEnded: false }
  response.setEncoding('utf8').on('data', (text) => {
    received.text += text
  })
  response
    .on('error', () => {})
    .on('close', () => {
      received.isEnded = true
    })
  const news = (): News[] =>
    received.text.split('\n\n').flatMap((block) => {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      return event === '' ? [] : [{ event, data: JSON.parse(data) }]
    })
  const first = (event: string, fits: (data: News['data']) => boolean) =>
    eventually(() => news().find((each) => each.event === event && fits(each.data))?.data)
  return { response, received, first, close: () => request.destroy() }
}

test('the feed tells of metadata, events and jobs, and ends with the server', async (t) => {
  const settings = { adminSecret: 'sesame', readSecret: 'look', unauthorizedRole: 'guest' }
  const job = { name: 'asked', run: () => {} }
  const trellis = await startWith(t, [job], { sql: librarySql, settings })
  const admin = { role: null, headers: { 'x-service-admin-secret': 'sesame' } }
  await trellis.op('track_table', 'book', admin)
  const trigger = { name: 'told', table: 'book', insert: { columns: '*' }, webhook: 'http://127.0.0.1:1/' }
  await trellis.op('create_event_trigger', trigger, admin)

  await t.test('each kind of news arrives', async () => {
    const feed = await listen(t, trellis.url, { 'x-service-admin-secret': 'look' })
    assert.equal(feed.response.headers['content-type'], 'text/event-stream; charset=utf-8')
    const { resource_version: version } = await trellis.op<{ resource_version: number }>(
      'export_metadata',
      {},
      { ...admin, version: 2 },
    )
    const known = await feed.first('metadata', () => true)
    assert.equal(known['version'], version)
    await trellis.op('untrack_table', { table: 'book', cascade: true }, admin)
    const next = await feed.first('metadata', (data) => data['version'] === version + 1)
    assert.equal(typeof next['author'], 'object')
    assert.match(String(next['at']), /^\d{4}-/)
    await trellis.op('track_table', 'book', admin)
    await trellis.op('create_event_trigger', trigger, admin)
    await trellis.sql(`insert into book (title, publisher_id) values ('Tide', 1)`)
    await feed.first('events', (data) => data['name'] === 'told' && data['recorded_at'] !== null)
    await trellis.op('run_job_now', { name: 'asked' }, admin)
    await feed.first('job', (data) => data['name'] === 'asked' && data['runs'] === 1)
    await trellis.op('pause_job', { name: 'asked' }, admin)
    await feed.first('job', (data) => data['name'] === 'asked' && data['paused'] === true)
    feed.close()
  })

  await t.test('it is for administrators, and for so many clients', async () => {
    const refused = await trellis.request('/v1alpha1/feed', { role: null, method: 'GET' })
    const error = 'You have to be an admin to access this endpoint'
    assert.deepEqual([refused.status, refused.body], [400, { path: '$', error, code: 'access-denied' }])
    const clients = await Promise.all(
      Array.from({ length: mostClients + 1 }, () => listen(t, trellis.url, admin.headers)),
    )
    const refusedClient = clients.find(({ response }) => response.statusCode === 503)!
    await eventually(() => refusedClient.received.isEnded)
    const tooMany = `the feed has ${mostClients} clients already`
    assert.deepEqual(JSON.parse(refusedClient.received.text), {
      path: '$',
      error: tooMany,
      code: 'busy',
    })
    for (const client of clients) client.close()
  })

  await t.test('a stopping server ends the stream', async () => {
    const feed = await eventually(async () => {
      const client = await listen(t, trellis.url, admin.headers)
      return client.response.statusCode === 200 && client
    })
    await feed.first('metadata', () => true)
    await trellis.engine.close()
    await eventually(() => feed.received.isEnded)
    assert.match(feed.received.text, /\nretry: \d+\n\n$/)
  })
})
