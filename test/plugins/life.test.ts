// The lifecycle of plugins, from the first model of a server to its end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin, fieldMap, Type } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { keeper } from './keeper.ts'

/** Stores the list of tracked tables in the database. */
const lister = definePlugin({
  name: 'lister',
  dependencies: ['tables'],
  migrations: [{ name: '1', sql: 'create table trellis.listed (name text primary key)' }],
  register({ metadata }) {
    metadata.effect(async ({ previous, next, transaction }) => {
      const names = [...next.tables.values()].map(({ name }) => name.name)
      if (previous === null) await transaction.rows('delete from trellis.listed where name <> all ($1)', [names])
      await transaction.rows('insert into trellis.listed select unnest($1::text[]) on conflict do nothing', [names])
    })
  },
})

test('an effect updates the database at startup, once for several servers that start together', async (t) => {
  const database = await testDatabase(t, { sql: 'create table a (id int); create table b (id int)' })
  const without = await startTrellis(t, { database })
  await without.op('track_table', 'a')
  await without.op('track_table', 'b')
  const listed = () => database.sql('select name from trellis.listed order by name')
  await Promise.all([1, 2, 3].map(() => startTrellis(t, { database, plugins: [lister] })))
  assert.deepEqual(await listed(), [{ name: 'a' }, { name: 'b' }])
  await without.op('untrack_table', { table: 'b' })
  await startTrellis(t, { database, plugins: [lister] })
  assert.deepEqual(await listed(), [{ name: 'a' }])
})

test('a late declaration is refused and has no effect', async (t) => {
  const kept = keeper()
  const trellis = await startTrellis(t, { plugins: [kept.plugin] })
  const engine = kept.engine()
  const untyped = (value: unknown) => value as never
  const schema = Type.Array(Type.String())
  const declarations: Readonly<Record<string, () => void>> = {
    'a route': () => engine.routes.add({ method: 'GET', url: '/late', auth: 'none', handle: () => null }),
    'a GraphQL contribution': () => engine.graphql.contribute({ name: 'late', query: () => fieldMap({}) }),
    'a slice of the metadata': () => engine.metadata.slice(untyped('late'), untyped({ schema, empty: [] })),
    'a facet of tables': () => engine.metadata.facet(untyped({})),
    'a source': () => engine.metadata.source({ key: 'late', wanted: () => [], fetch: async () => null }),
    'names of types': () => engine.metadata.typeNames({ fixed: ['Late'] }),
    'an effect': () => engine.metadata.effect(async () => {}),
    'a recorder of changes': () => engine.metadata.record(async () => {}),
    'a type': () => engine.types.add(untyped({ name: 'late' })),
    'an operator': () => engine.comparisons.add(untyped({ name: '_late' })),
    'what runs when the server is ready': () => engine.onReady(() => {}),
  }
  for (const [what, declare] of Object.entries(declarations)) {
    const message = `plugin "mine" declares ${what} too late: declarations are complete when register() returns`
    assert.throws(declare, { message })
  }
  assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables: [] })
})

test('a declaration in onReady fails the start', async (t) => {
  const plugin = definePlugin({
    name: 'late',
    register({ onReady, routes }) {
      onReady(() => routes.add({ method: 'GET', url: '/late', auth: 'none', handle: () => null }))
    },
  })
  const message = 'plugin "late" declares a route too late: declarations are complete when register() returns'
  await assert.rejects(startTrellis(t, { plugins: [plugin] }), { message })
})

test("an error of a notification listener is logged with the plugin's name, and listening continues", async (t) => {
  const observe = recordingObserver()
  const heard: unknown[] = []
  const plugin = definePlugin({
    name: 'listener',
    register({ database, onReady }) {
      onReady(async () => {
        const atOnce = (payload: string) => void heard.push(JSON.parse(payload))
        const later = async (payload: string) => void heard.push(JSON.parse(payload))
        for (const [channel, onNotify] of Object.entries({ at_once: atOnce, later })) {
          await new Promise<void>((onHeard) => database.listen(channel, { onNotify, onHeard }))
        }
      })
    },
  })
  const trellis = await startTrellis(t, { plugins: [plugin], observe })
  for (const channel of ['at_once', 'later']) {
    await trellis.sql(`select pg_notify('${channel}', 'no JSON'), pg_notify('${channel}', '"${channel}"')`)
  }
  await eventually(() => heard.length === 2)
  assert.deepEqual(heard.toSorted(), ['at_once', 'later'])
  const told = observe.entries.flatMap(({ type, detail }) => (type === 'unstructured' ? [String(detail)] : []))
  assert.deepEqual(
    told.map((text) => text.split(': SyntaxError')[0]).toSorted(),
    ['at_once', 'later'].map((channel) => `plugin "listener" failed at a notification of "${channel}"`),
  )
})

