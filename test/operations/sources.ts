// The one source: its name and its settings.

import assert from 'node:assert/strict'
import type { Area, Effect } from './entry.ts'
import { keptObjects } from './kept.ts'

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
          title: 'the source under its name again',
          given: [{ type: 'pg_add_source', args: { name: 'default', configuration } }],
          args: { name: 'default', configuration },
          code: 'already-exists',
          error: 'source with name "default" already exists',
        },
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
        {
          title: 'tells kinds, sizes and partitions a page at a time',
          given: [
            `create schema log; create table log.entry (id int, at date) partition by range (at);
              create table log.entry_1 partition of log.entry for values from ('2000-01-01') to ('2100-01-01');
              insert into log.entry select i, '2001-01-01' from generate_series(1, 500) i; analyze log.entry_1;
              comment on table log.entry is 'All of it'; create view log.seen as select * from log.entry`,
            { type: 'track_table', args: { schema: 'log', name: 'seen' } },
          ],
          args: { details: true, schemas: ['log'], search: 'G.E', limit: 2 },
          answers: (tables: { bytes: number; name: string }[]) => {
            const entry = { schema: 'log', is_tracked: false, description: null, estimated_rows: 500 }
            const bytes = tables[1]!.bytes
            assert.ok(bytes > 8000)
            const whole = { kind: 'partitioned_table', description: 'All of it', partition_of: null, bytes }
            assert.deepEqual(tables, [
              { ...entry, ...whole, name: 'entry' },
              { ...entry, name: 'entry_1', kind: 'table', bytes, partition_of: { schema: 'log', name: 'entry' } },
            ])
          },
        },
        {
          title: 'begins after the last table of the page before',
          given: ['create schema log; create table log.a (); create view log.b as select 1 as one'],
          args: { details: true, schemas: ['log'], after: { schema: 'log', name: 'a' } },
          answers: [
            {
              ...{ schema: 'log', name: 'b', kind: 'view', is_tracked: false, description: null },
              ...{ estimated_rows: null, bytes: null, partition_of: null },
            },
          ],
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
        {
          title: 'adds references to it, checks, indexes, triggers and policies',
          given: [
            `create table rack (id int primary key, label text default 'new' unique check (label <> ''));
              create index rack_label on rack (lower(label)); alter table rack enable row level security;
              create policy own on rack for select using (id > 1);
              create table slot (id int, rack int references rack on delete cascade);
              create function touch() returns trigger language plpgsql as 'begin return new; end';
              create trigger touched before update on rack for each row execute function touch()`,
          ],
          args: { table: 'rack', details: true },
          answers: ({ indexes, triggers, ...rack }: Record<string, unknown[]> & { indexes: { name: string }[] }) => {
            const names = indexes.map(({ name, definition }: { name: string; definition?: string }) => [
              name,
              definition,
            ])
            assert.deepEqual(names, [
              ['rack_label', 'CREATE INDEX rack_label ON public.rack USING btree (lower(label))'],
              ['rack_label_key', 'CREATE UNIQUE INDEX rack_label_key ON public.rack USING btree (label)'],
              ['rack_pkey', 'CREATE UNIQUE INDEX rack_pkey ON public.rack USING btree (id)'],
            ])
            assert.deepEqual(indexes[2], {
              ...indexes[2],
              ...{ is_unique: true, is_primary: true, is_valid: true, scans: 0 },
            })
            assert.deepEqual(
              (triggers as { name: string }[]).map(({ name }) => name),
              ['touched'],
            )
            assert.deepEqual(
              [rack['kind'], rack['unique_keys'], rack['defaults'], rack['check_constraints'], rack['referenced_by']],
              [
                'table',
                { rack_label_key: ['label'] },
                { label: "'new'::text" },
                [{ name: 'rack_label_check', definition: "CHECK ((label <> ''::text))" }],
                [
                  {
                    ...{ table: { schema: 'public', name: 'slot' }, constraint: 'slot_rack_fkey' },
                    ...{ column_mapping: { rack: 'id' }, on_delete: 'cascade' },
                  },
                ],
              ],
            )
            assert.deepEqual(rack['row_level_security'], {
              ...{ is_enabled: true, is_forced: false },
              policies: [{ name: 'own', command: 'select', using: '(id > 1)', with_check: null }],
            })
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
    ...keptObjects,
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
