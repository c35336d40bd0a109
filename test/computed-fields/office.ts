// People with their leads, and functions of a person of many kinds.

import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

export const sql = `
  create schema crm;
  create type mood as enum ('good', 'bad');
  create domain label as text;
  create table person (id int primary key, gone int, first text not null, last varchar(20), pay numeric(10, 2), t0 int);
  alter table person drop column gone;
  alter table person add twice int generated always as (id * 2) stored;
  create table crm.lead (id int primary key, owner_id int references person, title text not null);
  create table untracked (id int primary key);
  insert into person (id, first, last, pay) values (1, 'Ann', 'Ash', 10.50), (2, 'Bob', 'Birch', 'NaN'), (3, 'Cid', null, 7);
  insert into crm.lead values (1, 1, 'One'), (2, 1, 'Two'), (3, 2, 'Three'), (4, 1, 'Four');

  create function full_name(person) returns text language sql stable as $$ select $1.first || ' ' || $1.last $$;
  comment on function full_name(person) is 'First and last name';
  create function greeting(p person, word text, mark text default '!', repeated int default 1) returns text
    language plpgsql stable as $$ begin return word || ' ' || p.first || repeat(mark, repeated); end $$;
  create function wage(p person, factor numeric default 1) returns numeric language sql stable
    as $$ select p.pay * factor $$;
  create function big(p person) returns int8 language sql stable as $$ select 9007199254740993 + p.twice $$;
  create function facts(p person) returns jsonb language sql stable
    as $$ select jsonb_build_object('id', p.id, 'names', jsonb_build_array(p.first, p.last)) $$;
  create function viewer(session json, p person) returns json language sql stable
    as $$ select json_build_object('session', session, 'id', p.id) $$;
  create function role_of(p person, session jsonb) returns text language sql stable
    as $$ select session ->> 'x-service-role' $$;
  create function top_leads(p person, first_id int default 0) returns setof crm.lead language sql stable
    as $$ select * from crm.lead l where l.owner_id = p.id and l.id >= first_id order by l.id desc $$;
  create function best_lead(p person) returns crm.lead language plpgsql stable as $$
    declare found crm.lead;
    begin select * into found from crm.lead l where l.owner_id = p.id order by l.id limit 1; return found; end $$;
  create function others(p person) returns setof person language sql stable
    as $$ select * from person o where o.id <> p.id order by o.id $$;
  create function nicknames(p person) returns setof text language sql stable
    as $$ select left(p.first, n) from generate_series(1, 3) n $$;
  create function owner_name(l crm.lead) returns text language sql stable
    as $$ select first from person where id = l.owner_id $$;

  create function same(person) returns text language sql stable as $$ select '' $$;
  create function same(person, int) returns text language sql stable as $$ select '' $$;
  create function changing(person) returns text language sql as $$ select '' $$;
  create function feeling(person) returns mood language sql stable as $$ select 'good'::mood $$;
  create function labelled(person) returns label language sql stable as $$ select 'x'::label $$;
  create function period(person) returns interval language sql stable as $$ select '1 day'::interval $$;
  create function listed(person) returns text[] language sql stable as $$ select array['x'] $$;
  create function hidden(person) returns setof untracked language sql stable as $$ select * from untracked $$;
  create function nobody() returns text language sql stable as $$ select '' $$;
  create function of_text(text) returns text language sql stable as $$ select '' $$;
  create function of_named(a text, p person) returns text language sql stable as $$ select a || p.first $$;
  create function poor(text) returns mood language sql as $$ select 'good'::mood $$`

const add = (name: string, definition: unknown, table: unknown = 'person') => ({
  type: 'add_computed_field',
  args: { table, name, definition },
})

/** An engine over the office, both tables tracked and related, with a computed field for each function that fits. */
export async function startOffice(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { ...options, sql })
  const lead = { schema: 'crm', name: 'lead' }
  await trellis.op('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'track_table', args: lead },
    {
      type: 'create_array_relationship',
      args: {
        table: 'person',
        name: 'leads',
        using: { foreign_key_constraint_on: { table: lead, column: 'owner_id' } },
      },
    },
    {
      type: 'create_object_relationship',
      args: { table: lead, name: 'owner', using: { foreign_key_constraint_on: 'owner_id' } },
    },
    ...['full_name', 'greeting', 'wage', 'big', 'facts', 'top_leads', 'best_lead', 'others', 'nicknames'].map((name) =>
      add(name, { function: name }),
    ),
    add('viewer', { function: 'viewer', table_argument: 'p', session_argument: 'session' }),
    add('role_of', { function: { name: 'role_of' }, session_argument: 'session' }),
    add('owner_name', { function: 'owner_name' }, lead),
  ])
  return trellis
}
