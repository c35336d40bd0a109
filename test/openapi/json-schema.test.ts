import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type JsonSchema, SchemaWriter } from '../../plugins/openapi/json-schema.ts'

function written(schema: TSchema): { schema: JsonSchema; components: JsonSchema } {
  const writer = new SchemaWriter()
  const result = writer.write(schema)
  return { schema: result, components: Object.fromEntries(writer.components) }
}

const nullable = (type: string) => ({ type: [type, 'null'] })

const cases: readonly (readonly [title: string, schema: TSchema, expected: JsonSchema])[] = [
  [
    'what only guides decoding is left out',
    Type.String({ message: 'm', convert: () => 1, typeName: 't' }),
    { type: 'string' },
  ],
  [
    'an optional key may be null',
    Type.Object({
      a: Type.Integer(),
      b: Type.Optional(Type.Integer({ minimum: 0 })),
      c: Type.Optional(Type.Union([Type.Literal('x'), Type.Literal('y')])),
      d: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      e: Type.Optional(Type.Literal(1)),
      f: Type.Optional(Type.Unknown()),
    }),
    {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'integer' },
        b: { ...nullable('integer'), minimum: 0 },
        c: { enum: ['x', 'y', null] },
        d: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        e: { anyOf: [{ type: 'number', const: 1 }, { type: 'null' }] },
        f: {},
      },
    },
  ],
  [
    'a closed object says so',
    Type.Object({ a: Type.String() }, { additionalProperties: false }),
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } }, additionalProperties: false },
  ],
  [
    'a record is an object of members alike',
    Type.Record(Type.String(), Type.Array(Type.Boolean())),
    { type: 'object', additionalProperties: { type: 'array', items: { type: 'boolean' } } },
  ],
  [
    'a tuple has its items in order',
    Type.Tuple([Type.String(), Type.Integer()]),
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false, minItems: 2, maxItems: 2 },
  ],
  [
    'an intersection is all of its parts',
    Type.Intersect([Type.Object({ a: Type.Optional(Type.String()) }), Type.Object({ b: Type.String() })]),
    {
      type: 'object',
      allOf: [
        { type: 'object', properties: { a: nullable('string') } },
        { type: 'object', required: ['b'], properties: { b: { type: 'string' } } },
      ],
    },
  ],
  ['what is shown stands in the place of the schema', Type.Unknown({ shown: Type.Integer() }), { type: 'integer' }],
]

for (const [title, schema, expected] of cases) {
  test(title, () => {
    assert.deepEqual(written(schema), { schema: expected, components: {} })
    assert.ok(new Ajv2020({ strict: true, allowUnionTypes: true }).compile(expected))
  })
}

test('titles become components, and different schemas with one title get different names', () => {
  const name = Type.String({ title: 'Name' })
  const schema = Type.Object({ a: name, b: { ...name }, c: Type.Optional(Type.Integer({ title: 'Name' })) })
  const ref = (component: string) => ({ $ref: `#/components/schemas/${component}` })
  assert.deepEqual(written(schema), {
    schema: {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: ref('Name'), b: ref('Name'), c: { anyOf: [ref('Name2'), { type: 'null' }] } },
    },
    components: { Name: { type: 'string', title: 'Name' }, Name2: { type: 'integer', title: 'Name' } },
  })
})

test('a schema that holds itself refers to itself', () => {
  const tree = Type.Recursive((This) => Type.Object({ children: Type.Array(This) }), { $id: 'Tree' })
  const { schema, components } = written(Type.Array(tree))
  const ref = { $ref: '#/components/schemas/Tree' }
  assert.deepEqual(schema, { type: 'array', items: ref })
  assert.deepEqual(components, {
    Tree: { type: 'object', required: ['children'], properties: { children: { type: 'array', items: ref } } },
  })
})
