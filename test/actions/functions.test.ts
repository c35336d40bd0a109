// Actions that functions of a plugin answer.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ActionCall, actionHandlers } from '../../plugins/actions/index.ts'
import { badRequest, definePlugin, type Plugin } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis, type TrellisOptions } from '../support/trellis.ts'
import { type Refused, type Shop, startShop, until } from './shop.ts'

declare module '../../plugins/actions/calls/handlers.ts' {
  interface ActionTypes {
    test_rename: { input: { id: number; title: string }; output: { id: number; book_id?: number } }
  }
}

type Handler = (call: ActionCall) => unknown

const handlers = (byName: Readonly<Record<string, Handler>>): Plugin =>
  definePlugin({
    name: 'handlers',
    dependencies: ['actions'],
    register(engine) {
      const service = engine.use(actionHandlers)
      for (const [name, handler] of Object.entries(byName)) service.handle(name, handler)
    },
  })

const start = (
  t: TestContext,
  byName: Readonly<Record<string, Handler>>,
  options: TrellisOptions = {},
): Promise<Shop> =>
  startShop(t, () => ({ body: { id: 99 } }), {
    ...options,
    plugins: [handlers(byName)],
    settings: { asyncActionsFetchInterval: 50, connections: 5 },
  })

const editor = { role: 'editor' }

/** Books that an editor may read and change: those of the publisher 1. */
async function permit(shop: Shop, ...actions: string[]): Promise<void> {
  const filter = { publisher_id: { _eq: 1 } }
  await shop.op('create_select_permission', {
    table: 'book',
    role: 'editor',
    permission: { columns: ['id', 'title'], filter },
  })
  await shop.op('create_update_permission', {
    table: 'book',
    role: 'editor',
    permission: { columns: ['title'], filter },
  })
  for (const action of actions) await shop.op('create_action_permission', { action, role: 'editor' })
}

const rename =
  'mutation ($id: Int!, $title: String!) { update_book(where: {id: {_eq: $id}}, _set: {title: $title}) { affected_rows } }'
const titles = '{ book(order_by: {id: asc}) { title } }'
const titlesOf = async (shop: Shop, options: object = {}) =>
  (await shop.graphql<{ data: { book: { title: string }[] } }>(titles, {}, options)).data.book.map(({ title }) => title)

const idAndTitle = [
  { name: 'id', type: 'Int!' },
  { name: 'title', type: 'String!' },
]

test('a handler replaces the webhook: it gets the input, the session, and GraphQL as that role', async (t) => {
  const seen: unknown[] = []
  const typed = definePlugin({
    name: 'typed',
    dependencies: ['actions'],
    register(engine) {
      engine
        .use(actionHandlers)
        .handle('test_rename', async ({ input: { id, title }, session, client, id: callId }) => {
          const { update_book: done } = await client.graphql<{ update_book: { affected_rows: number } }>(rename, {
            id,
            title,
          })
          const read = await client.graphql(titles)
          seen.push([session.role, done.affected_rows, read, callId])
          return { id, book_id: id }
        })
    },
  })
  const shop = await startShop(t, () => ({}), { plugins: [typed] })
  await shop.action('test_rename', { arguments: idAndTitle })
  await permit(shop, 'test_rename')
  const call = (id: number) => `mutation { test_rename(id: ${id}, title: "New") { id book { title } } }`
  assert.deepEqual(await shop.graphql(call(1), {}, editor), {
    data: { test_rename: { id: 1, book: { title: 'New' } } },
  })
  assert.deepEqual(await shop.graphql(call(3), {}, editor), { data: { test_rename: { id: 3, book: null } } })
  const read = { book: [{ title: 'New' }, { title: 'Ebb' }] }
  assert.deepEqual(seen, [
    ['editor', 1, read, null],
    ['editor', 0, read, null],
  ])
  assert.deepEqual(await titlesOf(shop), ['New', 'Ebb', 'Fog'])
  assert.equal(shop.hook.received.length, 0)
})

