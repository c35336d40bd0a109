// For any rows and requests, a join equals one request for each row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, graphqlSync } from 'graphql'
import { crmResolvers, crmTypes } from '../remote-schemas/crm.ts'
import fc from '../support/fast-check.ts'
import { startJoined } from './joined.ts'

const schema = buildSchema(crmTypes)

/** The server's answer to a request for one field. */
function naive(field: string): unknown {
  return graphqlSync({ schema, source: `{ value: ${field} }`, rootValue: crmResolvers }).data?.value ?? null
}

const keys = fc.array(fc.option(fc.integer({ min: -2, max: 1003 }), { nil: null }), { maxLength: 40 })
const selection = fc.constantFrom(
  '{ id }',
  '{ name city friend { id friend { name } } }',
  '{ a: id b: id ... on User { c: name } __typename }',
  '{ notes(first: 3) { id author { name } } }',
)

test('a join equals a request for each row', async (t) => {
  const relationship = { table: 'reader', service_fields: ['person'], remote_schema: 'crm' }
  const { crm, trellis } = await startJoined(t, [], { settings: { remoteJoinBatchSize: 7 } })
  await trellis.sql('create table reader (id serial primary key, person int)')
  await trellis.op('track_table', 'reader')
  const user = { user: { arguments: { id: '$person' } } }
  const users = { users: { arguments: { where: { ids: ['$person'] } } } }
  await trellis.op('create_remote_relationship', { ...relationship, name: 'one', remote_field: user })
  await trellis.op('create_remote_relationship', { ...relationship, name: 'many', remote_field: users })
  const property = fc.asyncProperty(keys, selection, selection, async (people, one, many) => {
    await trellis.sql('truncate reader restart identity')
    await trellis.sql('insert into reader (person) select * from unnest($1::int[])', [people])
    const before = crm.asked().length
    const query = `{ reader(order_by: {id: asc}) { person one ${one} many(limit: 2) ${many} } }`
    const { data } = await trellis.graphql<{ data: { reader: unknown[] } }>(query)
    const expected = people.map((person) => ({
      person,
      one: person === null ? null : naive(`user(id: ${person}) ${one}`),
      many: person === null ? null : naive(`users(where: {ids: [${person}]}, limit: 2) ${many}`),
    }))
    assert.deepEqual(data.reader, JSON.parse(JSON.stringify(expected)))
    const distinct = new Set(people.filter((person) => person !== null)).size
    assert.equal(crm.asked().length - before, Math.ceil((distinct * 2) / 7))
  })
  await fc.assert(property, { numRuns: 40 })
})
