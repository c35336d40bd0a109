import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DocumentCache } from '../../core/graphql/read/document.ts'
import type { Session } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'

const admin = { role: 'admin', variables: {}, backendOnly: false }

test('rows with any jsonb share a plan, and nested rows do not affect the plan of flat ones', async (t) => {
  const { engine } = await startLibrary(t)
  const query = `mutation ($objects: [publisher_insert_input!]!) { insert_publisher(objects: $objects) { affected_rows } }`
  const plan = (...objects: object[]) => {
    return engine.graphql.plan({ query, operationName: null, variables: { objects } }, admin).prepared
  }
  const flat = plan({ name: 'a', info: { any: [1] } })
  assert.equal(plan({ name: 'b', info: 'text' }, { name: 'c', info: [{ deep: { er: null } }] }), flat)
  const nested = plan({ name: 'd', books: { data: [{ title: 'x' }] } })
  assert.notEqual(nested, flat)
  assert.equal(plan({ name: 'e', info: {} }, { name: 'f', info: 1 }, { name: 'g', info: [] }), flat)
  assert.equal(plan({ name: 'h', books: { data: [{ title: 'y' }] } }), nested)
  assert.notEqual(plan({ name: 'i', books: { data: [{ title: 'y' }, { title: 'z' }] } }), nested)
})

test('a plan that knows a value is not used for another one', async (t) => {
  const { graphql } = await startLibrary(t)
  const query = `query ($with: Boolean!, $limit: Int, $or: [book_bool_exp!]) {
    book(limit: $limit, where: { _or: $or }, order_by: { id: asc }) { id title @include(if: $with) }
  }`
  const ids = async (variables: Record<string, unknown>) => {
    const { data } = await graphql<{ data: { book: object[] } }>(query, variables)
    return data.book
  }
  const is = (id: number) => ({ id: { _eq: id } })
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(await ids({ with: true, limit: 1, or: [is(1)] }), [{ id: 1, title: 'Dawn' }])
    assert.deepEqual(await ids({ with: false, limit: 1, or: [is(1), is(2)] }), [{ id: 1 }])
    assert.deepEqual(await ids({ with: false, limit: 2, or: [is(1), is(2)] }), [{ id: 1 }, { id: 2 }])
    assert.deepEqual(await ids({ with: false, limit: 2, or: [] }), [])
    assert.deepEqual(await ids({ with: true, limit: null, or: [is(3)] }), [{ id: 3, title: 'Fog' }])
  }
})

test('values that only look alike have separate plans', async (t) => {
  const { engine } = await startLibrary(t)
  const query = `mutation ($objects: [book_insert_input!]!) { insert_book(objects: $objects) { affected_rows } }`
  const rows = [
    [{ title: 'a', pages: 1 }],
    [{ title: 'a', pages: null }],
    [{ title: 'a' }],
    [{ title: 'a', pages: 1 }, { title: 'b' }],
    [
      { title: 'a', pages: 1 },
      { title: 'b', pages: null },
    ],
    [{ title: 'a', publisher: { data: { name: 'x' } } }],
  ]
  const plans = rows.map((objects) => {
    return engine.graphql.plan({ query, operationName: null, variables: { objects } }, admin).prepared
  })
  assert.equal(new Set(plans).size, rows.length)
})

test('plans are shared regardless of the order of variables, but not of their presence', async (t) => {
  const { engine } = await startLibrary(t)
  const query =
    'query ($where: book_bool_exp, $order: [book_order_by!]) { book(where: $where, order_by: $order) { id } }'
  const plan = (variables: Record<string, unknown>) => {
    return engine.graphql.plan({ query, operationName: null, variables }, admin).prepared
  }
  const [where, order] = [{ id: { _eq: 1 } }, [{ id: 'asc' }]]
  const both = plan({ where, order })
  assert.equal(plan({ order, where: { id: { _eq: 2 } } }), both)
  const different = [both, plan({ where }), plan({ order }), plan({}), plan({ where, order: null })]
  assert.equal(new Set(different).size, different.length)
})

test('plans are bounded by their total size, however many one document could have', async (t) => {
  const { engine } = await startLibrary(t, { settings: { maxRequestCost: 1_000_000 } })
  const plan = (query: string, limit: number) => {
    return engine.graphql.plan({ query, operationName: null, variables: { limit } }, admin).prepared
  }
  const long = (fields: number) => {
    const members = Array.from({ length: fields }, (_, i) => `b${i}: book(limit: $limit) { id }`)
    return `query ($limit: Int!) { ${members.join(' ')} }`
  }
  for (let limit = 1; limit <= 60; limit++) plan(long(1500), limit)
  const kept = engine.graphql.cached().flatMap(({ plans }) => plans.flatMap(({ statements }) => statements))
  const characters = kept.reduce((sum, { length }) => sum + length, 0)
  assert.ok(kept.length >= 10 && characters <= 8_000_000, `${kept.length} plans of ${characters} characters`)
  assert.equal(plan(long(1500), 60), plan(long(1500), 60))
  assert.notEqual(plan(long(5000), 1), plan(long(5000), 1))
})

test('plans are dropped with their documents and with the schemas of their roles', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { engine } = await startLibrary(t, { settings: { queryPlanCacheSize: 50 } })
  const made: WeakRef<object>[] = []
  const plan = (query: string, session: Session) => {
    made.push(new WeakRef(engine.graphql.plan({ query, operationName: null, variables: {} }, session).prepared))
  }
  const alive = async () => {
    await sleep(10)
    collect()
    return made.filter((each) => each.deref() !== undefined).length
  }
  for (let i = 0; i < 500; i++) plan(`{ book { id${i}: id } }`, admin)
  await eventually(async () => (await alive()) <= 50)
  assert.ok((await alive()) > 10)
  made.length = 0
  for (let i = 0; i < 400; i++) plan('{ __typename }', { ...admin, role: `role-${i}` })
  await eventually(async () => (await alive()) <= 250)
})

test('cached documents are bounded by the size of their trees, and the most recently used stay', () => {
  const cache = new DocumentCache(4000)
  const long = (i: number) => `{ b${i} ${'b '.repeat(30_000)} }`
  const small = cache.get('{ book { id } }')
  for (let i = 0; i < 60; i++) {
    cache.get(long(i))
    assert.equal(cache.get('{ book { id } }'), small)
  }
  assert.ok(cache.all.length < 30, `${cache.all.length} documents`)
  const huge = `{ ${'b '.repeat(60_000)} }`
  assert.notEqual(cache.get(huge), cache.get(huge))
})

test('most documents of a cycle longer than the cache stay cached', () => {
  const cache = new DocumentCache(40)
  const document = (i: number) => `{ book { id${i} } }`
  let kept = 0
  for (let i = 0; i < 1000; i++) {
    const known = new Set(cache.all)
    if (known.has(cache.get(document(i % 50)))) kept++
  }
  assert.ok(kept > 600, `${kept} of 1000`)
  for (let i = 0; i < 4000; i++) cache.get(document(1000 + (i % 40)))
  const texts = new Set(cache.all.map(({ text }) => text))
  assert.ok(texts.has(document(1000)) && texts.has(document(1039)), 'others that are asked for take their place')
})
