// The test tools for authors of plugins.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { jobs } from '../../plugins/jobs/index.ts'
import { createEngine } from '../../sdk/engine.ts'
import { definePlugin, serviceKey } from '../../sdk/index.ts'
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

const counter = serviceKey<{ readonly count: number }>('counter')

test('a test sees the log, services and jobs of its plugins', async (t) => {
  let count = 0
  const counting = definePlugin({
    name: 'counting',
    dependencies: ['jobs'],
    register(engine) {
      engine.provide(counter, {
        get count() {
          return count
        },
      })
      const declared = engine.use(jobs)
      declared.declare({ name: 'count', schedule: { cron: '30 3 1 1 *' }, run: () => void count++ })
      declared.declare({ name: 'count here', per: 'instance', run: () => void count++ })
      const run = () => {
        throw new TypeError('the harbour is closed', { cause: new Error('fog') })
      }
      declared.declare({ name: 'fails', run })
      engine.routes.add({ method: 'GET', url: '/fails', auth: 'session', handle: run })
      engine.routes.add({
        method: 'GET',
        url: '/role',
        auth: 'session',
        handle: ({ session }) => ({ is: session.role }),
      })
    },
  })
  const printed: string[] = []
  t.mock.method(process.stderr, 'write', (text: string) => printed.push(String(text)) > 0)
  await using trellis = await startTrellis({ plugins: [counting], settings: { adminSecret: 'of the test' } })

  await trellis.runJob('count')
  await trellis.runJob('count here')
  assert.equal(trellis.use(counter).count, 2)
  await assert.rejects(trellis.runJob('fails'), { name: 'TypeError', message: 'the harbour is closed' })
  await assert.rejects(trellis.runJob('other'), { message: /^there is no job "other": there are .*count, count here/ })
  assert.throws(() => trellis.use(serviceKey('other')), { message: 'service "other" is not provided by any plugin' })

  // The administrator's secret is sent where no role is given.
  assert.deepEqual((await trellis.request('/role')).body, { is: 'admin' })
  assert.equal((await trellis.request('/role', { role: 'guest' })).status, 401)

  printed.length = 0
  const { status, body } = await trellis.request('/fails')
  assert.deepEqual([status, body], [500, { path: '$', error: 'internal error', code: 'unexpected' }])
  const logged = trellis.log.find(({ type, level }) => type === 'unstructured' && level === 'error')
  assert.match(String(logged?.detail), /TypeError: the harbour is closed\n +at [\s\S]*\n\[cause\]: Error: fog\n +at /)
  assert.match(printed.join(''), /^trellis: .*TypeError: the harbour is closed\n +at [\s\S]*\[cause\]: Error: fog/)
  assert.ok(trellis.log.some(({ type }) => type === 'http-log'))

  let attempts = 0
  assert.equal(await trellis.eventually(() => ++attempts === 3 && 'three'), 'three')
  assert.equal(await trellis.eventually(async () => assert.ok(++attempts > 4)), undefined)
  const never = () => trellis.eventually(() => assert.equal(1, 2, 'never'), { timeout: 30 })
  await assert.rejects(never(), /never/)
})

test('the log is received by a function, or by an object with the method log', async () => {
  const entries: string[] = []
  const fails = definePlugin({
    name: 'fails',
    register({ routes, observe }) {
      const handle = () => observe.log({ type: 'unstructured', level: 'error', detail: 'heard' })
      routes.add({ method: 'GET', url: '/heard', auth: 'session', handle })
    },
  })
  const database = await startTrellis()
  const { databaseUrl } = database
  for (const observe of [
    ({ type }: { type: string }) => void entries.push(type),
    { log: ({ type }: { type: string }) => void entries.push(type) },
  ]) {
    entries.length = 0
    await using trellis = await startTrellis({ plugins: [fails], observe, databaseUrl })
    await trellis.request('/heard')
    assert.deepEqual(
      entries.filter((type) => ['unstructured', 'http-log'].includes(type)),
      ['unstructured', 'http-log'],
    )
    assert.deepEqual(
      trellis.log.map(({ type }) => type),
      entries,
    )
  }
  await database.close()
  const refused = { message: '"observe" has to be a function of a log entry, or an object with the method log(entry)' }
  const observe = { write: () => {} } as never
  await assert.rejects(startTrellis({ observe }), refused)
  await assert.rejects(createEngine({ observe }), refused)
})
