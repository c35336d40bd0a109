// The types that actions use.

import { documentHas, serves } from './effects.ts'
import type { Area, Call, Refusal } from './entry.ts'

const because = (reason: string): string => `validation for the given custom types failed because ${reason}`

const field = (name: string, type = 'Int') => ({ name, type })

const object = (name: string, fields: object[] = [field('a')], relationships: object[] = []) => ({
  name,
  fields,
  relationships,
})

const relationship = (members: object = {}) => ({
  name: 'book',
  type: 'object',
  remote_table: 'book',
  field_mapping: { a: 'id' },
  ...members,
})

const invalid = (title: string, args: object, reason: string): Refusal => ({
  title,
  args,
  code: 'constraint-violation',
  error: because(reason),
})

const related = (title: string, members: object, reason: string, type = 'Int'): Refusal =>
  invalid(title, { objects: [object('O', [field('a', type)], [relationship(members)])] }, reason)

const complete = {
  input_objects: [{ name: 'I', description: 'in', fields: [{ name: 'a', type: '[ I! ]', description: 'list' }] }],
  objects: [
    {
      name: 'O',
      fields: [field('a'), field('b', '[E!]!'), field('c', 'jsonb'), field('d', 'S'), field('e', 'O')],
      relationships: [relationship()],
    },
  ],
  scalars: [{ name: 'S', description: 'any' }],
  enums: [{ name: 'E', values: [{ value: 'A' }, { value: 'B', description: 'b', is_deprecated: true }] }],
}

const kept = {
  input_objects: [{ name: 'I', description: 'in', fields: [{ name: 'a', type: '[I!]', description: 'list' }] }],
  objects: [
    {
      name: 'O',
      fields: complete.objects[0]!.fields,
      relationships: [relationship({ remote_table: { schema: 'public', name: 'book' } })],
    },
  ],
  scalars: [{ name: 'S', description: 'any' }],
  enums: [
    {
      name: 'E',
      values: [
        { value: 'A', description: null, is_deprecated: null },
        { value: 'B', description: 'b', is_deprecated: true },
      ],
    },
  ],
}

const set = (args: object): Call => ({ type: 'set_custom_types', args })

const action: Call = {
  type: 'create_action',
  args: { name: 'go', definition: { handler: 'http://127.0.0.1:1', output_type: 'O' } },
}

