// The claims of the guide about the server around requests: own tables and timers, authentication, hooks, programs.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startTrellis } from 'trellis/testing'
import apiKeys from './api-keys.ts'
import audit from './audit.ts'
import glossary from './glossary.ts'
import guestCount from './guest-count.ts'
import guests from './guests.ts'
import timing from './timing.ts'

test('guests are kept in a table of the plugin, counted for others, and forgotten in time', async () => {
  const lines: unknown[] = []
  const observe = {
    isEnabled: () => true,
    log: ({ type, detail }: { type: string; detail: unknown }) => type === 'guests' && lines.push(detail),
    flush() {},
  }
  const settings = { guestsKept: 0, guestsInterval: 1, enabledApis: ['metadata', 'config', 'metrics'] }
  await using trellis = await startTrellis({ plugins: [guestCount, guests], settings, observe })
  const guest = await trellis.request('/guests', { role: 'guest', body: {} })
  assert.deepEqual([guest.status, guest.body], [200, { thanks: 'guest' }])
  const counted = await trellis.request<{ guests: number }>('/guests')
  assert.equal(counted.status, 200)
  assert.equal((await trellis.request<{ guests_kept: number }>('/v1alpha1/config')).body.guests_kept, 0)
  const metrics = await trellis.request('/v1/metrics')
  assert.match(metrics.text, /guests_kept_seconds 0/)
  for (let i = 0; i < 200 && !lines.some((line) => JSON.stringify(line) === '{"forgotten":1}'); i++) await sleep(50)
  assert.deepEqual((await trellis.request('/guests')).body, { guests: 0 })
  assert.ok(lines.length > 0)
})

test('API keys identify the caller', async () => {
  const roles = new Map([['k1', 'guest']])
  await using trellis = await startTrellis({ plugins: [apiKeys(roles), glossary], settings: { adminSecret: 's' } })
  const ask = (headers: Record<string, string>) => trellis.request('/glossary', { headers, role: null })
  assert.equal((await ask({ 'x-api-key': 'k1' })).status, 200)
  assert.equal((await ask({ 'x-service-admin-secret': 's' })).status, 200)
  const refused = await ask({ 'x-api-key': 'k2' })
  const body = { path: '$', error: 'an x-api-key that is known is required', code: 'access-denied' }
  assert.deepEqual([refused.status, refused.body], [401, body])
})

test('hooks around requests measure and refuse them', async () => {
  const told: string[] = []
  await using trellis = await startTrellis({
    plugins: [timing((kind) => told.push(kind))],
    sql: 'create table a (id int)',
  })
  await trellis.operation('track_table', 'a')
  await trellis.graphql('{ __typename }', { role: 'guest' })
  const mutation = 'mutation { insert_a(objects: []) { affected_rows } }'
  const refused = await trellis.graphql(mutation, { role: 'guest' })
  assert.equal(refused.errors?.[0]?.message, 'guests only look')
  assert.deepEqual(await trellis.graphql(mutation), { data: { insert_a: { affected_rows: 0 } } })
  assert.deepEqual(told, ['query', 'refused', 'mutation'])
})

test('mutations are recorded with their role, root fields and outcome', async () => {
  await using trellis = await startTrellis({ plugins: [audit], sql: 'create table a (id int primary key)' })
  await trellis.operation('track_table', 'a')
  const insert =
    'mutation { ...F insert_a_one(object: {id: 1}) { id } } fragment F on mutation_root { a: delete_a(where: {}) { affected_rows } }'
  for (const text of [insert, insert.replace('delete_a', 'delete_b'), '{ a { id } }', '{']) await trellis.graphql(text)
  await trellis.graphql('mutation { insert_a_one(object: {id: 2}) { id } }', { role: 'guest' })
  assert.deepEqual(await trellis.operation('get_audit', {}), [
    { role: 'guest', fields: ['insert_a_one'], failed: true },
    { role: 'admin', fields: ['delete_b', 'insert_a_one'], failed: true },
    { role: 'admin', fields: ['delete_a', 'insert_a_one'], failed: false },
  ])
  const refusal = { path: '$.limit', error: '0 is out of range', code: 'parse-failed' }
  await assert.rejects(trellis.operation('get_audit', { limit: 0 }), { status: 400, body: refusal })
})

test('programs run an engine of their own, or mount one in a Fastify', async () => {
  await using trellis = await startTrellis()
  const run = async (program: string) => {
    const env = { ...process.env, DATABASE_URL: trellis.databaseUrl }
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, program)], { env })
    return stdout
  }
  assert.match(await run('program.ts'), /^\{"title":"Words","terms":\{\}\}$/m)
  assert.match(await run('host.ts'), /^\{"title":"Glossary","terms":\{\}\}$/m)
})
