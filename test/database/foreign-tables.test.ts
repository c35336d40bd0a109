// A statement that writes outside its transaction, on another server, does so once. The tests need a PostgreSQL with
// postgres_fdw and dblink; the embedded one has neither.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { connectTo, type TestDatabase } from '../support/database.ts'
import { makePostgres } from '../support/own-postgres.ts'
import { findPrograms } from '../support/postgis-programs.ts'
import { onServer, urlOfDatabase } from '../support/postgres.ts'
import { startTrellis } from '../support/trellis.ts'

const programs = findPrograms(['postgres_fdw', 'dblink'])
const skip = programs ? false : 'there is no PostgreSQL with postgres_fdw and dblink here'

if (skip) {
  console.error(`\n!!! Writes to other servers are NOT tested: ${skip}.`)
  console.error('!!! On Debian: apt-get install postgresql-15, or the package of your version.\n')
}

/** Committing there takes longer than a short statement does. */
const elsewhere = `
  create table note (id int not null, kind text not null);
  create function take_time() returns trigger language plpgsql as $$ begin perform pg_sleep(0.04); return null; end $$;
  create constraint trigger takes_time after insert on note deferrable initially deferred
    for each row execute function take_time();
`

const here = (socket: string): string => `
  create extension postgres_fdw;
  create extension dblink;
  create server elsewhere foreign data wrapper postgres_fdw options (host '${socket}', port '5432', dbname 'elsewhere');
  create user mapping for postgres server elsewhere options (user 'postgres');
  create foreign table remote_note (id int not null, kind text not null) server elsewhere options (table_name 'note');
  create table linked (id int primary key);
  create function tell_fdw() returns trigger language plpgsql as $$
    begin insert into remote_note values (new.id, 'linked'); return null; end $$;
  create trigger tells after insert on linked for each row execute function tell_fdw();
  create table dialled (id int primary key);
  create function tell_dblink() returns trigger language plpgsql as $$
    begin
      perform dblink_exec('host=${socket} port=5432 user=postgres dbname=elsewhere',
        format('insert into note values (%s, ''dialled'')', new.id));
      perform pg_sleep(0.04);
      return null;
    end $$;
  create trigger tells after insert on dialled for each row execute function tell_dblink();
`

async function start(t: TestContext): Promise<{ database: TestDatabase; notes: TestDatabase['sql'] }> {
  const postgres = await makePostgres({ programs: programs! })
  atEnd(t, () => postgres.remove())
  await postgres.start()
  for (const name of ['here', 'elsewhere']) await onServer(postgres.url, `create database ${name}`)
  const [url, other] = [urlOfDatabase(postgres.url, 'here'), urlOfDatabase(postgres.url, 'elsewhere')]
  await onServer(other, elsewhere)
  await onServer(url, here(postgres.cluster))
  const sqlOf = async (place: string): Promise<TestDatabase['sql']> => {
    const client = await connectTo(t, place)
    return async (text, values) => (await client.query(text, values as unknown[] | undefined)).rows
  }
  return { database: { url, sql: await sqlOf(url) }, notes: await sqlOf(other) }
}

const tables = [
  { what: 'a foreign table', table: 'remote_note', kind: 'direct', object: `{id: $id, kind: "direct"}` },
  { what: 'a table whose trigger writes to a foreign one', table: 'linked', kind: 'linked', object: '{id: $id}' },
  { what: 'a table whose trigger writes over dblink', table: 'dialled', kind: 'dialled', object: '{id: $id}' },
]

const [rounds, atOnce] = [4, 12]

for (const { what, table, kind, object } of tables) {
  test(`no insert into ${what} runs twice`, { skip }, async (t) => {
    const { database, notes } = await start(t)
    const { op, graphql } = await startTrellis(t, { database, settings: { connections: 20 } })
    await op('track_table', table)
    const query = `mutation ($id: Int!) { insert_${table}(objects: [${object}]) { affected_rows } }`
    const insert = (id: number) => graphql(query, { id })
    await insert(0)
    for (let round = 1; round <= rounds; round++) {
      const answers = await Promise.all(Array.from({ length: atOnce }, (_, i) => insert(round * 100 + i)))
      for (const answer of answers) assert.deepEqual(answer, { data: { [`insert_${table}`]: { affected_rows: 1 } } })
    }
    const doubled = await notes('select id from note where kind = $1 group by id having count(*) <> 1', [kind])
    assert.deepEqual(doubled, [])
    const [row] = await notes('select count(*)::int from note where kind = $1', [kind])
    assert.deepEqual(row, { count: 1 + rounds * atOnce })
  })
}
