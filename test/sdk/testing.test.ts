// The test tools for authors of plugins.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { OperationRefused, startTrellis } from '../../sdk/testing.ts'

test('an engine with a plugin, tables and a port in one call', async () => {
  const greeter = definePlugin({
    name: 'greeter',
    register({ routes }) {
      routes.add({ method: 'GET', url: '/hello', auth: 'session', handle: ({ session }) => `hello ${session.role}` })
    },
  })
  const sql = `create table harbour (id int primary key, name text); insert into harbour values (1, 'Oslo')`
  await using trellis = await startTrellis({ plugins: [greeter], sql })

  assert.deepEqual(await trellis.operation('track_table', 'harbour'), { message: 'success' })
  const permission = { columns: ['name'], filter: {} }
  await trellis.operation('create_select_permission', { table: 'harbour', role: 'guest', permission })

  const query = 'query ($id: Int) { harbour(where: {id: {_eq: $id}}) { name } }'
  assert.deepEqual(await trellis.graphql(query, { variables: { id: 1 } }), { data: { harbour: [{ name: 'Oslo' }] } })
  const refused = await trellis.graphql('{ harbour { id } }', { role: 'guest' })
  assert.equal(refused.errors?.[0]?.extensions?.['code'], 'validation-failed')

  const { status, body } = await trellis.request('/hello', { role: 'guest' })
  assert.deepEqual({ status, body }, { status: 200, body: 'hello guest' })

  assert.deepEqual(await trellis.sql('select name from harbour where id = $1', [1]), [{ name: 'Oslo' }])
  assert.deepEqual(await trellis.sql('delete from harbour; select count(*)::int from harbour'), [{ count: 0 }])
})

test('a refused operation says why', async () => {
  await using trellis = await startTrellis()
  await assert.rejects(trellis.operation('track_table', 'nothing'), (error) => {
    assert.ok(error instanceof OperationRefused)
    assert.equal(error.status, 400)
    assert.match(error.message, /^track_table: .*no such table/)
    return true
  })
})

test('engines do not see each other, and leave nothing', async () => {
  const [one, other] = await Promise.all([startTrellis({ sql: 'create table a ()' }), startTrellis()])
  assert.deepEqual(await other.sql(`select to_regclass('a') is null as gone`), [{ gone: true }])
  const name = new URL(one.databaseUrl).pathname.slice(1)
  await one.close()
  await one.close()
  const found = await other.sql('select from pg_database where datname = $1', [name])
  assert.equal(found.length, 0)
  await other.close()
  const port = Number(new URL(other.url).port)
  const socket = connect(port, '127.0.0.1')
  await assert.rejects(new Promise((done, failed) => socket.once('connect', done).once('error', failed)))
})

test('engines can share a database', async () => {
  await using one = await startTrellis({ sql: 'create table a (id int)' })
  await one.operation('track_table', 'a')
  await using other = await startTrellis({ databaseUrl: one.databaseUrl })
  assert.deepEqual(await other.graphql('{ a { id } }'), { data: { a: [] } })
})

test('a failed start gives the reason', async () => {
  const fails = definePlugin({
    name: 'fails',
    register() {
      throw new Error('no')
    },
  })
  await assert.rejects(
    startTrellis({ plugins: [fails] }),
    /^PluginError: plugin "fails" failed to start: no$|fails" failed/,
  )
  await assert.rejects(startTrellis({ sql: 'nonsense' }), /syntax error/)
})
