// Hooks of plugins around the server's work.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import type { Around } from '../../core/around/around.ts'
import { definePlugin, type Engine, type Plugin } from '../../core/engine/plugin.ts'
import { badRequest } from '../../core/errors/errors.ts'
import { startOther } from '../auth/other-server.ts'
import { recordingObserver } from '../http/server.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'

const plugin = (name: string, register: (engine: Engine) => void): Plugin => definePlugin({ name, register })

/** Whether a statement belongs to a request. The server has statements of its own. */
const requested = new AsyncLocalStorage<true>()

/** Records when each kind of work of requests begins and ends. */
const witness = (name: string, seen: string[]): Plugin =>
  plugin(name, (engine) => {
    const around =
      (what: string): Around<unknown> =>
      async (_work, run) => {
        if (what === 'statement' && !requested.getStore()) return run()
        seen.push(`${name} ${what} begins`)
        try {
          return await requested.run(true, run)
        } finally {
          seen.push(`${name} ${what} ends`)
        }
      }
    engine.around({
      request: around('request'),
      operation: around('operation'),
      metadata: around('metadata'),
      statement: around('statement'),
      planning(_work, run) {
        seen.push(`${name} planning`)
        return run()
      },
      async outgoing(request, send) {
        seen.push(`${name} outgoing`)
        return send({ ...request, headers: { ...request.headers, [`x-${name}`]: 'was here' } })
      },
    })
  })

test('a synchronous throw of an operation hook fails only its operation of a batch', async (t) => {
  const refusing = plugin('refusing', (engine) => {
    engine.around({
      operation(work, run) {
        if (work.request.operationName === 'b') throw badRequest('not-supported', 'not this one')
        return run()
      },
    })
  })
  const { request, engine } = await startLibrary(t, { plugins: [refusing] })
  const query = 'query a { book(limit: 1) { id } } query b { book { id } }'
  const body = ['a', 'b', 'a'].map((operationName) => ({ query, operationName }))
  const answers = await request<{ data?: object; errors?: { message: string }[] }[]>('/v1/graphql', { body })
  const told = answers.body.map(({ data, errors }) => (data ? 'answered' : errors?.[0]?.message))
  assert.deepEqual(told, ['answered', 'not this one', 'answered'])
  const session = { role: 'admin', variables: {}, backendOnly: false }
  const refused = engine.graphql.execute({ query, operationName: 'b', variables: null }, session, { headers: {} })
  await assert.rejects(refused, /not this one/)
})

test('a statement hook may wait, or refuse the last statement of a mutation, which is then rolled back', async (t) => {
  let ofRequest = 0
  let refusesSecond = false
  const waiting = plugin('waiting', (engine) => {
    engine.around({
      async statement(work, run) {
        if (work.kind !== 'transaction') return run()
        await new Promise((done) => setTimeout(done, 20))
        if (refusesSecond && ++ofRequest === 2) throw badRequest('not-supported', 'not this one')
        return run()
      },
    })
  })
  const { graphql, sql } = await startLibrary(t, { plugins: [waiting] })
  const insert = (title: string, id: number) => `mutation {
    a: insert_book_one(object: {id: 21, title: "${title}", publisher_id: 1}) { id }
    b: insert_book_one(object: {id: ${id}, title: "${title}", publisher_id: 1}) { id }
  }`
  const told = async (mutation: string) => {
    const { errors } = await graphql<{ errors?: { extensions: { code: string } }[] }>(mutation)
    const [{ n }] = (await sql('select count(*)::int as n from book where id > 20')) as [{ n: number }]
    return [errors?.[0]?.extensions.code, n]
  }
  assert.deepEqual(await told(insert('fails', 21)), ['constraint-violation', 0])
  refusesSecond = true
  assert.deepEqual(await told(insert('is refused', 22)), ['not-supported', 0])
  refusesSecond = false
  assert.deepEqual(await told(insert('is kept', 22)), [undefined, 2])
})

test('each kind of work is hooked once per plugin, and the first plugin is outermost', async (t) => {
  const seen: string[] = []
  const trellis = await startLibrary(t, { plugins: [witness('a', seen), witness('b', seen)] })
  seen.length = 0
  await trellis.graphql('{ book { id } }')
  assert.deepEqual(seen, [
    'a request begins',
    'b request begins',
    'a operation begins',
    'b operation begins',
    'a planning',
    'b planning',
    'a statement begins',
    'b statement begins',
    'b statement ends',
    'a statement ends',
    'b operation ends',
    'a operation ends',
    'b request ends',
    'a request ends',
  ])
  seen.length = 0
  await trellis.op('count', { table: 'book' })
  assert.deepEqual(seen.filter((each) => each.startsWith('a ')).slice(0, 4), [
    'a request begins',
    'a metadata begins',
    'a statement begins',
    'a statement ends',
  ])
})

