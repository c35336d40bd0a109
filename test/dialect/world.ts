// A server in one of the two dialects, over tables whose permissions, triggers and functions use the dialect's names.
// The names are spelled here, independent of the server's own source of them, which is under test.

import type { TestContext } from 'node:test'
import type { GivenSettings, Settings } from '../../core/engine/options.ts'
import { definePlugin, graphql } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

/** The word in all names of a dialect: `x-<word>-role`, `<WORD>_GRAPHQL_...`. */
export type Word = 'service' | 'hasura'

export const words: readonly Word[] = ['service', 'hasura']

export const dialectOf = (word: Word): Settings['dialect'] => (word === 'service' ? 'trellis' : 'hasura')

export interface World {
  readonly trellis: TestTrellis
  readonly word: Word
  readonly log: ReturnType<typeof recordingObserver>['entries']
  /** Headers under the dialect's names: `{role: 'x'}` is `x-<word>-role: x`. */
  headers(given: Readonly<Record<string, string>>): Record<string, string>
}

const schema = (word: Word) => `
  create table book (id int primary key, title text, owner text, note citext, facts jsonb);
  insert into book values (1, 'Dawn', '7', 'Old', '{"a": 1}'), (2, 'Ebb', '8', 'New', null);
  create table heard (id serial primary key, kind text, said text);
  create function hear() returns trigger language plpgsql as $$ begin
    insert into heard (kind, said) values (tg_op, current_setting('${word}.user', true)); return null;
  end $$;
  create trigger hear after insert or update on book for each row execute function hear();
  create function mine(session json) returns setof book language sql stable
    as $$ select * from book where owner = session ->> 'x-${word}-user-id' $$;
  create function asked_by(book book, session json) returns text language sql stable
    as $$ select session ->> 'x-${word}-role' $$;
`

const tracked = (word: Word) => [
  { type: 'track_table', args: 'book' },
  {
    type: 'create_select_permission',
    args: {
      table: 'book',
      role: 'reader',
      permission: {
        columns: ['id', 'title'],
        filter: { owner: { _eq: `X-${word === 'service' ? 'Service' : 'Hasura'}-User-Id` } },
      },
    },
  },
  {
    type: 'create_select_permission',
    args: { table: 'book', role: 'former', permission: { columns: ['id'], filter: { owner: { _eq: 'REQ_USER_ID' } } } },
  },
  {
    type: 'create_select_permission',
    args: { table: 'book', role: 'blind', permission: { columns: ['title'], filter: {} } },
  },
  {
    type: 'create_insert_permission',
    args: {
      table: 'book',
      role: 'reader',
      permission: { columns: ['id', 'title'], check: {}, set: { owner: `x-${word}-User-ID` }, backend_only: true },
    },
  },
  {
    type: 'track_function',
    args: { function: 'mine', configuration: { session_argument: 'session' } },
    version: 2,
  },
  {
    type: 'add_computed_field',
    args: { table: 'book', name: 'asked_by', definition: { function: 'asked_by', session_argument: 'session' } },
  },
]

/** A root field that the database does not answer. */
const clock = definePlugin({
  name: 'clock',
  register(engine) {
    const extensions = { root: { kind: 'resolved', resolve: () => 'now' } } as const
    const field = { type: graphql.GraphQLString, extensions }
    engine.graphql.contribute({ name: 'clock', query: () => new Map([['now', () => field]]) })
  },
})

/** Starts a server of a dialect; the one of the name `adminSecret` is `sesame`. */
export async function startWorld(t: TestContext, word: Word, settings: GivenSettings = {}): Promise<World> {
  const observe = recordingObserver()
  const trellis = await startTrellis(t, {
    sql: `create extension if not exists citext; ${schema(word)}`,
    settings: { dialect: dialectOf(word), adminSecret: 'sesame', ...settings },
    plugins: [clock],
    observe,
  })
  const headers = (given: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [`x-${word}-${name}`, value]))
  for (const { type, args, version } of tracked(word)) {
    await trellis.op(type, args, { headers: headers({ 'admin-secret': 'sesame' }), ...(version && { version }) })
  }
  return { trellis, word, log: observe.entries, headers }
}
