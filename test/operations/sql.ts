// Running SQL and its effect on the metadata; and several requests as one.

import assert from 'node:assert/strict'
import { eventually } from '../support/waiting.ts'
import { documentHas, inconsistencies, isUntracked, rows, serves, tableIs } from './effects.ts'
import type { Area, Effect, Refusal } from './entry.ts'
import { named } from './world.ts'

const done = { result_type: 'CommandOk', result: null }

const failed = (statement: string, status_code: string, message: string, place: object = {}) => ({
  statement,
  prepared: false,
  arguments: [],
  error: { exec_status: 'FatalError', status_code, message, hint: null, description: null, ...place },
})

const reload: Effect = async ({ op }) => {
  await op('reload_metadata', {})
}

const dependents = (title: string, sql: string, list: string): Refusal => ({
  title,
  args: { sql },
  code: 'dependency-error',
  error: `cannot drop due to the following dependent objects : ${list}`,
})

const notSupported = (title: string, sql: string, error: string, given: Refusal['given'] = []): Refusal => ({
  title,
  args: { sql },
  code: 'not-supported',
  error,
  ...(given.length > 0 && { given }),
})

const search = 'function search_book(word text) returns setof book language sql'
const label = 'function book_label(book) returns text language sql'

const track = (table: string) => ({ type: 'track_table', args: table })
const untrackNothing = { type: 'untrack_table', args: { table: 'nothing' } }
const readOnly = { type: 'run_sql', args: { sql: 'select 1', read_only: true } }
const readsAndWrites = (index: string, mode: string, expected: string) =>
  `incompatible access mode requirements in bulk query, expected access mode: ${expected} but ${index} forces ${mode}`

