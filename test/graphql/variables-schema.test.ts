// The JSON Schema of an operation's variables.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { startTrellis } from '../../sdk/testing.ts'

const sql = `
  create table author (id int primary key, name text not null, born date, score numeric, extra jsonb);
  create table book (id int primary key, author_id int references author, title text)`

test('variables have a JSON Schema with input types by name, for the role', async () => {
  await using trellis = await startTrellis({ sql })
  const columns = ['id', 'name']
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'author' },
    { type: 'track_table', args: 'book' },
    { type: 'create_insert_permission', args: { table: 'author', role: 'guest', permission: { columns, check: {} } } },
    { type: 'create_select_permission', args: { table: 'author', role: 'guest', permission: { columns, filter: {} } } },
  ])
  const { graphql } = trellis.engine
  const schemaOf = (query: string, role = 'admin') =>
    graphql.variablesSchema(graphql.operation({ query, operationName: null }), { role })

  const insert = `mutation ($rows: [author_insert_input!]!, $tag: String, $max: Int = 3) {
    insert_author(objects: $rows) { affected_rows returning { id } } }`
  assert.deepEqual(schemaOf(insert, 'guest'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      rows: { type: 'array', items: { $ref: '#/$defs/author_insert_input' } },
      tag: { title: 'String', type: ['string', 'null'] },
      max: { title: 'Int', type: ['integer', 'null'], default: 3 },
    },
    required: ['rows'],
    additionalProperties: false,
    $defs: {
      author_insert_input: {
        type: 'object',
        description: 'input type for inserting data into table "author"',
        properties: {
          id: { title: 'Int', type: ['integer', 'null'] },
          name: { title: 'String', type: ['string', 'null'] },
        },
        additionalProperties: false,
      },
    },
  })

  const all = schemaOf(insert)
  const { properties } = (all['$defs'] as Record<string, { properties: object }>)['author_insert_input']!
  assert.deepEqual(properties, {
    born: { title: 'date', type: ['string', 'null'] },
    extra: { title: 'jsonb' },
    id: { title: 'Int', type: ['integer', 'null'] },
    name: { title: 'String', type: ['string', 'null'] },
    score: { title: 'numeric', type: ['number', 'string', 'null'] },
  })
  const check = new Ajv2020({ strict: false }).compile(all)
  assert.ok(check({ rows: [{ id: 1, name: 'Ann', score: '1.25', extra: [1] }] }))
  for (const wrong of [{}, { rows: [{ id: 'one' }] }, { rows: [{ other: 1 }] }, { rows: [], more: 1 }]) {
    assert.equal(check(wrong), false, JSON.stringify(wrong))
  }

  // Conditions lead to themselves.
  const where =
    'query ($where: author_bool_exp!, $order: [author_order_by!]) { author(where: $where, order_by: $order) { id } }'
  const conditions = new Ajv2020({ strict: false }).compile(schemaOf(where, 'guest'))
  assert.ok(conditions({ where: { _and: [{ name: { _like: 'A%' } }, { _not: { id: { _in: [1, 2] } } }] } }))
  assert.equal(conditions({ where: { born: { _eq: '2000-01-01' } } }), false)
  assert.ok(conditions({ where: {}, order: [{ name: 'desc' }] }))
  assert.equal(conditions({ where: {}, order: [{ name: 'down' }] }), false)

  const refused = { code: 'validation-failed', message: /field "book" not found/ }
  assert.throws(() => schemaOf('query ($id: Int) { book(where: { id: { _eq: $id } }) { id } }', 'guest'), refused)
})
