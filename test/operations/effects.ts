// Visible effects of a request that succeeded.

import assert from 'node:assert/strict'
import type { GraphQLOptions } from '../support/client.ts'
import type { TestTrellis } from '../support/trellis.ts'
import type { Effect } from './entry.ts'
import { named } from './world.ts'

interface TableEntry {
  readonly table: { readonly schema: string; readonly name: string }
}

export interface ExportedDocument {
  readonly version: number
  readonly tables: readonly TableEntry[]
  readonly [slice: string]: unknown
}

export const exported = ({ op }: TestTrellis): Promise<ExportedDocument> => op<ExportedDocument>('export_metadata', {})

async function exportedTable(trellis: TestTrellis, table: string | TableEntry['table']) {
  const { schema, name } = typeof table === 'string' ? named(table) : table
  const { tables } = await exported(trellis)
  return tables.find((entry) => entry.table.schema === schema && entry.table.name === name)
}

/** The export has this entry for a table, compared by these keys; `undefined` means absent. */
export const tableIs =
  (table: string | TableEntry['table'], expected: Readonly<Record<string, unknown>>): Effect =>
  async (trellis) => {
    const entry = (await exportedTable(trellis, table)) as Readonly<Record<string, unknown>> | undefined
    assert.ok(entry, `${JSON.stringify(table)} is not exported`)
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, entry[key]])), expected)
  }

/** The export has no entry for a table. */
export const isUntracked =
  (table: string | TableEntry['table']): Effect =>
  async (trellis) =>
    assert.equal(await exportedTable(trellis, table), undefined)

/** The export has this value under a top-level key; `undefined` means absent. */
export const documentHas =
  (key: string, expected: unknown): Effect =>
  async (trellis) =>
    assert.deepEqual((await exported(trellis))[key], expected)

/** The whole export equals this document. */
export const documentIs =
  (expected: unknown): Effect =>
  async (trellis) =>
    assert.deepEqual(await exported(trellis), expected)

/** A GraphQL request is answered with this data. */
export const serves =
  (query: string, data: unknown, options?: GraphQLOptions): Effect =>
  async ({ graphql }) =>
    assert.deepEqual(await graphql(query, undefined, options), { data })

/** A GraphQL request is refused with this message. */
export const doesNotServe =
  (query: string, message: string, options?: GraphQLOptions): Effect =>
  async ({ graphql }) => {
    const { errors } = await graphql<{ errors?: readonly { message: string }[] }>(query, undefined, options)
    assert.deepEqual(
      errors?.map((each) => each.message),
      [message],
    )
  }

/** The message about a missing root field. */
export const noField = (name: string, root = 'query_root') => `field "${name}" not found in type: '${root}'`

/** SQL outside the engine returns these rows. */
export const rows =
  (sql: string, expected: readonly unknown[]): Effect =>
  async (trellis) =>
    assert.deepEqual(await trellis.sql(sql), expected)

/** These are the inconsistent objects: `[type, reason]` of each. */
export const inconsistencies =
  (...expected: readonly (readonly [type: string, reason: string])[]): Effect =>
  async ({ op }) => {
    const found = await op<readonly { readonly type: string; readonly reason: string }[]>(
      'get_inconsistent_metadata',
      {},
    )
    assert.deepEqual(
      found.map(({ type, reason }) => [type, reason]),
      expected,
    )
  }
