// The library: tracked and configured in the database that each case begins with.

import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { TSchema } from '@sinclair/typebox'
import type { GivenSettings } from '../../core/engine/options.ts'
import type { Operation } from '../../core/operations/operation.ts'
import type { RegisteredOperation } from '../../core/operations/registry.ts'
import { definePlugin } from '../../sdk/index.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase, testPostgres } from '../support/database.ts'
import { copyDatabase, dropDatabase, onServer, type TestPostgres, urlOfDatabase } from '../support/postgres.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import type { Area, Call, Step } from './entry.ts'

const sql = `
  create schema crm;
  create table publisher (id serial primary key, name text not null unique, info jsonb);
  create table genre (value text primary key, comment text);
  create table book (
    id serial primary key, title text not null, price numeric, pages integer, info json, genre text references genre,
    publisher_id integer references publisher, unique (title, publisher_id)
  );
  create table crm.lead (id integer primary key, name text, "odd name" text, book_id integer references book);
  create view cheap_book as select id, title, price from book where price < 10;
  create view book_count as select publisher_id, count(*) as books from book group by publisher_id;
  create function search_book(word text) returns setof book language sql stable as
    $$ select * from book where title ilike '%' || word || '%' $$;
  create function book_label(book) returns text language sql stable as $$ select $1.title || '!' $$;
  create function book_others(book) returns setof book language sql stable as
    $$ select * from book where publisher_id = $1.publisher_id and id <> $1.id $$;
  insert into publisher (name) values ('Ark'), ('Bell');
  insert into genre values ('novel', 'A long tale'), ('poem', null);
  insert into book (title, price, pages, genre, publisher_id) values
    ('Dawn', 12.50, 300, 'novel', 1), ('Ebb', 7, 120, 'poem', 1), ('Fog', null, 80, null, 2);
  insert into crm.lead values (1, 'Ann', null, 1)`

/** Tracked: `publisher` and `book` with the relationships between them, two views and a function. */
const configured: readonly Call[] = [
  ...['publisher', 'book', 'cheap_book', 'book_count'].map((args) => ({ type: 'track_table', args })),
  {
    type: 'create_object_relationship',
    args: { table: 'book', name: 'publisher', using: { foreign_key_constraint_on: 'publisher_id' } },
  },
  {
    type: 'create_array_relationship',
    args: {
      table: 'publisher',
      name: 'books',
      using: { foreign_key_constraint_on: { table: 'book', column: 'publisher_id' } },
    },
  },
  {
    type: 'add_computed_field',
    args: { table: 'book', name: 'label', definition: { function: 'book_label' } },
  },
  { type: 'track_function', args: 'search_book' },
  {
    type: 'create_select_permission',
    args: {
      table: 'book',
      role: 'reader',
      permission: { columns: ['id', 'title'], computed_fields: ['label'], filter: { publisher: { name: 'Ark' } } },
    },
  },
]

/** A name in schema `public` as documents write it. */
export const named = (name: string) => ({ schema: 'public', name })

export interface World extends TestTrellis {
  /** All operations. */
  readonly operations: readonly RegisteredOperation[]
}

/** Captures the registry that plugins receive. */
function registryReader() {
  let read: () => readonly RegisteredOperation[] = () => []
  const plugin = definePlugin({
    name: 'registry-reader',
    register({ operations }) {
      read = () => operations.all()
    },
  })
  return { plugin, operations: () => read() }
}

/** The same value with the other dialect's names of session variables. */
export const inOtherDialect = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('X-Service-', 'X-Hasura-').replaceAll('x-service-', 'x-hasura-'))

export interface WorldOptions {
  readonly area?: Pick<Area, 'sql' | 'given' | 'settings'>
  readonly settings?: GivenSettings
}

/** An engine with the library, on a database that was prepared for the same area and settings. */
export async function startWorld(t: TestContext, options: WorldOptions, server: Server): Promise<World> {
  const reader = registryReader()
  const database = await testDatabase(t, { server })
  const settings = { ...options.area?.settings, ...options.settings }
  const trellis = await startTrellis(t, { database, settings, plugins: [reader.plugin] })
  return { ...trellis, operations: reader.operations() }
}

/** A PostgreSQL with a template for {@link startWorld}. */
type Server = Pick<TestPostgres, 'url' | 'template'>

/** Prepares a database for engines that start on copies of it: the library and the area, tracked and configured. */
export async function prepareWorld(t: TestContext, { area, settings }: WorldOptions): Promise<Server> {
  const server = await testPostgres()
  const template = `world_${randomBytes(8).toString('hex')}`
  await copyDatabase(server.url, template, server.template)
  atEnd(t, () => dropDatabase(server.url, template))
  const url = urlOfDatabase(server.url, template)
  // A database with connections cannot be copied.
  const run = async (text: string) => onServer(url, text).then(() => [])
  await run(`${sql};${area?.sql ?? ''}`)
  const all = { ...area?.settings, ...settings }
  const trellis = await startTrellis(t, { database: { url, sql: run }, settings: all })
  await trellis.op('bulk', configured)
  const given = all.dialect === 'hasura' ? inOtherDialect(area?.given ?? []) : (area?.given ?? [])
  for (const step of given) await take(trellis, step)
  await trellis.engine.close()
  return { url: server.url, template }
}

/** Runs a step. */
export async function take({ sql: run, op }: TestTrellis, step: Step): Promise<void> {
  if (typeof step === 'string') await run(step)
  else await op(step.type, step.args, step.version === undefined ? {} : { version: step.version })
}

/** A step as a request. */
export const asCall = (step: Step): Call => (typeof step === 'string' ? { type: 'run_sql', args: { sql: step } } : step)

/** The registered operation of an entry. */
export function registered(
  operations: readonly RegisteredOperation[],
  { type, version = 1 }: { readonly type: string; readonly version?: number },
): RegisteredOperation | undefined {
  const isIt = (operation: Operation<TSchema>) => operation.type === type && (operation.version ?? 1) === version
  return operations.find(({ operation }) => isIt(operation))
}
