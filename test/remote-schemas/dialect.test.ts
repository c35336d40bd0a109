// Errors of remote servers with `--dialect hasura`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GivenSettings } from '../../core/engine/options.ts'
import { startWithCrm } from './crm.ts'

const query = '{ book(limit: 1) { title } user(id: 1) { id fails } }'

const settings = (more: GivenSettings = {}) => ({ settings: { dialect: 'hasura' as const, ...more } })

test('errors discard all data, and are shown as received', async (t) => {
  const { crm, trellis } = await startWithCrm(t, {}, settings())
  const errors = [{ message: 'cannot say for 1', locations: [{ line: 1, column: 26 }], path: ['user', 'fails'] }]
  assert.deepEqual(await trellis.graphql(query), { data: null, errors })
  await crm.stop()
  const gone = await trellis.graphql<{ data?: unknown; errors: { message: string; extensions: object }[] }>(query)
  assert.equal(gone.data, undefined)
  assert.equal(gone.errors[0]?.message, 'ConnectionFailure')
})

test('remoteSchemaPrioritizeData keeps the data', async (t) => {
  const { trellis } = await startWithCrm(t, {}, settings({ remoteSchemaPrioritizeData: true }))
  const { data } = await trellis.graphql<{ data: unknown }>(query)
  assert.deepEqual(data, { book: [{ title: 'Dawn' }], user: { id: 1, fails: null } })
})

test('session variables have the names of the dialect', async (t) => {
  const { crm, trellis } = await startWithCrm(t, {}, settings())
  await trellis.graphql(
    '{ user(id: 1) { id } }',
    {},
    { headers: { 'x-hasura-user-id': '7', 'x-hasura-role': 'clerk' } },
  )
  const { headers } = crm.received.at(-1)!
  assert.deepEqual([headers['x-hasura-user-id'], headers['x-hasura-role']], ['7', 'clerk'])
})
