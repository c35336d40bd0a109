// Descriptions that generators of code copy, in the words of version 2.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table writer (id int primary key, name text, born int, unique (name, born));
  create table book (id int primary key, writer_id int references writer)`

const query = `{
  condition: __type(name: "writer_on_conflict") { description }
  constraints: __type(name: "writer_constraint") { enumValues { name description } }
  mutations: __type(name: "mutation_root") { fields { name description args { name description } } }
  updates: __type(name: "writer_updates") { description }
  nested: __type(name: "writer_obj_rel_insert_input") { inputFields { name description } }
}`

interface Described {
  readonly name: string
  readonly description: string | null
}

interface Answer {
  readonly condition: { readonly description: string }
  readonly constraints: { readonly enumValues: readonly Described[] }
  readonly mutations: {
    readonly fields: readonly {
      readonly name: string
      readonly description: string
      readonly args: readonly Described[]
    }[]
  }
  readonly updates: { readonly description: string | null }
  readonly nested: { readonly inputFields: readonly Described[] }
}

test('upserts and lists of updates are described in the words of interface 2', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: { graphqlInterface: '2' } })
  await trellis.op('track_table', 'writer')
  await trellis.op('track_table', 'book')
  const using = { foreign_key_constraint_on: 'writer_id' }
  await trellis.op('create_object_relationship', { table: 'book', name: 'writer', using })
  const { body } = await trellis.request<{ data: Answer }>('/v1/graphql', { body: { query } })
  const { condition, constraints, mutations, nested, updates } = body.data
  assert.equal(condition.description, 'on_conflict condition type for table "writer"')
  assert.deepEqual(constraints.enumValues, [
    { name: 'writer_name_born_key', description: 'unique or primary key constraint on columns "name", "born"' },
    { name: 'writer_pkey', description: 'unique or primary key constraint on columns "id"' },
  ])
  const conflict = { name: 'on_conflict', description: 'upsert condition' }
  const insert = mutations.fields.find(({ name }) => name === 'insert_writer')
  assert.deepEqual(insert?.args.at(-1), conflict)
  assert.deepEqual(nested.inputFields.at(-1), conflict)
  const many = mutations.fields.find(({ name }) => name === 'update_writer_many')
  assert.equal(many?.description, 'update multiples rows of table: "writer"')
  assert.equal(updates.description, null)
})
