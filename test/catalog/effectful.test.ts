import assert from 'node:assert/strict'
import { test } from 'node:test'
import { introspect } from '../../core/catalog/introspect.ts'
import { testDatabase } from '../support/database.ts'

const schema = `
  create table plain (id int primary key);
  create table guarded (id int primary key);
  alter table guarded enable row level security;
  create policy quiet on guarded using (id > 0);
  create table counted (id int primary key);
  alter table counted enable row level security;
  create policy loud on counted using (id > random());
  create sequence seen;
  create function note() returns int language sql volatile as 'select 1';
  create view calm as select p.id, upper('a') as word, now() as at from plain p;
  create view calling as select note() as noted from plain;
  create view numbering as select nextval('seen') as number from plain;
  create view above as select * from calling;
  create view beside as select c.id from calm c join counted on counted.id = c.id;
  create materialized view stored as select nextval('seen') as number from plain;
`

test('relations with side effects on reading are found: views, views of views, and policies', async (t) => {
  const { sql } = await testDatabase(t, { sql: schema })
  const names = ['plain', 'guarded', 'counted', 'calm', 'calling', 'numbering', 'above', 'beside', 'stored']
  const reader = { rows: sql } as Parameters<typeof introspect>[0]
  const found = await introspect(
    reader,
    names.map((name) => ({ schema: 'public', name })),
  )
  const effectful = found.filter(({ isEffectful }) => isEffectful).map(({ name }) => name)
  assert.deepEqual(effectful.sort(), ['above', 'beside', 'calling', 'counted', 'numbering'])
})
