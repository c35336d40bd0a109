// The cost of a request for the database is counted while it is read, on every transport, and limited by an option.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { GivenSettings } from '../../core/engine/options.ts'
import { openApollo } from '../subscriptions/clients.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
create table artist (id int primary key, name text not null);
create table album (id int primary key, artist_id int not null references artist, title text not null);
create index on album (artist_id);
insert into artist select g, 'a' || g from generate_series(1, 20) g;
insert into album select g, 1 + g % 20, 't' || g from generate_series(1, 60) g`

const limit = 4800

const refused = (most = limit, prefix = 'SERVICE_GRAPHQL_') =>
  `the request costs more than ${most}, which --max-request-cost (${prefix}MAX_REQUEST_COST) allows`

const code = 'cost-limit-exceeded'

async function start(t: never, settings: GivenSettings): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql, settings })
  for (const name of ['artist', 'album']) await trellis.op('track_table', { name, schema: 'public' })
  const using = { foreign_key_constraint_on: { table: 'album', column: 'artist_id' } }
  await trellis.op('create_array_relationship', { table: 'artist', name: 'albums', using })
  const artist = { foreign_key_constraint_on: 'artist_id' }
  await trellis.op('create_object_relationship', { table: 'album', name: 'artist', using: artist })
  return trellis
}

const repeat = <T>(times: number, item: T): T[] => Array.from({ length: times }, () => item)

let trellis: TestTrellis

before(async (t) => {
  trellis = await start(t as never, { maxRequestCost: limit })
})

const query = 'query ($where: artist_bool_exp) { artist(where: $where) { id } }'

/** An empty condition on a related row costs 127. */
const related = (times: number) => ({ where: { _or: repeat(times, { albums: {} }) } })

const where = (place: string) => `$.selectionSet.artist.args.where.${place}`

const answer = (path: string, message = refused()) => ({ errors: [{ extensions: { path, code }, message }] })

test('conditions on related rows are refused beyond the limit, in variables and literals', async () => {
  assert.deepEqual(await trellis.graphql(query, related(38)), answer(where('_or[37].albums')))
  const literal = `{ artist(where: {_or: [${repeat(38, '{albums: {}}').join()}]}) { id } }`
  assert.deepEqual(await trellis.graphql(literal), answer(where('_or[37].albums')))
  const { data } = await trellis.graphql<{ data: { artist: unknown[] } }>(query, related(35))
  assert.equal(data.artist.length, 20)
})

test('each part of a request that the database plans has a cost', async () => {
  const refuses = async (text: string, variables: Record<string, unknown> = {}) => {
    const body = await trellis.graphql<{ errors?: { message: string }[] }>(text, variables)
    assert.deepEqual(body.errors?.[0]?.message, refused(), text.slice(0, 100))
  }
  const conditions = (condition: object) => refuses(query, { where: { _and: repeat(1000, condition) } })
  await conditions({ id: { _eq: 1 } })
  await conditions({ id: { _eq: 1, _gt: 0 } })
  await refuses(query, { where: { _and: repeat(5000, {}) } })
  const order = 'query ($by: [artist_order_by!]) { artist(order_by: $by) { id } }'
  await refuses(order, { by: repeat(2500, { id: 'asc' }) })
  await refuses(order, { by: repeat(50, { albums_aggregate: { count: 'asc' } }) })
  const albums = 'query ($by: [album_order_by!]) { album(order_by: $by) { id } }'
  await refuses(albums, { by: repeat(50, { artist: { id: 'asc' } }) })
  const distinct = 'query ($on: [artist_select_column!]) { artist(distinct_on: $on) { id } }'
  await refuses(distinct, { on: repeat(5000, 'id') })
  const count = 'query ($on: [artist_select_column!]) { artist_aggregate { aggregate { count(columns: $on) } } }'
  await refuses(count, { on: repeat(5000, 'id') })
  const aliased = (times: number, field: string) => Array.from({ length: times }, (_, i) => `f${i}: ${field}`).join(' ')
  await refuses(`{ ${aliased(120, 'artist { id }')} }`)
  await refuses(`{ artist { ${aliased(41, 'albums { id }')} } }`)
  await refuses(`{ artist { ${aliased(5000, 'id')} } }`)
  await refuses(`{ artist_aggregate { aggregate { ${aliased(5000, 'count')} } } }`)
  await refuses(`{ artist { ${aliased(20, 'albums_aggregate { aggregate { count } }')} } }`)
})

test('lists of values cost nothing, and rows to insert neither', async () => {
  const ids = Array.from({ length: 5000 }, (_, i) => i)
  const { data } = await trellis.graphql<{ data: { artist: unknown[] } }>(query, { where: { id: { _in: ids } } })
  assert.equal(data.artist.length, 20)
  const objects = ids.map((id) => ({ id: id + 1000, name: `n${id}` }))
  const insert = 'mutation ($objects: [artist_insert_input!]!) { insert_artist(objects: $objects) { affected_rows } }'
  assert.deepEqual(await trellis.graphql(insert, { objects }), { data: { insert_artist: { affected_rows: 5000 } } })
  await trellis.sql('delete from artist where id >= 1000')
})

test('the limit holds in batches, for each of their operations', async () => {
  const bodies = [
    { query, variables: related(38) },
    { query, variables: { where: { id: { _eq: 1 } } } },
  ]
  const { status, body } = await trellis.request('/v1/graphql', { body: bodies })
  assert.equal(status, 200)
  assert.deepEqual(body, [answer(where('_or[37].albums')), { data: { artist: [{ id: 1 }] } }])
})

test('the limit holds for subscriptions and queries on WebSockets', async (t) => {
  const socket = await openApollo(t, trellis.url)
  for (const [id, kind] of ['query', 'subscription'].entries()) {
    socket.send({
      type: 'start',
      id: String(id),
      payload: { query: query.replace('query', kind), variables: related(38) },
    })
    const message = await socket.next()
    assert.equal(message['type'], 'error')
    assert.ok(JSON.stringify(message).includes(refused()), JSON.stringify(message))
    assert.equal((await socket.next())['type'], 'complete')
  }
})

test('the limit holds for streams of events', async () => {
  const response = await fetch(`${trellis.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: query.replace('query', 'subscription'), variables: related(38) }),
  })
  assert.ok((await response.text()).includes(refused()))
})

