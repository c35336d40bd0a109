// Documents that operations store: validated for all variables against the metadata about to be saved.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '@sinclair/typebox'
import { definePlugin } from '../../core/engine/plugin.ts'
import { operation } from '../../core/operations/operation.ts'
import type { Answer } from '../support/client.ts'
import { startTrellis } from '../support/trellis.ts'

/** An operation that only refuses invalid documents. */
const keeper = definePlugin({
  name: 'keeper',
  dependencies: ['tables', 'graphql'],
  register({ operations }) {
    operations.add(
      operation({
        type: 'test_keep',
        args: Type.Object({
          query: Type.String(),
          role: Type.Optional(Type.String()),
          track: Type.Optional(Type.String()),
        }),
        async handle({ metadata, validateDocument }, { query, role, track }) {
          if (track !== undefined) metadata.tables.push({ table: { schema: 'public', name: track } })
          await validateDocument(query, { ...(role !== undefined && { role }) })
        },
      }),
    )
  },
})

const sql = `
  create table author (id int primary key, name text, born date);
  create table book (id int primary key, author_id int not null references author, title text)`

async function startKeeper(t: Parameters<typeof startTrellis>[0]) {
  const { op, request: send } = await startTrellis(t, { sql, plugins: [keeper] })
  const request = (body: unknown) => send('/v1/query', { body })
  const keep = (query: string, more = {}) => request({ type: 'test_keep', args: { query, ...more } })
  return { op, request, keep }
}

const refusal = ({ status, body }: Answer) => {
  const { error, code, path } = body as { error: string; code: string; path: string }
  return [status, code, path, error]
}

const refused = (path: string, error: string) => [400, 'validation-failed', `$.args${path}`, error]

test('a document is validated without the values of its variables', async (t) => {
  const { op, keep } = await startKeeper(t)
  await op('track_table', 'author')
  const good = [
    'query ($id: Int!, $born: date, $limit: Int, $order: [author_order_by!]) { author(where: {id: {_eq: $id}, born: {_gt: $born}}, limit: $limit, order_by: $order) { id name } }',
    'query ($with: Boolean!) { author { id name @include(if: $with) ...rest @skip(if: $with) } } fragment rest on author { born }',
    'mutation ($objects: [author_insert_input!]!) { insert_author(objects: $objects) { affected_rows } }',
    'query ($where: author_bool_exp!) { author_aggregate(where: $where) { aggregate { count } } } ',
    'query one { author { id } } query two { __typename }',
    'subscription ($id: Int!) { author_by_pk(id: $id) { name } }',
  ]
  for (const query of good) assert.deepEqual((await keep(query)).body, { message: 'success' }, query)
  const bad: readonly (readonly [query: string, path: string, error: string])[] = [
    ['{ author { nope } }', '.selectionSet.author.selectionSet.nope', 'field "nope" not found in type: \'author\''],
    [
      'query ($id: String!) { author(where: {id: {_eq: $id}}) { id } }',
      '.selectionSet.author.args.where.id._eq',
      'variable "id" is declared as String!, but used where Int is expected',
    ],
    [
      '{ author(where: {id: {_eq: "x"}}) { id } }',
      '.selectionSet.author.args.where.id._eq',
      'expected a 32-bit integer for type "Int", but found a string',
    ],
    [
      'query ($with: Boolean!) { author { nope @include(if: $with) } }',
      '.selectionSet.author.selectionSet.nope',
      'field "nope" not found in type: \'author\'',
    ],
    ['{ author(where: {born: {_gt: $born}}) { id } }', '', 'unbound variable "born"'],
    ['{ author { id } ', '', 'not a valid graphql query'],
    [
      'query one { author { id } } query two { nope }',
      '.selectionSet.nope',
      'field "nope" not found in type: \'query_root\'',
    ],
    ['subscription { author { id } __typename }', '', 'subscriptions must select one top level field'],
    ['{ author }', '.selectionSet.author.selectionSet', 'missing selection set for "author"'],
  ]
  for (const [query, path, error] of bad) assert.deepEqual(refusal(await keep(query)), refused(path, error), query)
})

test('a document is validated against the metadata about to be saved', async (t) => {
  const { request, keep } = await startKeeper(t)
  const query = 'query ($id: Int!) { book_by_pk(id: $id) { title } }'
  const error = 'field "book_by_pk" not found in type: \'query_root\''
  assert.deepEqual(refusal(await keep(query)), refused('.selectionSet.book_by_pk', error))
  const member = { type: 'test_keep', args: { query } }
  const track = { type: 'track_table', args: 'book' }
  const late = await request({ type: 'bulk', args: [member, track] })
  assert.deepEqual(refusal(late), [400, 'validation-failed', '$.args[0].args.selectionSet.book_by_pk', error])
  const inOrder = await request({
    type: 'bulk',
    args: [track, member, { type: 'untrack_table', args: { table: 'book' } }],
  })
  assert.equal(inOrder.status, 200)
  assert.deepEqual((await keep(query, { track: 'book' })).body, { message: 'success' })
  assert.deepEqual((await keep(query)).body, { message: 'success' })
})

test('a document is validated against the schema of a role', async (t) => {
  const { op, keep } = await startKeeper(t)
  await op('track_table', 'author')
  await op('create_select_permission', { table: 'author', role: 'reader', permission: { columns: ['id'], filter: {} } })
  assert.equal((await keep('{ author { id } }', { role: 'reader' })).status, 200)
  assert.deepEqual(
    refusal(await keep('{ author { name } }', { role: 'reader' })),
    refused('.selectionSet.author.selectionSet.name', 'field "name" not found in type: \'author\''),
  )
  assert.deepEqual(
    refusal(await keep('mutation { delete_author(where: {}) { affected_rows } }', { role: 'reader' })),
    refused('', 'no mutations exist'),
  )
})
