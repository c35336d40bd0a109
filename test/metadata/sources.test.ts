// Sources of the metadata on other servers: fetched outside of all locks, stored, and refetched.

import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import type { TestDatabase } from '../support/database.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { feedsPlugin } from './feeds-plugin.ts'
import { startService, type TestService } from './service.ts'

/** A server that answers, or hangs; it keeps its port across restarts. */
async function startFeed(t: TestContext) {
  const held: ServerResponse[] = []
  const feed = { says: 'hello' as unknown, isSilent: false, asked: 0, port: 0 }
  const make = () =>
    createServer((_request, response) => {
      feed.asked++
      if (feed.isSilent) held.push(response)
      else response.end(JSON.stringify(feed.says))
    })
  let server: Server | null = null
  const up = async () => {
    server = make()
    await new Promise<void>((done) => server!.listen(feed.port, '127.0.0.1', done))
    feed.port = (server.address() as AddressInfo).port
  }
  const down = async () => {
    const open = server
    server = null
    for (const response of held.splice(0)) response.destroy()
    open?.closeAllConnections()
    if (open) await new Promise((done) => open.close(done))
  }
  await up()
  t.after(down)
  return Object.assign(feed, { up, down, url: `http://127.0.0.1:${feed.port}/` })
}

const said = ({ service }: TestService) => Object.fromEntries(service.model.slices.test_feeds ?? [])
const reasons = ({ service }: TestService) => service.model.inconsistencies.map(({ reason }) => reason)

async function startWith(t: TestContext, database?: TestDatabase, options = {}) {
  return startService(t, { plugins: [feedsPlugin(options)], ...(database && { database }) })
}

test('a source that an operation adds is fetched, stored and served', async (t) => {
  const feed = await startFeed(t)
  const world = await startWith(t)
  await world.op('test_add_feed', { name: 'news', url: feed.url })
  assert.deepEqual(said(world), { news: 'hello' })
  assert.deepEqual(await world.sql('select source, id, value::text from trellis.metadata_source'), [
    { source: 'test_feeds', id: '"news"', value: '"hello"' },
  ])
  await world.op('clear_metadata', {})
  assert.deepEqual(said(world), {})
  assert.deepEqual(await world.sql('select * from trellis.metadata_source'), [])
})

test('an operation that adds a source is refused when the fetch fails, at its path', async (t) => {
  const feed = await startFeed(t)
  await feed.down()
  const world = await startWith(t)
  const args = { name: 'news', url: feed.url }
  const error = { status: 400, code: 'remote-error', error: 'the feed cannot be reached' }
  await world.refused('test_add_feed', args, { ...error, path: '$.args' })
  const member = { type: 'test_add_feed', args }
  const bulk = [
    { type: 'export_metadata', args: {} },
    { type: 'bulk', args: [member] },
  ]
  await world.refused('bulk', bulk, { ...error, path: '$.args[1].args[0].args' })
  assert.deepEqual(world.service.document.test_feeds, [])
})

test('members of a bulk use the sources fetched for it', async (t) => {
  const feed = await startFeed(t)
  const world = await startWith(t, undefined, {})
  await world.sql('create table a (id int primary key)')
  const add = (name: string) => ({ type: 'test_add_feed', args: { name, url: feed.url } })
  await world.op('bulk', [{ type: 'track_table', args: 'a' }, add('one'), add('two')])
  assert.deepEqual(said(world), { one: 'hello', two: 'hello' })
})

test('a source is fetched again when asked for by name and by reload_metadata', async (t) => {
  const feed = await startFeed(t)
  const world = await startWith(t)
  await world.op('test_add_feed', { name: 'news', url: feed.url })
  const { resourceVersion } = world.service.model
  feed.says = { number: 12345678901234567890n.toString() }
  await world.op('test_reload_feed', { name: 'news' })
  assert.deepEqual(said(world), { news: feed.says })
  assert.equal(world.service.model.resourceVersion, resourceVersion + 1)
  feed.says = 'again'
  await world.op('reload_metadata', {})
  assert.deepEqual(said(world), { news: 'again' })
  await world.refused(
    'test_reload_feed',
    { name: 'nothing' },
    { status: 400, code: 'not-exists', path: '$.args.name', error: 'feed "nothing" does not exist' },
  )
})

test('a document with an unchanged source fetches nothing, even while the source is down', async (t) => {
  const feed = await startFeed(t)
  const world = await startWith(t)
  const document = (url: string) => ({ version: 2, tables: [], test_feeds: [{ name: 'news', url }] })
  await world.op('replace_metadata', document(feed.url))
  feed.says = 'changed'
  await world.op('replace_metadata', document(feed.url))
  assert.deepEqual(said(world), { news: 'hello' })
  await feed.down()
  await world.op('clear_metadata', {})
  const inconsistent = { status: 400, code: 'unexpected', path: '$.args' }
  const error = 'cannot continue due to inconsistent metadata'
  await world.refused('replace_metadata', document(feed.url), { ...inconsistent, error })
})

