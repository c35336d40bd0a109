// Databases and roles with settings for the format of dates and numbers, and for the isolation of transactions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { testDatabase } from '../support/database.ts'
import { pooledTest, startPgBouncer } from '../support/pgbouncer.ts'
import { startTrellis } from '../support/trellis.ts'

const schema = `
  create table reading (id int primary key, value float8 not null, day date not null, during tstzrange);
  insert into reading values (1, 0.30000000000000004, '2020-03-02', '[2020-01-02 00:00Z,2020-02-03 00:00Z)');
  do $$ begin
    execute format('alter database %I set DateStyle = ''SQL, DMY''', current_database());
    execute format('alter database %I set TimeZone = ''UTC''', current_database());
    execute format('alter database %I set extra_float_digits = 0', current_database());
  end $$`

test('numbers have all of their digits, and dates and times are in ISO format', async (t) => {
  const trellis = await startTrellis(t, { sql: schema })
  await trellis.op('track_table', 'reading')
  const during = '["2020-01-02 00:00:00+00","2020-02-03 00:00:00+00")'
  assert.deepEqual(await trellis.graphql('{ reading { value day during } }'), {
    data: { reading: [{ value: 0.30000000000000004, day: '2020-03-02', during }] },
  })
  // Other forms are read in the order of the setting.
  assert.deepEqual(await trellis.graphql('{ reading(where: {day: {_eq: "02/03/2020"}}) { id } }'), {
    data: { reading: [{ id: 1 }] },
  })
})

test('a stream by a number gives each row once', async (t) => {
  const trellis = await startTrellis(t, { sql: schema })
  await trellis.op('track_table', 'reading')
  const stream = 'subscription { reading_stream(batch_size: 1, cursor: {initial_value: {value: 0}}) { id } }'
  const received = subscribeWith(graphqlWsClient(t, trellis.url), stream)
  await received.atLeast(1)
  await sleep(500)
  assert.deepEqual(received.items, [{ data: { reading_stream: [{ id: 1 }] } }])
})

test('cron triggers have occurrences, and jobs have the times of their runs', async (t) => {
  const trellis = await startTrellis(t, { sql: schema, settings: { enabledApis: ['metadata', 'developer'] } })
  const trigger = { name: 'daily', webhook: 'http://localhost:1/', schedule: '0 3 * * *', include_in_metadata: true }
  await trellis.op('create_cron_trigger', trigger)
  const { count } = (await trellis.op('get_scheduled_events', { type: 'cron', trigger_name: 'daily' })) as {
    count: number
  }
  assert.equal(count, 100)
  const { status } = await trellis.request('/dev/jobs', { method: 'GET' })
  assert.equal(status, 200)
})

pooledTest('Behind PgBouncer all connections print the same.', async (t) => {
  const database = await testDatabase(t, { sql: schema })
  const url = await startPgBouncer(t, database.url, { default_pool_size: 4 })
  const trellis = await startTrellis(t, { database: { ...database, url }, settings: { usePreparedStatements: false } })
  await trellis.op('track_table', 'reading')
  const ask = () => trellis.graphql('{ reading { value during } reading_aggregate { aggregate { count } } }')
  const answers = await Promise.all(Array.from({ length: 40 }, ask))
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
  assert.match(JSON.stringify(answers[0]), /2020-01-02 00:00:00\+00/)
})

const strictSchema = `
  create table reading (id int primary key, isolation text default current_setting('transaction_isolation'));
  create view statement as select current_setting('transaction_isolation') as isolation;
  do $$ begin
    execute format('alter database %I set default_transaction_isolation = serializable', current_database());
  end $$`

for (const txIsolation of ['read-committed', 'repeatable-read', 'serializable'] as const) {
  test(`in a database with serializable transactions, mutations follow --tx-iso ${txIsolation}, and statements see commits`, async (t) => {
    const trellis = await startTrellis(t, { sql: strictSchema, settings: { txIsolation } })
    for (const table of ['reading', 'statement']) await trellis.op('track_table', table)
    const isolation = txIsolation.replace('-', ' ')
    assert.deepEqual(await trellis.graphql('mutation { insert_reading_one(object: {id: 1}) { isolation } }'), {
      data: { insert_reading_one: { isolation } },
    })
    assert.deepEqual(await trellis.graphql('{ statement { isolation } }'), {
      data: { statement: [{ isolation: 'read committed' }] },
    })
  })
}
