import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { columnsIn, fieldOf, stepsOf, trialQuery } from '../../console/src/pages/data/relations/remote-steps.ts'
import { isSayable, permissionSdl, readTicks, toggleTick } from '../../console/src/pages/remote/remote-permission.ts'
import {
  callOf,
  exampleOf,
  lostRelationships,
  readSignature,
  readTypes,
  signatureSdl,
  typesSdl,
} from '../../console/src/pages/remote/sdl.ts'
import type { Introspected } from '../../console/src/server/remote-types.ts'

const schema = introspectionFromSchema(
  buildSchema(`
    scalar Day
    interface Named { name: String! }
    type Contact implements Named { id: Int! name: String! born: Day friends(limit: Int = 3, kind: Kind): [Contact!]! }
    enum Kind { HOME WORK }
    input Filter { ids: [Int!] kind: Kind }
    type Query { contact(id: Int!): Contact  contacts(where: Filter): [Contact!]!  find(text: String): Contact }
  `),
).__schema as unknown as Introspected

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim()

test('a remote field is the same after its form, and is tried with the values of a row', () => {
  const field = {
    contacts: {
      arguments: { where: { ids: ['$reports_to'], kind: 'WORK' } },
      field: { friends: { arguments: { kind: 'HOME', limit: 5 } } },
    },
  }
  assert.deepEqual(fieldOf(stepsOf(field), schema), field)
  assert.deepEqual(columnsIn(field), ['reports_to'])
  const row = new Map([['reports_to', '2']])
  assert.equal(
    trialQuery({ field, namespace: 'crm' }, row, schema),
    'query try { crm { contacts(where: {ids: [2], kind: WORK}) { friends(kind: HOME, limit: 5) { id name born } } } }',
  )
  // A text stays a text where the argument is one.
  assert.deepEqual(fieldOf([{ field: 'find', args: { text: '5' } }], schema), { find: { arguments: { text: '5' } } })
  assert.deepEqual(fieldOf([{ field: 'contact', args: { id: '5', other: ' ' } }], schema), {
    contact: { arguments: { id: 5 } },
  })
})

test('ticks are SDL and back, and a tick brings all that it needs', () => {
  const ticked = toggleTick(new Map(), { type: 'Query', member: 'contacts' }, schema)
  const sdl = permissionSdl(ticked, schema)
  assert.equal(
    squeezed(sdl),
    'type Query { contacts(where: Filter): [Contact!]! } type Contact { id: Int! name: String! born: Day } enum Kind { HOME WORK } input Filter { ids: [Int!] kind: Kind } scalar Day',
  )
  assert.deepEqual(new Map(readTicks(sdl, schema)), new Map(ticked))
  const preset =
    'type Query { contact(id: Int! @preset(value: "x-service-user-id")): Contact } type Contact { name: String! }'
  assert.equal(squeezed(permissionSdl(readTicks(preset, schema), schema)), preset)
  assert.equal(
    permissionSdl(toggleTick(ticked, { type: 'Query', member: 'contacts' }, schema), schema).includes('Query'),
    false,
  )
  assert.equal(readTicks('*', schema).has('Query.contact(id)'), true)
  assert.deepEqual(
    [preset, '*', 'type Query { gone: Int }', 'type {'].map((text) => isSayable(text, schema)),
    [...[true, true, false, false]],
  )
})

test('types and actions are SDL and back', () => {
  const types = {
    objects: [
      {
        ...{ name: 'Order', description: 'An "order"', fields: [{ name: 'id', type: 'Int!' }] },
        relationships: [{ name: 'track' }],
      },
    ],
    input_objects: [{ name: 'Line', fields: [{ name: 'mood', type: '[Mood!]!', description: 'why' }] }],
    scalars: [{ name: 'Day' }],
    enums: [
      {
        name: 'Mood',
        values: [
          { value: 'GOOD', description: null, is_deprecated: null },
          { value: 'BAD', description: 'not good', is_deprecated: true },
        ],
      },
    ],
  }
  assert.deepEqual(readTypes(typesSdl(types), types), types)
  assert.deepEqual(lostRelationships(readTypes('scalar Day', types), types), ['Order'])
  assert.throws(() => readTypes('interface A { b: Int }', {}), /only types, inputs, enums and scalars/)
  const action = {
    ...{ name: 'place', comment: 'Orders' },
    definition: {
      handler: 'http://a',
      type: 'query' as const,
      output_type: 'Order',
      arguments: [{ name: 'line', type: 'Line!', description: 'one "line"' }],
    },
  }
  const { handler: _, ...signature } = action.definition
  assert.deepEqual(readSignature(signatureSdl(action)), { name: 'place', comment: 'Orders', ...signature })
  assert.throws(() => readSignature('type Order { id: Int }'), /one field of the type Query or Mutation/)
  assert.equal(squeezed(callOf(action, types)), 'query ($line: Line!) { place(line: $line) { id } }')
  assert.deepEqual(exampleOf(action, types), { line: { mood: ['GOOD'] } })
})