test('a source whose refetch fails keeps its content', async (t) => {
  const feed = await startFeed(t)
  const world = await startWith(t)
  await world.op('test_add_feed', { name: 'news', url: feed.url })
  await feed.down()
  await world.op('reload_metadata', {})
  assert.deepEqual([said(world), reasons(world)], [{ news: 'hello' }, []])
  const error = { status: 400, code: 'remote-error', path: '$.args', error: 'the feed cannot be reached' }
  await world.refused('test_reload_feed', { name: 'news' }, error)
  assert.deepEqual(said(world), { news: 'hello' })
})

test('a source with its own reload argument is reloaded on request', async (t) => {
  const feed = await startFeed(t)
  const world = await startWith(t, undefined, { reloadedBy: 'reload_feeds' })
  await world.op('test_add_feed', { name: 'news', url: feed.url })
  feed.says = 'new'
  await world.op('reload_metadata', {})
  await world.op('reload_metadata', { reload_feeds: [] })
  await world.op('reload_metadata', { reload_feeds: false })
  assert.deepEqual(said(world), { news: 'hello' })
  await world.op('reload_metadata', { reload_feeds: ['news'] })
  assert.deepEqual(said(world), { news: 'new' })
  feed.says = 'newer'
  await world.op('reload_metadata', { reload_feeds: true })
  assert.deepEqual(said(world), { news: 'newer' })
})

test('a source that is down at the start is served from the store and retried until it answers', async (t) => {
  const feed = await startFeed(t)
  const database = await testDatabase(t)
  const first = await startWith(t, database)
  await first.op('test_add_feed', { name: 'news', url: feed.url })
  await first.service.stop()
  await feed.down()
  const second = await startWith(t, database)
  assert.deepEqual([said(second), reasons(second)], [{ news: 'hello' }, []])
  feed.says = 'changed'
  await feed.up()
  await eventually(() => said(second).news === 'changed')
})

test('without stored content its object is inconsistent, and the others are served', async (t) => {
  const feed = await startFeed(t)
  await feed.down()
  const database = await testDatabase(t)
  const world = await startWith(t, database)
  await world.sql('create table a (id int primary key)')
  await world.op('track_table', 'a')
  const metadata = { version: 2, tables: [{ table: 'a' }], test_feeds: [{ name: 'news', url: feed.url }] }
  await world.op('replace_metadata', { allow_inconsistent_metadata: true, metadata }, { version: 2 })
  assert.deepEqual([said(world), reasons(world)], [{}, ['the feed cannot be reached']])
  await world.service.stop()
  const restarted = await startWith(t, database)
  assert.deepEqual([said(restarted), reasons(restarted)], [{}, ['the feed cannot be reached']])
  assert.equal(restarted.service.model.tables.size, 1)
  await feed.up()
  await eventually(() => reasons(restarted).length === 0)
  assert.deepEqual(said(restarted), { news: 'hello' })
})

test('a slow source delays no request, and a start for a limited time', async (t) => {
  const feed = await startFeed(t)
  const database = await testDatabase(t)
  const world = await startWith(t, database, { timeout: 15_000 })
  await world.sql('create table a (id int primary key)')
  feed.isSilent = true
  const args = { name: 'news', url: feed.url }
  const error = { status: 400, code: 'unexpected', path: '$.args', error: 'no answer within 15 s' }
  let isRefused = false
  const adding = world.refused('test_add_feed', args, error).then(() => (isRefused = true))
  await eventually(() => feed.asked > 0)
  await world.op('track_table', 'a')
  assert.equal(isRefused, false)
  await adding
  await world.op('test_add_feed_later', args)
  await world.service.stop()
  const started = Date.now()
  const restarted = await startWith(t, database)
  assert.ok(Date.now() - started < 20_000)
  assert.equal(restarted.service.model.tables.size, 1)
  assert.deepEqual(reasons(restarted), ['it has not been fetched yet'])
})

test('a source that an operation does not announce is fetched after it', async (t) => {
  const feed = await startFeed(t)
  const world = await startWith(t)
  await world.op('test_add_feed_later', { name: 'news', url: feed.url })
  await eventually(() => said(world).news === 'hello')
  assert.deepEqual(reasons(world), [])
})

test('a source with a new address is fetched again', async (t) => {
  const [one, other] = [await startFeed(t), await startFeed(t)]
  other.says = 'other'
  const world = await startWith(t)
  await world.op('test_add_feed', { name: 'news', url: one.url })
  await world.op('bulk', [
    { type: 'clear_metadata', args: {} },
    { type: 'test_add_feed', args: { name: 'news', url: other.url } },
  ])
  assert.deepEqual(said(world), { news: 'other' })
})

test('other instances serve the content that one has fetched', async (t) => {
  const feed = await startFeed(t)
  const database = await testDatabase(t)
  const [one, other] = [await startWith(t, database), await startWith(t, database)]
  await one.op('test_add_feed', { name: 'news', url: feed.url })
  await eventually(() => said(other).news === 'hello')
  const { asked } = feed
  feed.says = 'news'
  await one.op('test_reload_feed', { name: 'news' })
  await eventually(() => said(other).news === 'news')
  assert.equal(feed.asked, asked + 1)
})