test('an error rolls back the handler; it can recover from failed requests of its own', async (t) => {
  const observe = recordingObserver()
  const byName: Readonly<Record<string, Handler>> = {
    throws: async ({ client }) => {
      await client.graphql(rename, { id: 1, title: 'Gone' })
      throw badRequest('sold-out', 'there is none left')
    },
    breaks: async ({ client }) => {
      await client.graphql(rename, { id: 1, title: 'Gone' })
      throw new Error('secret')
    },
    rejects: async ({ client }) => {
      await client.graphql(rename, { id: 1, title: 'Gone' })
      return Promise.reject()
    },
    wrong: async ({ client }) => {
      await client.graphql(rename, { id: 1, title: 'Gone' })
      return { nothing: 1 }
    },
    catches: async ({ client }) => {
      await client.graphql(rename, { id: 1, title: 'Kept' })
      const bad = 'mutation { insert_book_one(object: {title: "x", publisher_id: 99}) { id } }'
      const failed = await client.graphql(bad).catch((error: Error) => error.message)
      await client.graphql(rename, { id: 2, title: String(failed).slice(0, 11) })
      return { id: 1 }
    },
  }
  const shop = await start(t, byName, { observe })
  for (const name of ['throws', 'breaks', 'rejects', 'wrong', 'catches']) await shop.action(name)
  const refused = async (name: string) => {
    const { errors } = await shop.graphql<Refused>(`mutation { ${name} { id } }`)
    const { path, code } = errors[0]!.extensions
    return [path, code, errors[0]!.message]
  }
  assert.deepEqual(await refused('throws'), ['$', 'sold-out', 'there is none left'])
  for (const name of ['breaks', 'rejects']) {
    assert.deepEqual(await refused(name), ['$', 'unexpected', 'internal error'])
    const line = `Error: the handler of action "${name}" failed: `
    assert.ok(observe.entries.some(({ detail }) => String(detail).startsWith(line)))
  }
  assert.deepEqual(await refused('wrong'), ['$', 'unexpected', 'unexpected fields in webhook response: nothing'])
  assert.deepEqual(await titlesOf(shop), ['Dawn', 'Ebb', 'Fog'])
  assert.deepEqual(await shop.graphql('mutation { catches { id } }'), { data: { catches: { id: 1 } } })
  assert.deepEqual(await titlesOf(shop), ['Kept', 'Foreign key', 'Fog'])
})

test('concurrent requests of a handler run one after another in its transaction', async (t) => {
  const shop = await start(t, {
    many: async ({ client }) => {
      const answers = await Promise.allSettled([
        client.graphql(rename, { id: 1, title: 'A' }),
        client.graphql('{ nothing }'),
        client.graphql(titles),
      ])
      return { id: answers.filter(({ status }) => status === 'fulfilled').length }
    },
  })
  await shop.action('many')
  assert.deepEqual(await shop.graphql('mutation { many { id } }'), { data: { many: { id: 2 } } })
})

test('requests that a handler does not await are part of its transaction', async (t) => {
  const told: Promise<string>[] = []
  const leave = (asked: Promise<unknown>) =>
    told.push(
      asked.then(
        () => 'done',
        () => 'refused',
      ),
    )
  const shop = await start(t, {
    together: async ({ client }) => {
      const refused = 'mutation { insert_book_one(object: {title: "x", publisher_id: 99}) { id } }'
      const others = [1, 2].map((id) => client.graphql(rename, { id, title: 'Stray' }))
      for (const each of others) leave(each)
      await Promise.all([client.graphql(refused), ...others])
      return { id: 1 }
    },
    backwards: async ({ client }) => {
      const refused = 'mutation { insert_book_one(object: {title: "x", publisher_id: 99}) { id } }'
      const failing = client.graphql(refused)
      leave(client.graphql(rename, { id: 2, title: 'Stray' }))
      await failing
      return { id: 1 }
    },
    throws: async ({ client }) => {
      leave(client.graphql(rename, { id: 2, title: 'Stray' }))
      throw badRequest('sold-out', 'there is none left')
    },
    forgets: async ({ client }) => {
      leave(client.graphql(rename, { id: 1, title: 'Kept' }))
      leave(client.graphql(rename, { id: 3, title: 'Kept' }))
      return { id: 1 }
    },
  })
  const call = async (name: string) => {
    const { errors } = await shop.graphql<Partial<Refused>>(`mutation { ${name} { id } }`)
    return [errors?.[0]?.extensions['code'], ...(await Promise.all(told.splice(0)))]
  }
  for (const name of ['together', 'backwards', 'throws', 'forgets']) await shop.action(name)
  assert.deepEqual(await call('together'), ['constraint-violation', 'done', 'done'])
  assert.deepEqual(await call('backwards'), ['constraint-violation', 'refused'])
  assert.deepEqual(await call('throws'), ['sold-out', 'refused'])
  assert.deepEqual(await titlesOf(shop), ['Dawn', 'Ebb', 'Fog'])
  assert.deepEqual(await call('forgets'), [undefined, 'done', 'done'])
  assert.deepEqual(await titlesOf(shop), ['Kept', 'Ebb', 'Kept'])
})

