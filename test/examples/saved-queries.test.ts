import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import savedQueries from '../../examples/saved-queries.ts'

const sql = `
  create table ship (id int primary key, name text not null);
  insert into ship values (1, 'Argo'), (2, 'Beagle')`

const start = (settings = {}) => startTrellis({ plugins: [savedQueries], sql, settings })

const byId = { name: 'ship_by_id', query: 'query ($id: Int!) { ship_by_pk(id: $id) { name } }' }
const save = { type: 'save_query', args: byId }
const track = { type: 'track_table', args: 'ship' }

test('a saved query is asked for by its name', async () => {
  await using trellis = await start()
  await trellis.operation('bulk', [track, save])
  const answer = await trellis.request('/saved/ship_by_id?id=2')
  assert.deepEqual([answer.status, answer.body], [200, { data: { ship_by_pk: { name: 'Beagle' } } }])
  const body = { path: '$', error: 'there is no saved query "other"', code: 'not-found' }
  const other = await trellis.request('/saved/other')
  assert.deepEqual([other.status, other.body], [404, body])
})

test("a saved query runs with the permissions of the caller's role", async () => {
  await using trellis = await start()
  await trellis.operation('bulk', [track, save])
  const { body } = await trellis.request<{ errors: { message: string }[] }>('/saved/ship_by_id?id=2', { role: 'guest' })
  assert.match(JSON.stringify(body), /field \\"ship_by_pk\\" not found/)
})

test('an invalid query cannot be saved, but a bulk may first create its tables', async () => {
  await using trellis = await start()
  const refusal = (member: string) => ({
    status: 400,
    body: {
      path: `$.args${member}.query`,
      error: `the query cannot be saved: field "ship_by_pk" not found in type: 'query_root'`,
      code: 'validation-failed',
    },
  })
  await assert.rejects(trellis.operation('save_query', byId), refusal(''))
  await assert.rejects(trellis.operation('bulk', [save, track]), refusal('[0].args'))
  assert.deepEqual(await trellis.operation('bulk', [track, save]), [{ message: 'success' }, { message: 'success' }])
  await assert.rejects(trellis.operation('save_query', { name: 'broken', query: '{' }), { status: 400 })
})

test('saved queries are part of the metadata', async () => {
  await using trellis = await start()
  await trellis.operation('bulk', [track, save])
  const exported = await trellis.operation<{ saved_queries: unknown }>('export_metadata', {})
  assert.deepEqual(exported.saved_queries, [byId])
  await trellis.operation('drop_saved_query', { name: 'ship_by_id' })
  assert.equal((await trellis.request('/saved/ship_by_id?id=1')).status, 404)
  const gone = { path: '$.args.name', error: 'there is no saved query "ship_by_id"', code: 'not-exists' }
  await assert.rejects(trellis.operation('drop_saved_query', { name: 'ship_by_id' }), { status: 400, body: gone })
  await trellis.operation('replace_metadata', exported)
  assert.equal((await trellis.request('/saved/ship_by_id?id=1')).status, 200)
})

test('a closed API closes its operations and its route, and keeps saved queries', async () => {
  await using trellis = await start({ enabledApis: ['metadata', 'graphql'] })
  assert.equal((await trellis.request('/saved/ship_by_id?id=1')).status, 404)
  await assert.rejects(trellis.operation('save_query', byId), { status: 400 })
})
