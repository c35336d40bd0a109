import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

test('dates and money are read and printed alike for any settings of the database', async (t) => {
  const { op, graphql } = await startTrellis(t, {
    sql: `
      create table due (day date primary key, sum money);
      insert into due values ('2020-01-02', 1);
      do $$ begin execute format('alter database %I set datestyle = ''German, DMY''', current_database()); end $$`,
  })
  await op('track_table', 'due')
  assert.deepEqual(await graphql('{ due { day } }'), { data: { due: [{ day: '2020-01-02' }] } })
  const due = 'query ($least: money) { due(where: {sum: {_gt: $least}}) { sum } }'
  for (const least of [1e-7, 1e-20]) {
    assert.deepEqual(await graphql(due, { least }), { data: { due: [{ sum: '$1.00' }] } })
  }
  assert.deepEqual(await graphql(due, { least: 1e16 }), { data: { due: [] } })
  assert.deepEqual(await graphql('{ due(where: {sum: {_lt: 1e3}}) { sum } }'), { data: { due: [{ sum: '$1.00' }] } })
})