test('a handler that hangs affects only its own request, and leaks no connection', async (t) => {
  const late: Promise<unknown>[] = []
  const shop = await start(t, {
    hangs: async ({ client, signal }) => {
      await client.graphql(rename, { id: 1, title: 'Late' })
      await new Promise((done) => signal.addEventListener('abort', done))
      late.push(client.graphql(rename, { id: 1, title: 'Later' }).catch((error: Error) => error.message))
      await new Promise(() => {})
    },
  })
  await shop.action('hangs', { timeout: 1 })
  const message = 'the handler of action "hangs" has not answered within 1 s'
  const errors = [{ extensions: { path: '$', code: 'time-limit-exceeded' }, message }]
  // There are five connections.
  for (let round = 0; round < 2; round++) {
    const asked = Array.from({ length: 4 }, () => shop.graphql<Refused>('mutation { hangs { id } }'))
    assert.deepEqual(await titlesOf(shop), ['Dawn', 'Ebb', 'Fog'])
    for (const answer of await Promise.all(asked)) assert.deepEqual(answer, { errors })
  }
  for (const said of await Promise.all(late)) assert.match(String(said), /the call is over/)
  assert.deepEqual(await titlesOf(shop), ['Dawn', 'Ebb', 'Fog'])
})

test('the timeout of a handler may be longer than the longest timer', async (t) => {
  const shop = await start(t, { patient: async () => ({ id: 1 }) })
  for (const timeout of [3_000_000, 5_000_000]) {
    await shop.action('patient', { timeout })
    assert.deepEqual(await shop.graphql('mutation { patient { id } }'), { data: { patient: { id: 1 } } })
    await shop.op('drop_action', { name: 'patient' })
  }
})

test('an asynchronous call of a function is done when its changes are committed', async (t) => {
  let times = 0
  const shop = await start(t, {
    later: async ({ client, id, session }) => {
      times++
      await client.graphql(rename, { id: 1, title: `Done for ${session.role}` })
      assert.ok(id)
      return { id: 7 }
    },
  })
  await shop.action('later', { kind: 'asynchronous' })
  await permit(shop, 'later')
  const { data } = await shop.graphql<{ data: { later: string } }>('mutation { later }', {}, editor)
  const query = `{ later(id: "${data.later}") { errors output { id } } }`
  const answer = await until(
    () => shop.graphql<{ data: { later: { output: unknown; errors: unknown } } }>(query, {}, editor),
    ({ data: { later } }) => later.output !== null || later.errors !== null,
  )
  assert.deepEqual(answer.data, { later: { errors: null, output: { id: 7 } } })
  assert.equal((await titlesOf(shop))[0], 'Done for editor')
  assert.equal(times, 1)
})

test('one handler for each action', async (t) => {
  const twice = definePlugin({
    name: 'twice',
    dependencies: ['actions'],
    register(engine) {
      engine.use(actionHandlers).handle('one', () => 1)
    },
  })
  await assert.rejects(
    startShop(t, () => ({}), { plugins: [handlers({ one: () => 1 }), twice] }),
    /action "one" has a handler already/,
  )
})

