import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase, testPostgres } from '../support/database.ts'
import { onServer } from '../support/postgres.ts'
import { startTrellis } from '../support/trellis.ts'

test('probes of a healthy server need no authentication and stay enabled without any API', async (t) => {
  const trellis = await startTrellis(t, { settings: { adminSecret: 'sesame', enabledApis: [] } })
  const healthy = await trellis.request('/healthz')
  assert.equal(healthy.status, 200)
  assert.equal(healthy.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(healthy.text, 'OK')
  const live = await trellis.request('/livez')
  assert.deepEqual([live.status, live.body], [200, { status: 'alive' }])
  const ready = await trellis.request('/readyz')
  assert.deepEqual([ready.status, ready.body], [200, { status: 'ready' }])
  assert.equal((await trellis.request('/v1/version')).status, 200)
  for (const path of ['/v1/query', '/v1/graphql', '/v1alpha1/graphql']) {
    const { status, body } = await trellis.request(path, { body: {} })
    const expected = { path: '$', error: 'resource does not exist', code: 'not-found' }
    assert.deepEqual([status, body], [404, expected], path)
  }
})

test('an instance that is about to stop serves everything and is not ready', async (t) => {
  const trellis = await startTrellis(t)
  await trellis.engine.drain()
  const { status, body } = await trellis.request('/readyz')
  assert.deepEqual([status, body], [503, { status: 'not ready', reason: 'the server is about to stop' }])
  assert.equal((await trellis.request('/livez')).status, 200)
  assert.deepEqual(await trellis.graphql('{ __typename }'), { data: { __typename: 'query_root' } })
})

test('/healthz warns of inconsistent objects', async (t) => {
  const trellis = await startTrellis(t, { sql: 'create table ship (id int primary key)' })
  await trellis.op('track_table', 'ship')
  await trellis.sql('drop table ship')
  await trellis.op('reload_metadata', {})
  const { status, text } = await trellis.request('/healthz')
  assert.deepEqual([status, text], [200, 'WARN: inconsistent objects in schema'])
})

test('a server is unhealthy and not ready while its database refuses connections', async (t) => {
  const database = await testDatabase(t)
  const trellis = await startTrellis(t, { database })
  const { url } = await testPostgres()
  const name = new URL(database.url).pathname.slice(1)
  await onServer(url, `alter database ${name} allow_connections false`)
  await onServer(url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  const sick = await trellis.request('/healthz')
  assert.deepEqual([sick.status, sick.text], [500, 'ERROR'])
  const unready = await trellis.request('/readyz')
  const reason = { status: 'not ready', reason: 'the database does not answer' }
  assert.deepEqual([unready.status, unready.body], [503, reason])
  assert.equal((await trellis.request('/livez')).status, 200)
  await onServer(url, `alter database ${name} allow_connections true`)
  assert.equal((await trellis.request('/healthz')).text, 'OK')
  assert.equal((await trellis.request('/readyz')).status, 200)
})
