// People with their leads, and functions of many kinds over them.

import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

export const sql = `
  create schema crm;
  create type mood as enum ('good', 'bad');
  create domain label as text;
  create table person (id int primary key, gone int, first text not null, last varchar(20), pay numeric(10, 2));
  alter table person drop column gone;
  alter table person add twice int generated always as (id * 2) stored;
  create table crm.lead (id int primary key, owner_id int references person, title text not null);
  create table untracked (id int primary key);
  insert into person (id, first, last, pay) values (1, 'Ann', 'Ash', 10.50), (2, 'Bob', 'Birch', 'NaN'), (3, 'Cid', null, 7);
  insert into crm.lead values (1, 1, 'One'), (2, 1, 'Two'), (3, 2, 'Three'), (4, 1, 'Four');

  create function people(search text, first_id int default 0, last_id int default 100) returns setof person language sql stable
    as $$ select * from person where first like search and id between first_id and last_id order by id desc $$;
  create function everyone() returns setof person language sql stable as $$ select * from person $$;
  create function crm.leads(int, text default '%') returns setof crm.lead language sql immutable
    as $$ select * from crm.lead where id >= $1 and title like $2 order by id $$;
  create function mine(session json, label text default 'none') returns setof person language sql stable
    as $$ select p.id, p.first, label::text, p.pay, p.twice from person p where p.id = (session ->> 'x-service-user-id')::int $$;
  create function gaps(a int default 1, int default 2, c int default 3) returns setof person language sql stable
    as $$ select * from person where id in (a, $2, c) $$;
  create function labels(l label, m mood, d text[], person) returns setof person language sql stable
    as $$ select ($4).* $$;

  create function same() returns setof person language sql stable as $$ select * from person $$;
  create function same(int) returns setof person language sql stable as $$ select * from person $$;
  create function "bad name"() returns setof person language sql stable as $$ select * from person $$;
  create function many(variadic ids int[]) returns setof person language sql stable as $$ select * from person $$;
  create function word() returns text language sql stable as $$ select 'x'::text $$;
  create function words() returns setof text language sql stable as $$ select 'x'::text $$;
  create function one() returns person language sql stable as $$ select * from person limit 1 $$;
  create function pairs() returns table (a int, b int) language sql stable as $$ select 1, 2 $$;
  create function changing() returns setof person language sql as $$ select * from person $$;
  create function bad_arguments("a b" int, "c-d" int, e int) returns setof person language sql stable
    as $$ select * from person $$;
  create function binary_session(session jsonb) returns setof person language sql stable as $$ select * from person $$;
  create function hidden() returns setof untracked language sql stable as $$ select * from untracked $$;
  create aggregate total(int) (sfunc = int4pl, stype = int);
  create function wrong(int) returns int language sql as $$ select 1 $$`

/** An engine over the office, `person` and `crm.lead` tracked. */
export async function startOffice(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { ...options, sql })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'track_table', args: { schema: 'crm', name: 'lead' } },
    {
      type: 'create_array_relationship',
      args: {
        table: 'person',
        name: 'leads',
        using: { foreign_key_constraint_on: { table: { schema: 'crm', name: 'lead' }, column: 'owner_id' } },
      },
    },
    {
      type: 'create_object_relationship',
      args: { table: { schema: 'crm', name: 'lead' }, name: 'owner', using: { foreign_key_constraint_on: 'owner_id' } },
    },
  ])
  return trellis
}
