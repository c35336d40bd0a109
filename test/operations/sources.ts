// The one source: its name and its settings.

import assert from 'node:assert/strict'
import type { Area, Effect } from './entry.ts'

/** The source of an export of format 3 has these members. */
const sourceIs =
  (expected: Readonly<Record<string, unknown>>): Effect =>
  async ({ request }) => {
    const body = { type: 'export_metadata', args: {} }
    const { body: document } = await request<{ sources: Record<string, unknown>[] }>('/v1/metadata', { body })
    const { tables: _, functions: __, ...source } = document.sources[0]!
    assert.deepEqual(source, expected)
  }

const configuration = { connection_info: { database_url: { from_env: 'PG_URL' }, isolation_level: 'read-committed' } }
const notThere = {
  title: 'a source that does not exist',
  code: 'not-exists',
  error: 'source with name "other" does not exist',
} as const

const metrics = { analyze_query_variables: true, analyze_response_body: false }

/** Exports of format 3 have these settings of metrics. */
const exportsMetrics =
  (expected: unknown): Effect =>
  async ({ request }) => {
    const body = { type: 'export_metadata', args: {} }
    const { body: document } = await request<{ metrics_config?: unknown }>('/v1/metadata', { body })
    assert.deepEqual(document.metrics_config, expected)
  }