test('actions are declared for TypeScript, so that handlers are typed', async (t) => {
  const shop = await startShop(t, () => ({}))
  await shop.action('order', {
    arguments: [
      { name: 'lines', type: '[LineInput!]!' },
      { name: 'at', type: 'timestamptz' },
    ],
  })
  await shop.action('orders', { type: 'query', output_type: '[Order!]!' })
  const { status, text, headers } = await shop.request('/v1alpha1/actions.d.ts')
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
  assert.equal(
    text,
    `import 'trellis/actions'

export interface LineInput {
  book_id: number
  count?: number | null
  wrapping?: Wrapping | null
}

export interface Order {
  id: number
  book_id?: number | null
  publisher_id?: number | null
  tags?: readonly (string)[] | null
  note?: Anything | null
  lines?: readonly (Line)[] | null
}

export interface Line {
  book_id: number
  wrapping?: Wrapping | null
}

export type Anything = unknown

export type Wrapping = 'PAPER' | 'FOIL'

declare module 'trellis/actions' {
  interface ActionTypes {
    order: { input: { lines: readonly (LineInput)[]; at?: string | null }; output: Order | null }
    orders: { input: Readonly<Record<never, never>>; output: readonly (Order)[] }
  }
}
`,
  )
  assert.equal((await shop.request('/v1alpha1/actions.d.ts', { role: 'editor' })).status, 400)
})

test('types with names that TypeScript reserves get other names in declarations', async (t) => {
  const trellis = await startTrellis(t)
  await trellis.op('set_custom_types', {
    scalars: [{ name: 'class' }],
    enums: [{ name: 'Readonly', values: [{ value: 'yes' }] }],
    objects: [{ name: 'any', fields: [{ name: 'delete', type: '[class!]' }] }],
  })
  const args = [{ name: 'how', type: 'Readonly!' }]
  await trellis.op('create_action', {
    name: 'delete',
    definition: { handler: 'http://localhost:1', arguments: args, output_type: 'any' },
  })
  const { text } = await trellis.request('/v1alpha1/actions.d.ts')
  assert.equal(
    text,
    `import 'trellis/actions'

export interface any_ {
  delete?: readonly (class_)[] | null
}

export type class_ = unknown

export type Readonly_ = 'yes'

declare module 'trellis/actions' {
  interface ActionTypes {
    delete: { input: { how: Readonly_ }; output: any_ | null }
  }
}
`,
  )
})

test('an action that a function answers needs no handler', async (t) => {
  const shop = await start(t, { restock: () => ({ id: 7 }) })
  const definition = { output_type: 'Order' }
  await shop.op('create_action', { name: 'restock', definition })
  assert.deepEqual(await shop.graphql('mutation { restock { id } }'), { data: { restock: { id: 7 } } })
  const exported = await shop.op<{ actions: unknown[] }>('export_metadata', {})
  const stored = { output_type: 'Order', type: 'mutation', kind: 'synchronous' }
  assert.deepEqual(exported.actions, [{ name: 'restock', definition: stored }])
  await shop.op('replace_metadata', exported)
  assert.deepEqual(await shop.op('export_metadata', {}), exported)

  for (const type of ['create_action', 'update_action']) {
    assert.deepEqual(await shop.opError(type, { name: 'refill', definition }), {
      status: 400,
      body: {
        path: '$.definition',
        error: 'key "handler" not found',
        code: 'parse-failed',
        hint: 'an action needs no handler if a function of a plugin answers it, but there is none for "refill"',
      },
    })
  }
  // Documents may come from a server with another plugin.
  const actions = [{ name: 'refill', definition: stored }]
  const { status, body } = await shop.opError('replace_metadata', { ...exported, actions })
  const reason = 'in action "refill"; no plugin answers it, and it has no handler'
  const broken = [{ type: 'action', definition: { ...actions[0], comment: null }, reason }]
  assert.deepEqual([status, (body as { internal: unknown }).internal], [400, broken])
  await shop.op(
    'replace_metadata',
    { allow_inconsistent_metadata: true, metadata: { ...exported, actions } },
    { version: 2 },
  )
  assert.deepEqual(await shop.op('get_inconsistent_metadata', {}), broken)
  assert.deepEqual((await shop.op<{ actions: unknown }>('export_metadata', {})).actions, actions)
})