/** Runs SQL under a long id, beside that of another request, cancels it, and looks at the connections. */
const cancels =
  (args: { readonly sql: string; readonly read_only?: boolean }): Effect =>
  async ({ op, opError, sql: query }) => {
    const named = () =>
      query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where application_name like 'trellis sql %'`,
      )
    const [id, otherId] = [`${'long '.repeat(30)}1`, `${'long '.repeat(30)}2`]
    const headersOf = (requestId: string) => ({ version: 2, headers: { 'x-request-id': requestId } })
    const running = opError('run_sql', args, headersOf(id))
    const other = opError('run_sql', { sql: 'select pg_sleep(60)', read_only: true }, headersOf(otherId))
    await eventually(async () => (await named())[0]?.n === 2)
    assert.deepEqual(await op('cancel_sql', { request_id: id }), { cancelled: 1 })
    const { status, body } = await running
    const { error, code, internal } = body as { error: string; code: string; internal: { error: object } }
    assert.deepEqual([status, error, code], [400, 'query execution failed', 'postgres-error'])
    const said = { status_code: '57014', message: 'canceling statement due to user request' }
    assert.deepEqual({ ...internal.error, ...said }, internal.error)
    assert.deepEqual(await op('cancel_sql', { request_id: otherId }), { cancelled: 1 })
    await other
    assert.deepEqual(await named(), [{ n: 0 }])
    assert.deepEqual(await op('cancel_sql', { request_id: id }), { cancelled: 0 })
  }

export const sql: Area = {
  title: 'SQL and several requests as one',
  operations: [
    {
      type: 'cancel_sql',
      requires: ['request_id'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'ends what the request runs, and nothing else',
          args: { request_id: 'nothing runs for it' },
          answers: { cancelled: 0 },
          then: [cancels({ sql: 'select pg_sleep(60)' }), cancels({ sql: 'select pg_sleep(60)', read_only: true })],
        },
      ],
      refuses: [
        {
          title: 'an id without characters',
          args: { request_id: '' },
          code: 'parse-failed',
          path: '$.request_id',
          error: 'empty string not allowed',
        },
        {
          title: 'other roles',
          role: 'reader',
          args: { request_id: 'x' },
          code: 'access-denied',
          error: 'restricted access : admin only',
        },
      ],
    },
    {
      type: 'run_sql',
      version: 2,
      requires: ['sql'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'answers with every outcome, with types, nulls, and as many rows as are wanted',
          args: {
            sql: `select 'NULL' as word, null::numeric(4, 1) as number; -- done
              update book set price = 1 where id = 1; select id from book order by id; create table made (); drop table if exists nothing`,
            ...{ limit: 2, timeout: 10 },
          },
          answers: ({ results, notices, seconds }: { results: unknown; notices: unknown; seconds: number }) => {
            assert.equal(typeof seconds, 'number')
            assert.deepEqual(notices, [{ severity: 'NOTICE', message: 'table "nothing" does not exist, skipping' }])
            const nothing = { columns: null, rows: null, has_more: false }
            assert.deepEqual(results, [
              {
                ...{ command: 'SELECT', row_count: 1, rows: [['NULL', null]], has_more: false },
                columns: [
                  { name: 'word', type: 'text' },
                  { name: 'number', type: 'numeric' },
                ],
              },
              { command: 'UPDATE', row_count: 1, ...nothing },
              {
                ...{ command: 'SELECT', row_count: 3, rows: [['1'], ['2']], has_more: true },
                columns: [{ name: 'id', type: 'integer' }],
              },
              { command: 'CREATE', row_count: null, ...nothing },
              { command: 'DROP', row_count: null, ...nothing },
            ])
          },
        },
        {
          title: 'keeps the rows that are not too long together',
          args: { sql: `select repeat('x', 12000000) as text from generate_series(1, 4); select 1 as number` },
          answers: ({ results }: { results: { rows: string[][]; row_count: number; has_more: boolean }[] }) => {
            const told = results.map(({ rows, row_count, has_more }) => [rows.length, row_count, has_more])
            assert.deepEqual(told, [
              [2, 4, true],
              [0, 1, true],
            ])
          },
        },
        {
          title: 'follows the names of tracked objects',
          args: { sql: 'alter table book rename title to heading; alter table book rename heading to title' },
          answers: ({ results }: { results: { command: string }[] }) => assert.equal(results.length, 2),
        },
      ],
      refuses: [
        {
          title: 'a statement that takes too long',
          args: { sql: 'select pg_sleep(30)', timeout: 0.05 },
          code: 'postgres-error',
          error: 'query execution failed',
        },
      ],
    },
    {
      type: 'run_sql',
      requires: ['sql'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'answers with the rows of the last statement, as text',
          args: { sql: `select 1; select id, title, price, info from book where id <> 2 order by id`, cascade: false },
          answers: {
            result_type: 'TuplesOk',
            result: [
              ['id', 'title', 'price', 'info'],
              ['1', 'Dawn', '12.50', 'NULL'],
              ['3', 'Fog', 'NULL', 'NULL'],
            ],
          },
        },
        {
          title: 'runs statements that return nothing, and follows what they change',
          args: { sql: 'alter table book add isbn text; alter table book rename title to heading' },
          answers: done,
          then: [
            tableIs('book', {
              select_permissions: [
                {
                  role: 'reader',
                  permission: {
                    columns: ['id', 'heading'],
                    computed_fields: ['label'],
                    filter: { publisher: { name: 'Ark' } },
                  },
                },
              ],
            }),
            serves('{ book_by_pk(id: 1) { heading isbn } }', { book_by_pk: { heading: 'Dawn', isbn: null } }),
          ],
        },
        {
          title: 'follows a table to its new name and schema',
          args: { sql: 'alter table publisher rename to house; alter table house set schema crm' },
          answers: done,
          then: [
            isUntracked('publisher'),
            tableIs(
              { schema: 'crm', name: 'house' },
              {
                array_relationships: [
                  {
                    name: 'books',
                    using: { foreign_key_constraint_on: { table: named('book'), column: 'publisher_id' } },
                  },
                ],
              },
            ),
            serves('{ book_by_pk(id: 1) { publisher { name } } }', { book_by_pk: { publisher: { name: 'Ark' } } }),
          ],
        },
        {
          title: 'follows a table that tracked functions return',
          args: { sql: 'alter table book rename to volume' },
          answers: done,
          then: [
            documentHas('functions', [{ function: named('search_book') }]),
            tableIs('volume', {
              object_relationships: [{ name: 'publisher', using: { foreign_key_constraint_on: 'publisher_id' } }],
            }),
          ],
        },
        {
          title: 'drops what depends on what is dropped, with cascade',
          args: { sql: 'drop table publisher cascade', cascade: true },
          answers: done,
          then: [
            isUntracked('publisher'),
            tableIs('book', { object_relationships: undefined, select_permissions: undefined }),
          ],
        },
        {
          title: 'forgets a tracked function that is dropped, without cascade',
          args: { sql: 'drop function search_book' },
          answers: done,
          then: [documentHas('functions', undefined)],
        },
        {
          title: 'leaves the metadata alone when it is told to',
          args: { sql: 'alter table publisher rename name to title', check_metadata_consistency: false },
          answers: done,
          then: [rows(`select title from publisher where id = 1`, [{ title: 'Ark' }]), inconsistencies(), reload],
        },
        {
          title: 'reads in a transaction that cannot write',
          args: { sql: `select current_setting('transaction_read_only') as only`, read_only: true },
          answers: { result_type: 'TuplesOk', result: [['only'], ['on']] },
        },
      ],
      refuses: [
        {
          title: 'what PostgreSQL refuses',
          args: { sql: 'select * from nowhere' },
          code: 'postgres-error',
          error: 'query execution failed',
          internal: failed('select * from nowhere', '42P01', 'relation "nowhere" does not exist', {
            position: 15,
            line: 1,
            column: 15,
          }),
        },
        {
          title: 'to write where it may only read',
          args: { sql: 'delete from crm.lead', read_only: true },
          code: 'postgres-error',
          error: 'query execution failed',
          internal: failed('delete from crm.lead', '25006', 'cannot execute DELETE in a read-only transaction'),
        },
        {
          title: 'a statement that runs in no transaction',
          args: { sql: 'vacuum book' },
          code: 'postgres-error',
          error: 'query execution failed',
        },
        notSupported(
          'to end the transaction',
          'update book set pages = 1; rollback',
          'the sql must not end the transaction that it runs in: ROLLBACK in line 1',
        ),
        dependents(
          'to drop a table that other objects need',
          'drop table publisher cascade',
          'permission book.reader.select, relationship book.publisher',
        ),
        dependents(
          'to drop a column that permissions name',
          'alter table book drop title cascade',
          'permission book.reader.select',
        ),
        dependents(
          'to drop a foreign key that relationships follow',
          'alter table book drop constraint book_publisher_id_fkey',
          'relationship book.publisher, relationship publisher.books',
        ),
        dependents(
          'to drop a function behind a computed field',
          'drop function book_label',
          'computed field book.label',
        ),
        dependents(
          'to rename a function behind a computed field',
          'alter function book_label(book) rename to book_name',
          'computed field book.label',
        ),
        notSupported(
          'to overload a tracked function',
          `create function search_book() returns setof book language sql stable as 'select * from book'`,
          'the following tracked function(s) cannot be overloaded: search_book',
        ),
        notSupported(
          'to let a tracked function write',
          `create or replace ${search} volatile as 'select * from book'`,
          'type of function "search_book" is altered to "VOLATILE" which is not supported now',
        ),
        notSupported(
          'to overload the function of a computed field',
          `create function book_label(publisher) returns text language sql stable as 'select $1.name'`,
          'The function "book_label" associated with computed field"label" of table "book" is being overloaded',
        ),
        notSupported(
          'to let the function of a computed field write',
          `create or replace ${label} volatile as 'select $1.title'`,
          'The type of function "book_label" associated with computed field "label" of table "book" is being altered to "VOLATILE"',
        ),
        {
          title: 'to give a column the name of a relationship',
          args: { sql: 'alter table publisher rename info to books' },
          code: 'already-exists',
          error:
            'cannot rename column "info" to "books" in table "publisher" as a relationship with the name already exists',
        },
        {
          title: 'to change a type that a permission relies on, cascade or not',
          args: { sql: 'alter table publisher alter name type varchar', cascade: true },
          code: 'dependency-error',
          error:
            'cannot change type of column "name" in table "publisher" because of the following dependencies : permission book.reader.select',
        },
        {
          title: 'what breaks an object that does not say what it needs',
          given: [{ type: 'track_table', args: { table: 'genre', is_enum: true } }],
          args: { sql: `update book set genre = null; delete from genre`, check_metadata_consistency: true },
          code: 'unexpected',
          status: 500,
          error: 'cannot continue due to newly found inconsistent metadata',
          internal: [
            {
              type: 'table',
              definition: 'genre',
              reason: 'the table "genre" cannot be used as an enum because the table must have at least one row',
            },
          ],
        },
      ],
    },
    {
      type: 'bulk',
      anyRole: true,
      ownWords: ['$[0]'],
      succeeds: [
        {
          title: 'runs requests in order and answers with all results',
          args: [
            track('genre'),
            { type: 'count', args: { table: 'genre' } },
            {
              type: 'set_table_custom_fields',
              version: 2,
              args: { table: 'genre', custom_root_fields: { select: 'genres' } },
            },
            { type: 'bulk', args: [] },
          ],
          answers: [{ message: 'success' }, { count: 2 }, { message: 'success' }, []],
          then: [serves('{ genres(limit: 1, order_by: {value: asc}) { value } }', { genres: [{ value: 'novel' }] })],
        },
        { title: 'answers with nothing for nothing', args: [], answers: [] },
        {
          title: 'is open to a role for what the role may do',
          role: 'reader',
          args: [{ type: 'select', args: { table: 'book', columns: ['title'], where: { id: 1 } } }],
          answers: [[{ title: 'Dawn' }]],
        },
        {
          title: 'reads in a transaction that cannot write when all members only read',
          args: [readOnly, { type: 'count', args: { table: 'book' } }],
          answers: [{ result_type: 'TuplesOk', result: [['?column?'], ['1']] }, { count: 3 }],
        },
      ],
      refuses: [
        {
          title: 'everything when one member is refused',
          args: [track('genre'), untrackNothing, track('genre')],
          code: 'already-untracked',
          path: '$.args[1].args',
          error: 'view/table already untracked : "nothing"',
        },
        {
          title: 'everything when a member of a member is refused',
          args: [
            track('genre'),
            { type: 'bulk', args: [{ type: 'run_sql', args: { sql: 'drop view cheap_book' } }, untrackNothing] },
          ],
          code: 'already-untracked',
          path: '$.args[1].args[1].args',
          error: 'view/table already untracked : "nothing"',
        },
        {
          title: 'members whose arguments are malformed',
          args: [track('genre'), { type: 'create_query_collection', args: { name: '', definition: { queries: [] } } }],
          code: 'parse-failed',
          path: '$[1].name',
          error: 'empty string not allowed',
        },
        {
          title: 'members of members whose arguments are malformed',
          args: [
            { type: 'bulk', args: [track('genre'), { type: 'drop_query_collection', args: { collection: 'c' } }] },
          ],
          code: 'parse-failed',
          path: '$[0][1]',
          error: "the key 'cascade' was not present",
        },
        {
          title: 'members that are no requests',
          args: [track('genre'), 'track_table'],
          code: 'parse-failed',
          path: '$[1]',
          error: 'parsing Object failed, expected Object, but encountered String',
        },
        {
          title: 'members without a type',
          args: [{ args: {} }],
          code: 'parse-failed',
          path: '$[0]',
          error: 'key "type" not found',
        },
        {
          title: 'members without arguments',
          args: [{ type: 'export_metadata' }],
          code: 'parse-failed',
          path: '$[0]',
          error: 'key "args" not found',
        },
        {
          title: 'members of a type that there is not',
          args: [{ type: 'track_tabls', args: {} }],
          code: 'parse-failed',
          path: '$[0]',
          error: 'unknown type "track_tabls"',
          hint: 'did you mean "track_table", "track_tables" or "untrack_table"?',
        },
        {
          title: 'members whose type has only some of the words of others',
          args: [{ type: 'create_permission', args: {} }],
          code: 'parse-failed',
          path: '$[0]',
          error: 'unknown type "create_permission"',
          hint: 'did you mean "create_action_permission", "create_delete_permission" or "create_function_permission"?',
        },
        {
          title: 'members of a version that there is not',
          args: [{ type: 'export_metadata', args: {}, version: 3 }],
          code: 'parse-failed',
          path: '$[0].version',
          error: 'expected 1 or 2, encountered 3',
        },
        {
          title: 'to read only what others write',
          args: [track('genre'), { type: 'count', args: { table: 'book' } }, readOnly],
          code: 'bad-request',
          path: '$',
          error: readsAndWrites('$.args[2]', 'READ ONLY', 'READ WRITE'),
        },
        {
          title: 'to write what others only read',
          args: [readOnly, { type: 'bulk', args: [track('genre')] }],
          code: 'bad-request',
          path: '$',
          error: readsAndWrites('$.args[1]', 'READ WRITE', 'READ ONLY'),
        },
        {
          title: 'roles that may not do one of the things',
          role: 'reader',
          args: [
            { type: 'count', args: { table: 'book' } },
            { type: 'export_metadata', args: {} },
          ],
          code: 'access-denied',
          error: 'restricted access : admin only',
        },
      ],
    },
  ],
}