export const sources: Area = {
  title: 'sources',
  operations: [
    {
      type: 'pg_add_source',
      requires: ['name', 'configuration'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'keeps the connection of the source',
          args: { name: 'default', configuration },
          then: [sourceIs({ name: 'default', kind: 'postgres', configuration })],
        },
        {
          title: 'names the source while it has no name and no tables',
          given: [{ type: 'clear_metadata', args: {} }],
          args: { name: 'main', configuration, replace_configuration: true },
          then: [sourceIs({ name: 'main', kind: 'postgres', configuration })],
        },
      ],
      refuses: [
        {
          title: 'a second source',
          args: { name: 'other', configuration },
          code: 'not-supported',
          error: 'only one source is supported: "other" differs from "default"',
        },
      ],
    },
    {
      type: 'pg_update_source',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'replaces settings',
          given: [
            { type: 'pg_add_source', args: { name: 'default', configuration: { connection_info: { old: true } } } },
          ],
          args: { name: 'default', configuration, health_check: { interval: 5 } },
          then: [sourceIs({ name: 'default', kind: 'postgres', configuration, health_check: { interval: 5 } })],
        },
      ],
      refuses: [{ ...notThere, args: { name: 'other' } }],
    },
    {
      type: 'set_query_tags',
      succeeds: [
        {
          title: 'adds comments to statements',
          args: { source_name: 'default', format: 'sqlcommenter', disabled: false },
          then: [
            sourceIs({
              ...{ name: 'default', kind: 'postgres' },
              configuration: { connection_info: { database_url: { from_env: 'SERVICE_GRAPHQL_DATABASE_URL' } } },
              query_tags: { disabled: false, format: 'sqlcommenter' },
            }),
            async ({ request, graphql }) => {
              const query = 'query titles { book_by_pk(id: 1) { title } }'
              const explained = await request<{ sql: string }[]>('/v1/graphql/explain', { body: { query: { query } } })
              const comment =
                /\/\* field_name='book_by_pk',operation_name='titles',parameterized_query_hash='[0-9a-f]{40}' \*\//
              assert.match(explained.body[0]!.sql, comment)
              assert.deepEqual(await graphql(query), { data: { book_by_pk: { title: 'Dawn' } } })
              const change = `mutation { update_book_by_pk(pk_columns: {id: 1}, _set: {pages: 1}) { pages } update_book(where: {id: {_eq: 1}}, _set: {pages: 2}) { affected_rows } }`
              assert.deepEqual(await graphql(change), {
                data: { update_book_by_pk: { pages: 1 }, update_book: { affected_rows: 1 } },
              })
            },
          ],
        },
        {
          title: 'ends them',
          given: [{ type: 'set_query_tags', args: { format: 'standard' } }],
          args: { source_name: 'default', disabled: true },
          then: [
            async ({ request }) => {
              const query = '{ book_by_pk(id: 1) { title } }'
              const explained = await request<{ sql: string }[]>('/v1/graphql/explain', { body: { query: { query } } })
              assert.doesNotMatch(explained.body[0]!.sql, /field_name/)
            },
          ],
        },
      ],
      refuses: [
        { ...notThere, args: { source_name: 'other' } },
        {
          title: 'another form',
          args: { format: 'plain' },
          code: 'parse-failed',
          path: '$.format',
          error: /standard/,
        },
      ],
    },
    {
      type: 'rename_source',
      requires: ['name', 'new_name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'gives the source another name',
          given: [{ type: 'pg_add_source', args: { name: 'default', configuration } }],
          args: { name: 'default', new_name: 'main' },
          then: [sourceIs({ name: 'main', kind: 'postgres', configuration })],
        },
      ],
      refuses: [{ ...notThere, args: { name: 'other', new_name: 'main' } }],
    },
    {
      type: 'pg_drop_source',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'forgets tables, functions, and the name',
          given: [{ type: 'rename_source', args: { name: 'default', new_name: 'main' } }],
          args: { name: 'main' },
          then: [
            async ({ op }) => {
              const { tables, functions } = await op<{ tables: unknown[]; functions?: unknown }>('export_metadata', {})
              assert.deepEqual([tables, functions], [[], undefined])
            },
          ],
        },
      ],
      refuses: [{ ...notThere, args: { name: 'other' } }],
    },
    {
      type: 'list_source_kinds',
      succeeds: [
        {
          title: 'lists PostgreSQL',
          args: {},
          answers: { sources: [{ kind: 'pg', display_name: 'pg', builtin: true, available: true }] },
        },
      ],
      refuses: [],
    },
    {
      type: 'pg_get_source_tables',
      succeeds: [
        {
          title: 'lists tables and views, tracked or not',
          args: { source: 'default' },
          answers: (tables: { schema: string; name: string }[]) => {
            const names = tables.map(({ schema, name }) => `${schema}.${name}`)
            assert.ok(names.includes('public.publisher') && names.includes('public.genre'), String(names))
            assert.ok(!names.some((name) => name.startsWith('trellis.')))
          },
        },
      ],
      refuses: [{ ...notThere, args: { source: 'other' } }],
    },
    {
      type: 'pg_get_source_trackables',
      succeeds: [
        {
          title: 'lists tables, and functions that return rows',
          given: [
            `create function busy() returns setof book language sql as 'select * from book';
              create function busy_name() returns text language sql as 'select 1::text'`,
          ],
          args: { source: 'default' },
          answers: ({ tables, functions }: { tables: { name: { name: string } }[]; functions: object[] }) => {
            assert.ok(tables.some(({ name }) => name.name === 'genre'))
            assert.ok(!JSON.stringify(functions).includes('busy_name'))
            const busy = functions.find((each) => JSON.stringify(each).includes('busy'))
            assert.deepEqual(busy, { name: { schema: 'public', name: 'busy' }, volatility: 'VOLATILE' })
          },
        },
      ],
      refuses: [{ ...notThere, args: { source: 'other' } }],
    },
    {
      type: 'pg_get_table_info',
      requires: ['table'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'describes a table, tracked or not',
          given: [
            `create table shelf (
              room int, board int, code int generated always as (room * 100 + board) stored, book int references book,
              primary key (board, room));
            comment on table shelf is 'Boards'; comment on column shelf.room is 'The room'`,
          ],
          args: { table: 'shelf', source: 'default' },
          answers: {
            name: { schema: 'public', name: 'shelf' },
            type: 'table',
            description: 'Boards',
            columns: [
              ...[
                ['room', false, true, 'The room'],
                ['board', false, true, null],
                ['code', true, false, null],
                ['book', true, true, null],
              ].map(([name, nullable, isWritable, description]) => ({
                ...{ name, type: 'integer', nullable, description },
                ...{ insertable: isWritable, updatable: isWritable },
              })),
            ],
            primary_key: ['board', 'room'],
            foreign_keys: {
              shelf_book_fkey: { foreign_table: { schema: 'public', name: 'book' }, column_mapping: { book: 'id' } },
            },
            ...{ insertable: true, updatable: true, deletable: true },
          },
        },
      ],
      refuses: [
        { ...notThere, args: { table: 'book', source: 'other' } },
        {
          title: 'a table that is not there',
          args: { table: 'nobody' },
          path: '$.args.table',
          code: 'not-exists',
          error: 'no such table/view exists in source: "nobody"',
        },
      ],
    },
    {
      type: 'get_source_kind_capabilities',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'tells what PostgreSQL can do',
          args: { name: 'postgres' },
          answers: ({ display_name, capabilities }: { display_name: string; capabilities: object }) => {
            assert.equal(display_name, 'pg')
            assert.ok(Object.hasOwn(capabilities, 'mutations'))
          },
        },
      ],
      refuses: [
        {
          title: 'another kind',
          args: { name: 'mssql' },
          path: '$.args.name',
          code: 'not-found',
          error: 'source kind "mssql" was not found',
        },
      ],
    },
    {
      type: 'get_feature_flag',
      requires: ['identifier'],
      notFound: { $: true },
      succeeds: [{ title: 'knows no flags', args: { identifier: 'any' }, answers: { value: null } }],
      refuses: [],
    },
    {
      type: 'set_metrics_config',
      requires: ['analyze_query_variables', 'analyze_response_body'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'keeps settings of metrics, and lists them',
          args: metrics,
          then: [
            exportsMetrics(metrics),
            async ({ op }) => {
              const [listed] = await op<{ reason: string }[]>('get_inconsistent_metadata', {})
              assert.equal(listed!.reason, '"metrics_config" is not served')
            },
          ],
        },
      ],
      refuses: [],
    },
    {
      type: 'remove_metrics_config',
      succeeds: [
        {
          title: 'removes them',
          given: [{ type: 'set_metrics_config', args: metrics }],
          args: {},
          then: [exportsMetrics(undefined)],
        },
      ],
      refuses: [],
    },
  ],
}
