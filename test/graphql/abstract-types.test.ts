import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { definePlugin, graphql } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'

const {
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  GraphQLUnionType,
} = graphql

const animals = [
  { __typename: 'Cat', name: 'Tom', lives: 7 },
  {
    __typename: 'Dog',
    name: 'Rex',
    toys: [
      { __typename: 'Ball', size: 3 },
      { __typename: 'Cat', name: 'Kit', lives: 9 },
    ],
  },
]

/** Animals of an interface and a union. With `told`, the types resolve values without `__typename`. */
function zoo(values: readonly object[], { told = false, declared = true } = {}) {
  const byShape = (value: object) => ('lives' in value ? 'Cat' : 'size' in value ? 'Ball' : 'Dog')
  const Animal: graphql.GraphQLInterfaceType = new GraphQLInterfaceType({
    name: 'Animal',
    fields: { name: { type: GraphQLString } },
    ...(told && { resolveType: byShape }),
    extensions: declared ? { possibleTypes: () => [Cat, Dog] } : {},
  })
  const Cat = new GraphQLObjectType({
    name: 'Cat',
    interfaces: [Animal],
    fields: { name: { type: GraphQLString }, lives: { type: GraphQLInt, args: { left: { type: GraphQLInt } } } },
  })
  const Ball = new GraphQLObjectType({ name: 'Ball', fields: { size: { type: new GraphQLNonNull(GraphQLInt) } } })
  const Toy = new GraphQLUnionType({ name: 'Toy', types: [Ball, Cat], ...(told && { resolveType: byShape }) })
  const Dog = new GraphQLObjectType({
    name: 'Dog',
    interfaces: [Animal],
    fields: { name: { type: GraphQLString }, toys: { type: new GraphQLList(Toy) } },
  })
  return definePlugin({
    name: 'zoo',
    dependencies: ['tables'],
    register(engine) {
      const root = { kind: 'resolved', resolve: () => values } as const
      const field = (type: graphql.GraphQLOutputType) => () => ({ type: new GraphQLList(type), extensions: { root } })
      engine.graphql.contribute({
        name: 'zoo',
        query: (scope) => {
          scope.type('Toy', () => Toy)
          const others: [string, ReturnType<typeof field>][] = declared
            ? []
            : [
                ['cats', field(Cat)],
                ['dogs', field(Dog)],
              ]
          return new Map([['animals', field(Animal)], ['toys', field(Toy)], ...others])
        },
      })
    },
  })
}

const startZoo = (t: TestContext, ...given: Parameters<typeof zoo>) => startLibrary(t, { plugins: [zoo(...given)] })

const query = `{ animals { __typename name ...on Cat { lives } ...dog } }
  fragment dog on Dog { toys { kind: __typename ... on Ball { size } ... on Animal { name } ... on Toy { __typename } } }`

const expected = {
  data: {
    animals: [
      { __typename: 'Cat', name: 'Tom', lives: 7 },
      {
        __typename: 'Dog',
        name: 'Rex',
        toys: [
          { kind: 'Ball', size: 3, __typename: 'Ball' },
          { kind: 'Cat', name: 'Kit', __typename: 'Cat' },
        ],
      },
    ],
  },
}

test('values of interfaces and unions are completed by their __typename', async (t) => {
  const trellis = await startZoo(t, animals)
  for (let round = 0; round < 2; round++) assert.deepEqual(await trellis.graphql(query), expected)
})

test("values of interfaces and unions are completed by the type's own resolver", async (t) => {
  const bare = [
    { name: 'Tom', lives: 7 },
    { name: 'Rex', toys: [{ size: 3 }, { name: 'Kit', lives: 9 }] },
  ]
  const trellis = await startZoo(t, bare, { told: true })
  assert.deepEqual(await trellis.graphql(query), expected)
})

test('the possible types of an interface are found in the schema if it does not declare them', async (t) => {
  const trellis = await startZoo(t, animals, { declared: false })
  assert.deepEqual(await trellis.graphql(query), expected)
})

test('a fragment on a union applies within an interface', async (t) => {
  const trellis = await startZoo(t, animals)
  assert.deepEqual(await trellis.graphql('{ animals { name ... on Toy { ... on Cat { lives } } } }'), {
    data: { animals: [{ name: 'Tom', lives: 7 }, { name: 'Rex' }] },
  })
})

test('selections of all possible types are checked, whichever type a value has', async (t) => {
  const trellis = await startZoo(t, [])
  const refusals: [text: string, path: string, message: string][] = [
    ['{ animals { lives } }', '$.selectionSet.animals.selectionSet.lives', `field "lives" not found in type: 'Animal'`],
    [
      '{ animals { ... on Cat { toys { __typename } } } }',
      '$.selectionSet.animals.selectionSet.toys',
      `field "toys" not found in type: 'Cat'`,
    ],
    ['{ toys { size } }', '$.selectionSet.toys.selectionSet.size', `field "size" not found in type: 'Toy'`],
    [
      '{ animals { ... on Dog { toys } } }',
      '$.selectionSet.animals.selectionSet.toys.selectionSet',
      'missing selection set for "Toy"',
    ],
    [
      '{ toys { ... on Cat { lives(left: "x") } } }',
      '$.selectionSet.toys.selectionSet.lives.args.left',
      'expected a 32-bit integer for type "Int", but found a string',
    ],
  ]
  for (const [text, path, message] of refusals) {
    const { status, body } = await trellis.request('/v1/graphql', { body: { query: text } })
    assert.equal(status, 200)
    assert.deepEqual(body, { errors: [{ extensions: { path, code: 'validation-failed' }, message }] }, text)
  }
})

test('a value without a type, or of a wrong type, is refused', async (t) => {
  for (const value of [{ name: 'x' }, { __typename: 'Ball', size: 1 }]) {
    const trellis = await startZoo(t, [value])
    const message = 'the type of a value of field "animals" is not one of "Animal"'
    assert.deepEqual(await trellis.graphql('{ animals { name } }'), {
      errors: [{ extensions: { path: '$.selectionSet.animals', code: 'unexpected' }, message }],
    })
  }
})

test('introspection includes types of interfaces that nothing else refers to', async (t) => {
  const trellis = await startZoo(t, [])
  const { data } = await trellis.graphql<{ data: { __type: { possibleTypes: object[] } } }>(
    '{ __type(name: "Animal") { possibleTypes { name } } }',
  )
  assert.deepEqual(data.__type.possibleTypes, [{ name: 'Cat' }, { name: 'Dog' }])
})