test('hooks can change requests to other servers', async (t) => {
  const hook = await startOther(t, () => ({ body: { 'x-service-role': 'reader' } }))
  const settings = { adminSecret: 'sesame', authHook: hook.url }
  const trellis = await startTrellis(t, { plugins: [witness('a', []), witness('b', [])], settings })
  await trellis.graphql('{ __typename }')
  const { headers } = hook.received[0]!
  assert.deepEqual([headers['x-a'], headers['x-b']], ['was here', 'was here'])
})

test('a hook gets the result of its work', async (t) => {
  const told: unknown[] = []
  const watcher = plugin('watcher', (engine) => {
    engine.around({
      async request(work, run) {
        const result = await run()
        const { error, session } = work.exchange
        told.push([work.route.url, work.reply.statusCode, session?.role ?? null, error?.code ?? null])
        return result
      },
      async operation(work, run) {
        try {
          return await run()
        } finally {
          told.push(work.operation?.kind ?? null)
        }
      },
      planning(work, run) {
        try {
          return run()
        } finally {
          told.push(work.cached)
        }
      },
    })
  })
  const trellis = await startLibrary(t, { plugins: [watcher] })
  told.length = 0
  await trellis.graphql('{ book { id } }')
  await trellis.graphql('{ book { id } }')
  await trellis.graphql('{ nothing }', undefined, { role: 'reader', path: '/v1alpha1/graphql' })
  await trellis.request('/v1/query', { body: '{' })
  assert.deepEqual(told, [
    ...[false, 'query', ['/v1/graphql', 200, 'admin', null]],
    ...[true, 'query', ['/v1/graphql', 200, 'admin', null]],
    ...[null, null, ['/v1alpha1/graphql', 400, 'reader', 'validation-failed']],
    ['/v1/query', 400, 'admin', 'invalid-json'],
  ])
})

test("a hook that does not return the result is an error with the plugin's name", async (t) => {
  const mutation = { query: 'mutation { delete_book(where: {id: {_eq: 3}}) { affected_rows } }' }
  const operation = { type: 'run_sql', args: { sql: 'select 1' } }
  const sync = { planning: mutation, document: mutation }
  const asked = { operation: mutation, statement: mutation, batch: [mutation, mutation], metadata: operation, ...sync }
  for (const [kind, body] of Object.entries(asked)) {
    const observe = recordingObserver()
    let isOn = false
    const forgetful = plugin('forgetful', (engine) => {
      const waits = async (_work: unknown, run: () => Promise<unknown>) => (isOn ? void (await run()) : await run())
      const atOnce = (_work: unknown, run: () => unknown) => (isOn ? void run() : run())
      engine.around({ [kind]: kind in sync ? atOnce : waits })
    })
    const { request } = await startLibrary(t, { plugins: [forgetful], observe })
    isOn = true
    const path = kind === 'metadata' ? '/v1/query' : '/v1alpha1/graphql'
    const answer = await request(path, { method: 'POST', body })
    isOn = false
    assert.match(answer.text, /"(error|message)":"internal error"/)
    const message = `Error: around: "${kind}" of plugin "forgetful" must return the result of run()`
    const told = observe.entries.flatMap(({ type, detail }) => (type === 'unstructured' ? [String(detail)] : []))
    assert.ok(told[0]?.startsWith(message), told[0])
  }
})

test('a hook that fails before its work is an error of the request', async (t) => {
  const observe = recordingObserver()
  const broken = plugin('broken', ({ around }) => {
    around({
      async request(work, run) {
        if (work.request.headers['x-break'] !== undefined) throw new Error('no good')
        return run()
      },
    })
  })
  const trellis = await startTrellis(t, { observe, plugins: [broken] })
  const answer = await trellis.request('/v1/graphql', {
    headers: { 'x-break': '1' },
    body: { query: '{ __typename }' },
  })
  assert.deepEqual(answer.body, {
    errors: [{ extensions: { path: '$', code: 'unexpected' }, message: 'internal error' }],
  })
  assert.ok(observe.entries.some(({ detail }) => String(detail).includes('Error: no good')))
  assert.deepEqual(await trellis.graphql('{ __typename }'), { data: { __typename: 'query_root' } })
})

test('a hook can abort an operation and its statement', async (t) => {
  const impatient = plugin('impatient', ({ around }) => {
    around({
      operation(work, run) {
        const controller = new AbortController()
        work.signal = controller.signal
        setTimeout(() => controller.abort(badRequest('too-slow', 'enough')), 200)
        return run()
      },
    })
  })
  const sql = 'create view nap as select 1 as id, pg_sleep(30)::text as over'
  const trellis = await startTrellis(t, { sql, plugins: [impatient] })
  await trellis.op('track_table', 'nap')
  assert.deepEqual(await trellis.graphql('{ nap { over } }'), {
    errors: [{ extensions: { path: '$', code: 'too-slow' }, message: 'enough' }],
  })
})

