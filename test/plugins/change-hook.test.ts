// Hooks of plugins within the transactions of changes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin, type Engine, type Plugin } from '../../core/engine/plugin.ts'
import type { Surroundings } from '../../core/engine/work-hooks.ts'
import { badRequest } from '../../core/errors/errors.ts'
import type { ChangeWork } from '../../core/graphql/works.ts'
import { actionHandlers } from '../../plugins/actions/calls/handlers.ts'
import { startOther } from '../auth/other-server.ts'
import { recordingObserver } from '../http/server.ts'
import { startLibrary } from '../support/library.ts'

type Change = NonNullable<Surroundings['change']>

/** A plugin with one hook, which tests exchange. */
function hooked(name: string) {
  const hook: { change: Change } = { change: (_work, run) => run() }
  const plugin: Plugin = definePlugin({
    name,
    register: (engine: Engine) => engine.around({ change: (work, run) => hook.change(work, run) }),
  })
  return { hook, plugin }
}

interface Failed {
  readonly errors?: readonly { readonly message: string; readonly extensions: object }[]
  readonly extensions?: object
}

const one = 'mutation { insert_publisher_one(object: {name: "Dune"}) { id } }'
const nested =
  'mutation { insert_publisher(objects: [{name: "Dune", books: {data: [{title: "Gale"}]}}]) { returning { books { title } } } }'
const two = `mutation two { a: insert_publisher_one(object: {name: "Dune"}) { name } b: delete_book(where: {id: {_eq: 3}}) { affected_rows } }`

test('a hook runs once in the transaction of each change', async (t) => {
  const { hook, plugin } = hooked('watcher')
  const hookServer = await startOther(t, () => ({ body: { ok: true } }))
  const functions = definePlugin({
    name: 'functions-of-actions',
    dependencies: ['actions'],
    register(engine) {
      engine.use(actionHandlers).handle('by_function', async ({ client }) => {
        await client.graphql(one)
        await client.graphql('mutation inner { delete_book(where: {id: {_eq: 1}}) { affected_rows } }')
        return { ok: true }
      })
    },
  })
  const { graphql, op, sql } = await startLibrary(t, { plugins: [plugin, functions] })
  await sql('create table seen (tx text, what text); alter table publisher add tx text default txid_current()::text')
  const seen: string[] = []
  hook.change = async ({ transaction, session, operation, metadata, request }, run) => {
    const result = await run()
    await transaction.rows('insert into seen values (txid_current()::text, $1)', [session.role])
    seen.push(metadata ? metadata.type : `${operation?.kind} ${request?.query === operation?.text}`)
    return result
  }
  const told = async (work: () => Promise<unknown>) => {
    seen.length = 0
    await work()
    return [...seen]
  }
  const isOne = async () => {
    const rows = await sql<{ tx: string }>('select tx from publisher where id > 3')
    const recorded = await sql<{ tx: string }>('select tx from seen')
    await sql('delete from seen; delete from book where publisher_id > 3; delete from publisher where id > 3')
    return rows.length > 0 && rows.every(({ tx }) => recorded.some((each) => each.tx === tx))
  }
  for (const text of [one, nested, two]) {
    assert.deepEqual(await told(() => graphql(text)), ['mutation true'], text)
    assert.equal(await isOne(), true, text)
  }
  assert.deepEqual(await told(() => op('insert', { table: 'publisher', objects: [{ name: 'Dune' }] })), ['insert'])
  assert.equal(await isOne(), true)
  const insert = { type: 'insert', args: { table: 'publisher', objects: [{ name: 'Dune' }] } }
  const comment = { type: 'run_sql', args: { sql: "comment on table book is 'x'" } }
  assert.deepEqual(await told(() => op('bulk', [insert, comment])), ['bulk'])
  assert.equal(await isOne(), true)
  assert.deepEqual(await told(() => op('untrack_table', { table: 'book', cascade: true })), ['untrack_table'])
  assert.deepEqual(await told(() => op('track_table', 'book')), ['track_table'])

  const reads = [
    () => graphql('{ book { id } }'),
    () => graphql('mutation { __typename }'),
    () => graphql('mutation { insert_publisher(objects: []) { affected_rows } }'),
    () => op('select', { table: 'book', columns: ['id'] }),
    () => op('run_sql', { sql: 'select 1', read_only: true }),
    () => op('export_metadata', {}),
    () => op('bulk', [{ type: 'count', args: { table: 'book' } }]),
  ]
  for (const read of reads) assert.deepEqual(await told(read), [], String(read))

  await op('set_custom_types', { objects: [{ name: 'Done', fields: [{ name: 'ok', type: 'Boolean' }] }] })
  for (const name of ['by_webhook', 'by_function']) {
    const definition = { kind: 'synchronous', arguments: [], output_type: 'Done', handler: hookServer.url }
    await op('create_action', { name, definition })
  }
  // No transaction of the database belongs to a webhook.
  assert.deepEqual(await told(() => graphql('mutation { by_webhook { ok } }')), [])
  // The requests of a function share its transaction.
  assert.deepEqual(await told(() => graphql('mutation { by_function { ok } }')), ['mutation true', 'mutation true'])
  assert.equal(await isOne(), true)
})