test('the limit holds for Relay and for explain', async () => {
  const relay = 'query ($where: artist_bool_exp) { artist_connection(where: $where) { edges { node { id } } } }'
  const body = await trellis.graphql<{ errors: { message: string }[] }>(relay, related(38), { path: '/v1beta1/relay' })
  assert.equal(body.errors[0]?.message, refused())
  const explained = await trellis.request<{ error: string; code: string }>('/v1/graphql/explain', {
    body: { query: { query, variables: related(38) } },
  })
  assert.equal(explained.status, 400)
  assert.deepEqual([explained.body.error, explained.body.code], [refused(), code])
})

test('the limit holds for data operations', async () => {
  const refuses = async (type: string, args: object, path: string) => {
    const { status, body } = await trellis.opError(type, { table: 'artist', ...args })
    assert.deepEqual({ status, body }, { status: 400, body: { path, error: refused(), code } }, type)
  }
  const many = { where: { $or: repeat(38, { albums: {} }) } }
  await refuses('select', { columns: ['id'], ...many }, '$.args.where._or[37].albums')
  await refuses('count', many, '$.args.where._or[37].albums')
  await refuses('delete', many, '$.args.where._or[37].albums')
  await refuses('update', { $set: { name: 'x' }, ...many }, '$.args.where._or[37].albums')
  await refuses('select', { columns: ['id'], order_by: repeat(5000, '+id') }, '$.args.order_by')
  await refuses('select', { columns: repeat(5000, 'id') }, '$.args.columns')
  await refuses('count', { distinct: repeat(5000, 'id') }, '$.args')
  const nested = Array.from({ length: 40 }, (_, i) => ({ name: 'albums', alias: `a${i}`, columns: ['id'] }))
  await refuses('select', { columns: nested }, '$.args.columns[32]')
})

test('arguments of data operations that would take long to read are refused before', async () => {
  const refusal = async (type: string, args: object) => {
    const { status, body } = await trellis.opError(type, { table: 'artist', ...args })
    const { code, path, error } = body as Record<string, string>
    return [status, code, path, error]
  }
  const tooMany = (subject: string) => `${subject} more than 200000 JSON values`
  const ordered = { columns: ['id'], order_by: repeat(200_001, '+id') }
  assert.deepEqual(await refusal('select', ordered), [400, 'parse-failed', '$', tooMany('the arguments have')])
  const large = {
    objects: [
      { id: 99, name: 'a' },
      { id: 100, name: repeat(200_001, 0) },
    ],
  }
  assert.deepEqual(await refusal('insert', large), [400, 'parse-failed', '$.objects[1]', tooMany('the element has')])
  const path = { columns: ['id'], order_by: [`+${'albums.'.repeat(2000)}id`] }
  const tooLong = 'a path has at most 10000 characters'
  assert.deepEqual(await refusal('select', path), [400, 'parse-failed', '$.order_by[0]', tooLong])
})

