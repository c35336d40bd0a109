// Advisory locks of sessions, taken by triggers: a statement that takes one and releases it blocks no other request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../support/cleanup.ts'
import { connectTo } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'

/** The lock is held for longer than a short statement takes. */
const schema = `
  create table note (id serial primary key, body text not null);
  create function take() returns trigger language plpgsql as $$
    begin perform pg_advisory_lock(7); perform pg_sleep(0.05); return new; end $$;
  create function give_back() returns trigger language plpgsql as $$
    begin perform pg_advisory_unlock(7); return null; end $$;
  create trigger takes before insert on note for each row execute function take();
  create trigger gives_back after insert on note for each row execute function give_back();
`

const insert = 'mutation ($body: String!) { insert_note_one(object: {body: $body}) { body } }'

/** Longer than all inserts take one after another, so that those that hang fail the test. */
const timeoutMillis = 15_000

test('inserts whose trigger takes and releases a session lock are all answered, and run once', async (t) => {
  const { graphql, op, sql, database } = await startTrellis(t, { sql: schema, settings: { connections: 20 } })
  await op('track_table', 'note')
  // Locks that the inserts left would keep the test from ending.
  const administrator = await connectTo(t, database.url)
  atEnd(t, () =>
    administrator.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ),
  )
  for (let i = 0; i < 3; i++) await graphql(insert, { body: 'first' })
  for (let round = 0; round < 3; round++) {
    const answers = Promise.all(Array.from({ length: 9 }, (_, i) => graphql(insert, { body: `${round}/${i}` })))
    const inTime = await Promise.race([answers, sleep(timeoutMillis, null, { ref: false })])
    assert.ok(inTime, `some of round ${round} were not answered within ${timeoutMillis / 1000} s`)
    assert.deepEqual(
      inTime,
      Array.from({ length: 9 }, (_, i) => ({ data: { insert_note_one: { body: `${round}/${i}` } } })),
    )
  }
  assert.deepEqual(await sql('select count(*)::int from note'), [{ count: 30 }])
  assert.deepEqual(await sql(`select from pg_locks where locktype = 'advisory' and objid = 7`), [])
})