test('a hook refuses with its own error, and any other error names the plugin in the log', async (t) => {
  const observe = recordingObserver()
  const { hook, plugin } = hooked('strict')
  const { graphql, request, op, sql } = await startLibrary(t, { plugins: [plugin], observe })
  const untouched = async () => {
    const [row] = await sql<{ n: number }>('select count(*)::int as n from publisher')
    const { body } = await request<{ tables: unknown[] }>('/v1/query', { body: { type: 'export_metadata', args: {} } })
    return row?.n === 3 && body.tables.length === 2
  }
  const internal = { path: '$', code: 'unexpected' }
  const faults: Readonly<
    Record<string, readonly [Change, message: string, extensions: object, logged: RegExp | null]>
  > = {
    'refuses before': [
      () => Promise.reject(badRequest('not-supported', 'not today', { path: ['today'] })),
      ...(['not today', { path: '$.today', code: 'not-supported' }, null] as const),
    ],
    'refuses after': [
      async (_work, run) => {
        await run()
        throw badRequest('not-supported', 'not this')
      },
      ...(['not this', { path: '$', code: 'not-supported' }, null] as const),
    ],
    'breaks a constraint': [
      async ({ transaction }, run) => {
        const result = await run()
        await transaction.rows(`insert into publisher (name) values ('Ark')`)
        return result
      },
      'Uniqueness violation. duplicate key value violates unique constraint "publisher_name_key"',
      ...([{ path: '$', code: 'constraint-violation' }, null] as const),
    ],
    throws: [
      () => Promise.reject(new Error('my mistake')),
      ...(['internal error', internal, /^plugin "strict" failed within a change: Error: my mistake\n/] as const),
    ],
    'throws while the change runs': [
      (_work, run) => {
        void run()
        throw new Error('too soon')
      },
      ...(['internal error', internal, /^plugin "strict" failed within a change: Error: too soon\n/] as const),
    ],
    'does not run it': [
      async () => ({}) as never,
      ...([
        'internal error',
        internal,
        /around: "change" of plugin "strict" must return the result of run\(\)/,
      ] as const),
    ],
    'runs it twice': [
      async (_work, run) => {
        await run()
        return run()
      },
      ...(['internal error', internal, /run\(\) can be called only once/] as const),
    ],
    'adds something that is no JSON': [
      async ({ extensions }, run) => {
        extensions['n'] = 1n
        return run()
      },
      ...(['internal error', internal, /^plugin "strict" failed within a change: TypeError: .*BigInt/] as const),
    ],
  }
  for (const [title, [change, message, extensions, logged]] of Object.entries(faults)) {
    hook.change = change
    for (const text of [one, nested, two]) {
      observe.entries.length = 0
      const { errors } = await graphql<Failed>(text)
      assert.deepEqual(errors, [{ extensions, message }], `${title}: ${text}`)
      const lines = observe.entries.map(({ detail }) => String(detail))
      if (logged)
        assert.ok(
          lines.some((line) => logged.test(line)),
          `${title}: ${lines}`,
        )
    }
    for (const [type, args] of [
      ['insert', { table: 'publisher', objects: [{ name: 'Dune' }] }],
      ['untrack_table', { table: 'publisher', cascade: true }],
    ] as const) {
      const { body } = await request<{ error: string; code: string }>('/v1/query', { body: { type, args } })
      assert.equal(body.error, message, `${title}: ${type}`)
    }
    assert.equal(await untouched(), true, title)
  }
  hook.change = async (_work, run) => {
    await run().catch(() => {})
    return {} as never
  }
  // The error of the change stays, even if the hook ignores it.
  const twice = await graphql<Failed>('mutation { insert_publisher_one(object: {name: "Ark"}) { id } }')
  assert.equal(Object(twice.errors?.[0]?.extensions).code, 'constraint-violation')
  hook.change = (_work, run) => run()
  await op('insert', { table: 'publisher', objects: [{ name: 'Dune' }] })
})

test('the first plugin is outermost, and all of them add to the extensions of the answer', async (t) => {
  const [a, b] = [hooked('a'), hooked('b')]
  const { graphql } = await startLibrary(t, { plugins: [a.plugin, b.plugin] })
  const seen: string[] = []
  const adding =
    (name: string): Change =>
    async ({ extensions }: ChangeWork, run) => {
      seen.push(`${name} begins`)
      const result = await run()
      seen.push(`${name} ends`)
      extensions[name] = Object.keys(extensions)
      return result
    }
  a.hook.change = adding('a')
  b.hook.change = adding('b')
  for (const text of [one, nested.replace('Dune', 'Eve'), two.replace('Dune', 'Fir')]) {
    seen.length = 0
    const { errors, extensions } = await graphql<Failed>(text)
    assert.deepEqual([errors, extensions], [undefined, { b: [], a: ['b'] }])
    assert.deepEqual(seen, ['a begins', 'b begins', 'b ends', 'a ends'])
  }
  assert.deepEqual(Object.keys(await graphql<object>('{ book { id } }')), ['data'])
})