test('admission runs after authentication and before the body is parsed', async (t) => {
  const asked: unknown[] = []
  const gate = plugin('gate', ({ around }) => {
    around({
      async admission({ session, headers, address, setHeader }, run) {
        asked.push([session.role, address])
        if (headers['x-pass'] !== undefined) return run()
        setHeader('x-reason', 'no pass')
        throw badRequest('no-pass', 'show your pass')
      },
      batch({ applicant: { session }, size }, run) {
        asked.push([session.role, size])
        return run()
      },
    })
  })
  const trellis = await startTrellis(t, { plugins: [gate], settings: { adminSecret: 'sesame' } })
  const secret = { 'x-service-admin-secret': 'sesame' }
  assert.equal((await trellis.request('/v1/query', { body: '{' })).status, 401)
  assert.deepEqual(asked, [])
  const refused = await trellis.request('/v1/query', { headers: secret, role: 'clerk', body: '{' })
  assert.deepEqual(
    [refused.status, refused.headers.get('x-reason'), refused.body],
    [400, 'no pass', { path: '$', error: 'show your pass', code: 'no-pass' }],
  )
  const batch = [{ query: '{ __typename }' }, { query: '{ __typename }' }]
  const served = await trellis.request('/v1/graphql', { headers: { ...secret, 'x-pass': '1' }, body: batch })
  assert.equal((served.body as unknown[]).length, 2)
  assert.deepEqual(asked, [
    ['clerk', '127.0.0.1'],
    ['admin', '127.0.0.1'],
    ['admin', 2],
  ])
})

test('document hooks get the request and run before the schema is consulted', async (t) => {
  const names: unknown[] = []
  const reader = plugin('reader', ({ around }) => {
    around({
      document({ document, request }, run) {
        names.push(request.operationName)
        if (document.text.includes('nothing')) throw badRequest('no-such-thing', 'nothing is asked for')
        return run()
      },
    })
  })
  const trellis = await startTrellis(t, { plugins: [reader] })
  await trellis.graphql('query a { __typename } query b { __typename }', undefined, { operationName: 'b' })
  await trellis.graphql('{ __typename }')
  assert.deepEqual(names, ['b', null])
  assert.deepEqual(await trellis.graphql('{ nothing }'), {
    errors: [{ extensions: { path: '$', code: 'no-such-thing' }, message: 'nothing is asked for' }],
  })
})

test('admission hooks get the result of the request, also of another transport', async (t) => {
  const seen: string[] = []
  const counter = plugin('counter', (engine) => {
    engine.around({
      async admission({ session }, run) {
        seen.push(`${session.role} begins`)
        try {
          return await run()
        } catch (error) {
          seen.push(`${session.role} fails: ${(error as Error).message}`)
          throw error
        } finally {
          seen.push(`${session.role} ends`)
        }
      },
    })
    engine.routes.add({
      method: 'GET',
      url: '/elsewhere',
      auth: 'none',
      handle: ({ request }) => {
        const session = { role: 'guest', variables: {}, backendOnly: false }
        const applicant = { session, headers: request.headers, address: '', setHeader() {} }
        return engine.admission.admit(applicant, async () => 'served')
      },
    })
  })
  const trellis = await startTrellis(t, { plugins: [counter] })
  assert.equal((await trellis.request('/elsewhere')).text, 'served')
  const refused = await trellis.request('/v1/query', { role: 'clerk', body: '{' })
  assert.equal(refused.status, 400)
  assert.deepEqual(seen, [
    'guest begins',
    'guest ends',
    'clerk begins',
    `clerk fails: Expected property name or '}' in JSON at position 1 (line 1 column 2)`,
    'clerk ends',
  ])
})

test('plugins add settings to transactions', async (t) => {
  const tagging = plugin('tagging', ({ sessionSettings }) => sessionSettings.add(() => ({ 'app.tag': `it's "me"` })))
  const sql = `
    create table person (id serial primary key, tag text);
    create function tag() returns trigger language plpgsql as $$
      begin new.tag := current_setting('app.tag'); return new; end $$;
    create trigger tags before insert on person for each row execute function tag();
  `
  const trellis = await startTrellis(t, { sql, plugins: [tagging] })
  await trellis.op('track_table', 'person')
  const insert = 'mutation { insert_person_one(object: {}) { tag } }'
  assert.deepEqual(await trellis.graphql(insert), { data: { insert_person_one: { tag: `it's "me"` } } })
})
