// Operations that keep metadata of later engines which is not served: for exports, and listed as inconsistent.

import assert from 'node:assert/strict'
import type { Effect, OperationEntry } from './entry.ts'

type Source = Readonly<Record<string, unknown>>

/** The source of an export of format 3 has these lists, and `get_inconsistent_metadata` names them. */
const keeps =
  (expected: Source): Effect =>
  async ({ request, op }) => {
    const body = { type: 'export_metadata', args: {} }
    const { body: document } = await request<{ sources: Source[] }>('/v1/metadata', { body })
    const { native_queries, logical_models } = document.sources[0]!
    assert.deepEqual(
      { native_queries, logical_models },
      { native_queries: undefined, logical_models: undefined, ...expected },
    )
    const reasons = (await op<{ reason: string }[]>('get_inconsistent_metadata', {})).map(({ reason }) => reason)
    assert.deepEqual(
      reasons,
      Object.keys(expected).map((key) => `"${key}" of a source is not served`),
    )
  }

const query = { root_field_name: 'recent', code: 'select 1 as id', returns: 'row', arguments: {}, type: 'query' }
const model = { name: 'row', fields: [{ name: 'id', type: { scalar: 'integer', nullable: false } }] }
const permission = { role: 'reader', permission: { columns: '*', filter: {} } }
const trackQuery = { type: 'pg_track_native_query', args: query }
const trackModel = { type: 'pg_track_logical_model', args: model }
const permit = { type: 'pg_create_logical_model_select_permission', args: { name: 'row', ...permission } }
const noModel = { code: 'not-found', error: 'Logical model "row" not found in source "default".' }

const nativeQueries: readonly OperationEntry[] = [
  {
    type: 'pg_track_native_query',
    requires: ['root_field_name', 'code', 'returns'],
    notFound: { $: true },
    succeeds: [{ title: 'keeps a native query', args: query, then: [keeps({ native_queries: [query] })] }],
    refuses: [
      {
        title: 'one that is there',
        given: [trackQuery],
        args: query,
        code: 'already-tracked',
        error: "Native query 'recent' is already tracked.",
      },
    ],
  },
  {
    type: 'pg_untrack_native_query',
    requires: ['root_field_name'],
    notFound: { $: true },
    succeeds: [{ title: 'removes it', given: [trackQuery], args: { root_field_name: 'recent' }, then: [keeps({})] }],
    refuses: [
      {
        title: 'one that is not there',
        args: { root_field_name: 'recent' },
        code: 'not-found',
        error: 'Native query "recent" not found in source "default".',
      },
    ],
  },
  {
    type: 'pg_get_native_query',
    succeeds: [{ title: 'lists them', given: [trackQuery], args: {}, answers: [query] }],
    refuses: [],
  },
]

const logicalModels: readonly OperationEntry[] = [
  {
    type: 'pg_track_logical_model',
    requires: ['name', 'fields'],
    notFound: { $: true },
    succeeds: [{ title: 'keeps a logical model', args: model, then: [keeps({ logical_models: [model] })] }],
    refuses: [
      {
        title: 'one that is there',
        given: [trackModel],
        args: model,
        code: 'already-tracked',
        error: "Logical model 'row' is already tracked.",
      },
    ],
  },
  {
    type: 'pg_untrack_logical_model',
    requires: ['name'],
    notFound: { $: true },
    succeeds: [{ title: 'removes it', given: [trackModel], args: { name: 'row' }, then: [keeps({})] }],
    refuses: [{ title: 'one that is not there', args: { name: 'row' }, ...noModel }],
  },
  {
    type: 'pg_get_logical_model',
    succeeds: [{ title: 'lists them', given: [trackModel], args: {}, answers: [model] }],
    refuses: [],
  },
  {
    type: 'pg_create_logical_model_select_permission',
    requires: ['name', 'role', 'permission'],
    notFound: { $: true },
    succeeds: [
      {
        title: 'keeps a permission',
        given: [trackModel],
        args: permit.args,
        then: [keeps({ logical_models: [{ ...model, select_permissions: [permission] }] })],
      },
      {
        title: 'keeps a permission beside those of another form',
        given: [{ type: 'pg_track_logical_model', args: { ...model, select_permissions: [null, 'any'] } }],
        args: permit.args,
        then: [keeps({ logical_models: [{ ...model, select_permissions: [null, 'any', permission] }] })],
      },
    ],
    refuses: [
      { title: 'a model that is not there', args: permit.args, ...noModel },
      {
        title: 'a second permission of a role',
        given: [trackModel, permit],
        args: permit.args,
        code: 'already-exists',
        error: 'permission already exists on logical model "row" with role "reader"',
      },
    ],
  },
  {
    type: 'pg_drop_logical_model_select_permission',
    requires: ['name', 'role'],
    notFound: { $: true },
    succeeds: [
      {
        title: 'removes it',
        given: [trackModel, permit],
        args: { name: 'row', role: 'reader' },
        then: [keeps({ logical_models: [model] })],
      },
    ],
    refuses: [
      { title: 'a model that is not there', args: { name: 'row', role: 'reader' }, ...noModel },
      {
        title: 'a permission of a model that has a text for its list',
        given: [{ type: 'pg_track_logical_model', args: { ...model, select_permissions: 'any' } }],
        args: { name: 'row', role: 'reader' },
        code: 'not-found',
        error: 'select permission on logical model "row" for role "reader" does not exist',
      },
      {
        title: 'a permission that is not there',
        given: [trackModel],
        args: { name: 'row', role: 'reader' },
        code: 'not-found',
        error: 'select permission on logical model "row" for role "reader" does not exist',
      },
    ],
  },
]

/** The operations. */
export const keptObjects: readonly OperationEntry[] = [...nativeQueries, ...logicalModels]