test('an effect that fails at startup ends the start and names the plugin', async (t) => {
  const broken = definePlugin({
    name: 'broken',
    register: ({ metadata }) =>
      metadata.effect(({ transaction }) => transaction.rows('select nonsense').then(() => {})),
  })
  await assert.rejects(startTrellis(t, { plugins: [broken] }), (error: Error) => {
    assert.match(error.message, /^plugin "broken" failed to bring the database in line with the metadata: /)
    return true
  })
})

test('long responses end before the server stops listening, and other requests are still answered', async (t) => {
  const seen: string[] = []
  const ending = new AbortController()
  const asked = Promise.withResolvers<void>()
  const stream = definePlugin({
    name: 'stream',
    register(engine) {
      const finished = new Promise<void>((done) => ending.signal.addEventListener('abort', () => done()))
      const answerLate = () => {
        asked.resolve()
        return finished.then(() => 'ended')
      }
      engine.routes.add({ method: 'GET', url: '/long', auth: 'none', handle: answerLate })
      engine.onStopping(async () => {
        const { port } = engine.app.server.address() as { port: number }
        const response = await fetch(`http://127.0.0.1:${port}/livez`)
        seen.push(`stopping, ${response.status} is answered`)
        ending.abort()
      })
      engine.onClose(() => {
        seen.push('closed')
      })
    },
  })
  const trellis = await startTrellis(t, { plugins: [stream], settings: { gracefulShutdownTimeout: 20 } })
  const long = trellis.request('/long')
  await asked.promise
  await trellis.engine.close()
  assert.equal((await long).text, 'ended')
  assert.deepEqual(seen, ['stopping, 200 is answered', 'closed'])
})

test('a closing hook that fails or hangs is logged and does not stop the others', async (t) => {
  const observe = recordingObserver()
  const seen: string[] = []
  const plugins = [
    definePlugin({
      name: 'last',
      register(engine) {
        engine.onStopping(() => {
          seen.push('stopped')
        })
        engine.onClose(() => {
          seen.push('closed')
        })
      },
    }),
    definePlugin({
      name: 'throws',
      register(engine) {
        engine.onStopping(() => {
          throw new Error('will not stop')
        })
        engine.onClose(() => Promise.reject(new Error('will not close')))
      },
    }),
    definePlugin({
      name: 'hangs',
      register(engine) {
        engine.onStopping(() => new Promise(() => {}))
        engine.onClose(() => new Promise(() => {}))
      },
    }),
  ]
  const { engine } = await startTrellis(t, { observe, plugins })
  await engine.close()
  const lines = observe.entries.flatMap(({ level, detail }) =>
    level === 'error' ? [String(detail).split('\n')[0]] : [],
  )
  assert.deepEqual(lines, [
    'plugin "hangs" did not stop in time',
    'plugin "throws" failed to close: Error: will not stop',
    'plugin "hangs" did not stop in time',
    'plugin "throws" failed to close: Error: will not close',
  ])
  assert.deepEqual(seen, ['stopped', 'closed'])
})

test('members of the configuration come from all plugins, in order', async (t) => {
  const member = (key: string, place: number) => ({ key, place, schema: Type.Null(), value: () => null })
  const teller = definePlugin({
    name: 'teller',
    register: ({ configuration }) => configuration.add(member('last', 1000), member('early', 15)),
  })
  const trellis = await startTrellis(t, { plugins: [teller] })
  const { body } = await trellis.request<object>('/v1alpha1/config')
  assert.deepEqual(Object.keys(body), [
    ...['version', 'early', 'is_admin_secret_set', 'is_auth_hook_set', 'is_jwt_set', 'jwt', 'is_allow_list_enabled'],
    ...[
      'live_queries',
      'dialect',
      'apis',
      'read_only',
      'environment',
      'postgres',
      'workers',
      'plugins',
      'console',
      'last',
    ],
  ])
  const again = definePlugin({
    name: 'again',
    register: ({ configuration }) => configuration.add(member('version', 1)),
  })
  await assert.rejects(startTrellis(t, { plugins: [again] }), {
    message: 'plugin "again" failed to start: the member "version" of the configuration is declared already',
  })
})