export const customTypes: Area = {
  title: 'custom types',
  operations: [
    {
      type: 'set_custom_types',
      succeeds: [
        {
          title: 'takes all four kinds, and prints types as GraphQL does',
          args: complete,
          then: [documentHas('custom_types', kept)],
        },
        {
          title: 'replaces what was there',
          given: [set(complete)],
          args: { scalars: [{ name: 'T' }], objects: [object('P')] },
          then: [
            documentHas('custom_types', { objects: [{ name: 'P', fields: [field('a')] }], scalars: [{ name: 'T' }] }),
          ],
        },
        {
          title: 'removes all types',
          given: [set(complete)],
          args: {},
          then: [documentHas('custom_types', undefined), serves('{ __type(name: "O") { name } }', { __type: null })],
        },
        {
          title: 'takes what tools refuse, in the other dialect',
          settings: { dialect: 'hasura' },
          args: {
            input_objects: [{ name: 'A', fields: [field('a', 'A!')] }],
            objects: [object('O', [field('__a')])],
          },
        },
        {
          title: 'takes a scalar of the name that one of the database has',
          args: { scalars: [{ name: 'uuid' }, { name: 'numeric' }], objects: [object('O', [field('a', 'uuid')])] },
        },
      ],
      refuses: [
        invalid(
          'types of one name',
          {
            objects: [object('A'), object('B')],
            scalars: [{ name: 'A' }],
            enums: [{ name: 'B', values: [{ value: 'X' }] }],
          },
          'duplicate type names: "A", "B"',
        ),
        invalid(
          'values of an enum that are the same',
          { enums: [{ name: 'E', values: [{ value: 'A' }, { value: 'B' }, { value: 'A' }] }] },
          'the enum type "E" has duplicate values: "A"',
        ),
        invalid(
          'values of an enum that GraphQL reserves',
          { enums: [{ name: 'E', values: [{ value: 'true' }] }] },
          'the enum type "E" has values that GraphQL reserves: "true"',
        ),
        invalid(
          'fields of an input object that are the same',
          { input_objects: [{ name: 'I', fields: [field('f'), field('f')] }] },
          'the input object "I" has duplicate fields: "f"',
        ),
        invalid(
          'a field of an input object whose type is not there',
          { input_objects: [{ name: 'I', fields: [field('f', '[X!]')] }] },
          'the type "X" for field "f" in  input object type "I" does not exist',
        ),
        invalid(
          'a field of an input object that is an object',
          { input_objects: [{ name: 'I', fields: [field('f', 'O')] }], objects: [object('O')] },
          'the type "O" for field "f" in  input object type "I" does not exist',
        ),
        invalid(
          'fields and relationships of an object that are the same',
          { objects: [object('O', [field('a'), field('book')], [relationship()])] },
          'the object "O" has duplicate fields: "book"',
        ),
        invalid(
          'fields that have arguments',
          { objects: [object('O', [{ ...field('a'), arguments: [] }])] },
          `the object "O" can't have arguments`,
        ),
        invalid(
          'a field of an object whose type is not there',
          { objects: [object('O', [field('f', 'X')])] },
          'the type "X" for field "f" in  object type "O" does not exist',
        ),
        related(
          'a relationship to a table that is not tracked',
          { remote_table: { schema: 'crm', name: 'nothing' } },
          'the remote table "crm.nothing" for relationship "book" of object type "O" does not exist',
        ),
        related(
          'a mapping of a field that is not there',
          { field_mapping: { z: 'id' } },
          'the field "z" for relationship "book" in object type "O" does not exist',
        ),
        related(
          'a mapping of a list',
          {},
          'the type of the field "a" for relationship "book" in object type "O" is a list type',
          '[Int]!',
        ),
        related(
          'a mapping to a column that is not there',
          { field_mapping: { a: 'no' } },
          'the column "no" of remote table "book" for relationship "book" of object type "O" does not exist',
        ),
        invalid(
          'names that are for introspection',
          {
            objects: [object('O', [field('__a')]), object('__P')],
            enums: [{ name: 'E', values: [{ value: '__A' }] }],
          },
          `names that begin with two underscores are GraphQL's own: "__P", "__a", "__A"`,
        ),
        invalid(
          'input objects that nobody can give',
          {
            input_objects: [
              { name: 'A', fields: [field('b', 'B!'), field('c', 'Int!')] },
              { name: 'B', fields: [field('list', '[A!]!'), field('a', 'A!')] },
              { name: 'C', fields: [field('a', 'A!'), field('c', 'C')] },
            ],
          },
          'the input object "A" needs a value of itself: "A"."b", "B"."a"',
        ),
        invalid(
          'thousands of input objects behind each other, of which nobody can give the last',
          {
            input_objects: Array.from({ length: 10_000 }, (_, i) => ({
              name: `I${i}`,
              fields: [field('next', `I${Math.min(i + 1, 9999)}!`)],
            })),
          },
          'the input object "I9999" needs a value of itself: "I9999"."next"',
        ),
        {
          title: 'several faults, all of which are told',
          args: { objects: [object('O', [field('f', 'X'), field('f')])] },
          code: 'constraint-violation',
          error:
            'validation for the given custom types failed for the following reasons:\n' +
            '  • the object "O" has duplicate fields: "f"\n' +
            '  • the type "X" for field "f" in  object type "O" does not exist\n',
        },
        {
          title: 'names that generated types have',
          args: { objects: [object('book'), object('book_bool_exp'), object('Mine')] },
          code: 'invalid-custom-types',
          error:
            'following custom types conflict with the autogenerated types or from remote schemas: book, book_bool_exp',
        },
        {
          title: 'names that generated types have, in the other dialect',
          settings: { dialect: 'hasura' },
          args: { scalars: [{ name: 'book' }] },
          code: 'invalid-custom-types',
          error: 'following custom types conflict with the autogenerated hasura types or from remote schemas: book',
        },
        {
          title: 'types without those that an action has',
          given: [set({ objects: [object('O')] }), action],
          args: {},
          code: 'unexpected',
          error: 'cannot continue due to new inconsistent metadata',
        },
        {
          title: 'what is no type of GraphQL',
          args: { objects: [object('O', [field('a', '[Int')])] },
          code: 'parse-failed',
          path: '$.objects[0].fields[0].type',
          error: 'not a valid GraphQL type: [Int',
          fits: true,
        },
        {
          title: 'what is no name of GraphQL',
          args: { scalars: [{ name: 'a-b' }] },
          code: 'parse-failed',
          path: '$.scalars[0].name',
          error: '"a-b" is not a valid GraphQL name',
        },
        {
          title: 'an object without fields',
          args: { objects: [{ name: 'O', fields: [] }] },
          code: 'parse-failed',
          path: '$.objects[0].fields',
          error: 'empty list not allowed',
        },
      ],
    },
  ],
}
