import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agent, refused, startOffice } from './office.ts'

test('each data operation has a URL for tables of schema public', async (t) => {
  const { request } = await startOffice(t)
  const post = async (operation: string, body: object, options = {}) => {
    const answer = await request(`/api/1/table/person/${operation}`, { ...options, body })
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    return answer.body
  }
  assert.deepEqual(await post('select', { columns: ['first'], where: { id: 1 } }), [{ first: 'Ann' }])
  assert.deepEqual(await post('insert', { objects: [{ id: 5, first: 'Eve' }] }), { affected_rows: 1 })
  assert.deepEqual(await post('update', { where: { id: 5 }, $set: { first: 'Eva' } }), { affected_rows: 1 })
  assert.deepEqual(await post('delete', { where: { id: 5 }, returning: ['first'] }), {
    returning: [{ first: 'Eva' }],
    affected_rows: 1,
  })
  assert.deepEqual(await post('count', { table: 'ignored' }), { count: 3 })
  assert.deepEqual(await post('count', {}, agent), { count: 2 })
})

test('errors are those of the metadata API', async (t) => {
  const { request } = await startOffice(t)
  const post = async (path: string, body: unknown, options = {}) => {
    const answer = await request(`/api/1/table/${path}`, { ...options, body })
    return { status: answer.status, body: answer.body }
  }
  assert.deepEqual(await post('person/upsert', {}), refused('not-found', 'No such resource exists', '$', 404))
  assert.deepEqual(await post('no%20table/count', {}), refused('not-exists', 'table "no table" does not exist'))
  assert.deepEqual(
    await post('person/count', []),
    refused('parse-failed', 'parsing Object failed, expected Object, but encountered Array', '$'),
  )
  assert.deepEqual(await post('person/delete', {}), refused('parse-failed', `the key 'where' was not present`, '$'))
  assert.deepEqual(
    await post('person/delete', { where: {} }, agent),
    refused('permission-denied', 'delete on "person" for role "agent" is not allowed. '),
  )
})

test('the URL is part of the metadata API', async (t) => {
  const { request } = await startOffice(t, { settings: { enabledApis: ['metadata'] } })
  assert.equal((await request('/api/1/table/person/count', { body: {} })).status, 200)
  const get = await request('/api/1/table/person/count')
  assert.equal(get.status, 404)
})
