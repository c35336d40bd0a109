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
  ],
}
