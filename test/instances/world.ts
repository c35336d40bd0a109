// The schema that the instances share, the changes of it, and the journal in which the database writes the order of
// commits.

import { type TestDatabase, testDatabase } from '../support/database.ts'

/** Tables with foreign keys, an enum table, a view, and functions: made anew before each history. */
const schema = `
  drop schema if exists public cascade;
  create schema public;
  create table author (id int primary key, name text not null, country text);
  create table book (id int primary key, title text not null, price int, author_id int references author);
  create table tag (name text primary key, description text);
  create view cheap_book as select * from book where price < 10;
  create function search_books(word text) returns setof book language sql stable
    as $$ select * from book where title like '%' || word || '%' $$;
  create function book_label(book book) returns text language sql stable as $$ select '«' || $1.title || '»' $$;
  insert into author values (1, 'Ann', 'NO'), (2, 'Bo', null);
  insert into book values (1, 'Dawn', 12, 1), (2, 'Ebb', 7, 1), (3, 'Fog', null, 2);
  insert into tag values ('old', 'from before'), ('fresh', null);
`

/** Every commit that changes the metadata, and every text that ran, leaves a line with the command that did it. */
const journal = `
  create schema journal;
  create table journal.line (n bigserial primary key, command int, version bigint,
    transaction text not null default pg_current_xact_id()::text);
  create function journal.command() returns int language sql as
    $$ select (nullif(current_setting('service.user', true), '')::json ->> 'x-service-command')::int $$;
  create function journal.note() returns trigger language plpgsql as $$ begin
    insert into journal.line (command, version) values (journal.command(), new.resource_version);
    return null;
  end $$;
  create trigger note after update on trellis.metadata for each row execute function journal.note();
`

/** Texts for `run_sql`. Whether one succeeds depends on those before it. */
export const texts = [
  'alter table book rename to tome',
  'alter table tome rename to book',
  'alter table book rename column title to name',
  'alter table book rename column name to title',
  'alter table book drop column price cascade',
  'alter table book add column price int',
  'alter table book alter column price type numeric',
  'alter table book drop constraint book_author_id_fkey',
  'alter table book add constraint book_author_id_fkey foreign key (author_id) references author',
  'alter table author rename column name to country_name; alter table author rename column country to name',
  'alter table author rename to tag_of_old; alter table tag rename to author; alter table tag_of_old rename to tag',
  'drop table tag',
  'create table tag (name text primary key, description text); comment on table tag is $$again$$',
  `create table if not exists tag (name text primary key); insert into tag values ('late') on conflict do nothing`,
  'drop view cheap_book',
  'create view cheap_book as select id, title from book where price < 10',
  'drop function search_books(text)',
  `create or replace function search_books(word text) returns setof book language sql stable
    as $$ select * from book where title = word $$`,
  'create function search_books(first int, second int) returns setof book language sql stable as $$ select * from book $$',
  'drop function search_books(int, int)',
  'alter function search_books(text) volatile',
  'drop function book_label(book)',
  'create function book_label(book book) returns text language sql stable as $$ select $1.title $$',
  'drop table author cascade',
  'create table author (id int primary key, name text not null, country text)',
  'alter table nowhere add column more int',
  'comment on column book.title is $$its name$$',
] as const

/** A text that notes itself when it has run. */
export const noted = (text: string): string => `${text}; insert into journal.line (command) values (journal.command())`

/** A database with the schema and an empty journal. */
export async function makeWorld(t: Parameters<typeof testDatabase>[0]): Promise<TestDatabase> {
  const database = await testDatabase(t)
  await database.sql(journal)
  await database.sql(schema)
  return database
}

/** The schema as it was at first, and an empty journal. */
export async function resetWorld({ sql }: TestDatabase): Promise<void> {
  await sql(schema)
  await sql('truncate journal.line')
}

export interface Journal {
  /** Commands in the order in which they were committed. */
  readonly commands: readonly number[]
  /** The versions of the metadata, in the same order; each transaction counts once, although it may write a version in parts. */
  readonly versions: readonly number[]
}

export async function readJournal({ sql }: TestDatabase): Promise<Journal> {
  const lines = await sql<{ command: number | null; version: string | null; transaction: string }>(
    'select command, version, transaction from journal.line order by n',
  )
  const commands = new Set(lines.flatMap(({ command }) => (command === null ? [] : [command])))
  const written = new Map(
    lines.flatMap(({ version, transaction }) =>
      version === null ? [] : [[`${transaction} ${version}`, Number(version)] as const],
    ),
  )
  return {
    commands: [...commands],
    versions: [...written.values()],
  }
}

/** All that operations may change in the database, as one text. */
export async function fingerprint({ sql }: TestDatabase): Promise<string> {
  const [row] = await sql<{ text: string }>(`select json_build_object(
    'metadata', (select resource_version from trellis.metadata),
    'entries', (select json_agg(e order by e.slice, e.key) from trellis.metadata_entry e),
    'columns', (select json_agg(c order by c.table_name, c.ordinal_position) from information_schema.columns c
      where c.table_schema = 'public'),
    'constraints', (select json_agg(pg_get_constraintdef(c.oid) order by c.conrelid, c.conname) from pg_constraint c
      where c.connamespace = 'public'::regnamespace),
    'views', (select json_agg(v order by v.viewname) from pg_views v where v.schemaname = 'public'),
    'functions', (select json_agg(pg_get_functiondef(p.oid) order by p.proname, p.oid) from pg_proc p
      where p.pronamespace = 'public'::regnamespace),
    'comments', (select json_agg(d.description order by d.objoid, d.objsubid) from pg_description d
      where d.objoid in (select oid from pg_class where relnamespace = 'public'::regnamespace)),
    'triggers', (select json_agg(t.tgname order by t.oid) from pg_trigger t where not t.tgisinternal)
  )::text as text`)
  return row!.text
}
