// The first start creates functions that migrations of users call, if possible.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { migrate } from '../../core/database/migrations/migrate.ts'
import { silentObserver } from '../../core/log/observe.ts'
import { atEnd } from '../support/cleanup.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const unstarted = (t: TestContext, sql = '') =>
  testDatabase(t, { sql: `drop schema trellis cascade; drop extension pgcrypto; ${sql}` })

const start = (databaseUrl: string) =>
  migrate({ settings: { databaseUrl, retries: 0 }, observe: silentObserver, owners: [] })

const schemaOf = async ({ sql }: TestDatabase) =>
  (
    await sql<{ name: string }>(
      `select extnamespace::regnamespace::text as name from pg_extension where extname = 'pgcrypto'`,
    )
  ).map(({ name }) => name)

test('the first start puts pgcrypto into public', async (t) => {
  const database = await unstarted(t)
  await start(database.url)
  assert.deepEqual(await schemaOf(database), ['public'])
  assert.equal((await database.sql('select public.gen_random_uuid()')).length, 1)
})

test('an existing extension stays where it is, and a dropped one is not created again', async (t) => {
  const database = await unstarted(t, 'create schema crypto; create extension pgcrypto schema crypto')
  await start(database.url)
  assert.deepEqual(await schemaOf(database), ['crypto'])
  await database.sql('drop extension pgcrypto')
  await start(database.url)
  assert.deepEqual(await schemaOf(database), [])
})

test('a start continues without the extension if its role may not create it, or if it does not fit', async (t) => {
  const database = await unstarted(t)
  const role = `weak_${randomBytes(6).toString('hex')}`
  await database.sql(`create role ${role} login; create schema trellis authorization ${role}`)
  atEnd(t, () => database.sql(`drop owned by ${role} cascade; drop role ${role}`))
  const url = new URL(database.url)
  url.username = role
  await start(url.href)
  assert.deepEqual(await schemaOf(database), [])
  assert.deepEqual(await database.sql(`select name from trellis.migration where name = '0001-baseline'`), [
    { name: '0001-baseline' },
  ])

  const taken = await unstarted(
    t,
    `create function public.digest(text, text) returns bytea language sql as 'select null::bytea'`,
  )
  await start(taken.url)
  assert.deepEqual(await schemaOf(taken), [])

  const without = await unstarted(t, 'drop schema public cascade')
  await start(without.url)
  assert.deepEqual(await schemaOf(without), [])
})