test('the limit holds for the members of a bulk, of all levels, unless an administrator sends them', async () => {
  const permission = { columns: '*', filter: {} }
  await trellis.op('create_select_permission', { table: 'artist', role: 'counter', permission })
  const count = { type: 'count', args: { table: 'artist' } }
  const bulk = (inner: number, outer: number) => [{ type: 'bulk', args: repeat(inner, count) }, ...repeat(outer, count)]
  const role = 'counter'
  const refusal = { path: '$.args', error: refused(), code }
  assert.deepEqual((await trellis.opError('bulk', bulk(60, 46), { role })).body, refusal)
  assert.deepEqual((await trellis.opError('bulk', repeat(107, count), { role })).body, refusal)
  const { status } = await trellis.request('/v1/query', { body: { type: 'bulk', args: bulk(60, 45) }, role })
  assert.equal(status, 200)
  const { status: trusted } = await trellis.request('/v1/query', { body: { type: 'bulk', args: repeat(200, count) } })
  assert.equal(trusted, 200)
})

test('conditions of permissions do not count', async () => {
  const filter = { _or: repeat(100, { albums: { id: { _gt: 0 } } }) }
  const permission = { columns: '*', filter }
  await trellis.op('create_select_permission', { table: 'artist', role: 'reader', permission })
  const { data } = await trellis.graphql<{ data: { artist: unknown[] } }>('{ artist { id } }', {}, { role: 'reader' })
  assert.equal(data.artist.length, 20)
})

test('by default 400 related rows are too many, and 5,000 comparisons are not', async (t) => {
  const roomy = await start(t as never, {})
  assert.deepEqual(await roomy.graphql(query, related(400)), answer(where('_or[393].albums'), refused(50_000)))
  const comparisons = Array.from({ length: 5000 }, (_, id) => ({ id: { _eq: id } }))
  const { data } = await roomy.graphql<{ data: { artist: unknown[] } }>(query, { where: { _or: comparisons } })
  assert.equal(data.artist.length, 20)
  const fields = Array.from({ length: 600 }, (_, i) => `a${i}: albums { id }`).join(' ')
  const body = await roomy.graphql<{ errors: { message: string }[] }>(`{ artist { ${fields} } }`)
  assert.equal(body.errors[0]?.message, refused(50_000))
})

test('lists that are repeated with the rows around them are refused from the sixth on, and trees are not', async (t) => {
  const whole = await start(t as never, {})
  const [list, one, aggregate, edges] = [
    'albums',
    'artist',
    'albums_aggregate { nodes',
    'albums_connection { edges { node',
  ]
  const nested = (times: number, many: string, open: string) => {
    const [start, end] = [`${many} { ${one} { `.repeat(times), ` }`.repeat(times * open.length)]
    return `{ artist(where: {id: {_eq: 0}}) { ${start}id${end} } }`
  }
  const first = await whole.graphql(nested(6, list, '{{'))
  assert.deepEqual(first, { data: { artist: [] } })
  for (const [many, open] of [
    [list, '{{'],
    [aggregate, '{{{'],
  ] as const) {
    const { errors } = await whole.graphql<{ errors: { message: string }[] }>(nested(12, many, open))
    assert.equal(errors[0]!.message, refused(50_000))
  }
  const relay = `{ artist_connection { edges { node { ${`${edges} { ${one} { `.repeat(7)}id${' } } } }'.repeat(7)} } } } }`
  const { body } = await whole.request<{ errors: { message: string }[] }>('/v1beta1/relay', { body: { query: relay } })
  assert.equal(body.errors[0]!.message, refused(50_000))
  await whole.sql('create table reply (id int primary key, parent int references reply)')
  await whole.op('track_table', 'reply')
  await whole.op('create_array_relationship', {
    table: 'reply',
    name: 'replies',
    using: { foreign_key_constraint_on: { table: 'reply', column: 'parent' } },
  })
  const tree = `{ reply { ${'replies { '.repeat(24)}id${' }'.repeat(24)} } }`
  assert.deepEqual(await whole.graphql(tree), { data: { reply: [] } })
})

test('in dialect hasura the refusal names its own variable', async (t) => {
  const hasura = await start(t as never, { dialect: 'hasura', maxRequestCost: 100 })
  const message = refused(100, 'HASURA_GRAPHQL_')
  assert.deepEqual(await hasura.graphql(query, related(5)), answer(where('_or[0].albums'), message))
})
