import assert from 'node:assert/strict'
import test from 'node:test'
import {
  buildClientSchema,
  executeSync,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  introspectionTypes,
  isObjectType,
  lexicographicSortSchema,
  parse,
} from 'graphql'
import { tableInput } from '../../sdk/graphql.ts'
import { definePlugin, graphql, type ResolvedPlanner, type RootFields, type SchemaScope } from '../../sdk/index.ts'
import { startWithCrm } from '../remote-schemas/crm.ts'
import fc from '../support/fast-check.ts'
import { startLibrary } from '../support/library.ts'

const standardQuery = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  inputValueDeprecation: true,
  oneOf: true,
})

/** Selections of an introspection type, by a stream of numbers. */
function selections(name: string, depth: number, next: (below: number) => number): string {
  const type = introspectionTypes.find((each) => each.name === name)
  assert.ok(isObjectType(type))
  const chosen = Object.values(type.getFields()).filter(() => next(2) === 0)
  const texts = chosen.flatMap((field, i) => {
    const below = getNamedType(field.type)
    const given = field.args.length > 0 && next(2) === 0 ? `(includeDeprecated: ${next(2) === 0})` : ''
    const alias = next(4) === 0 ? `a${i}: ` : ''
    if (!isObjectType(below)) return [`${alias}${field.name}`]
    if (depth === 0) return []
    return [`${alias}${field.name}${given} { ${selections(below.name, depth - 1, next)} }`]
  })
  const all = [next(3) === 0 ? '__typename' : '', ...texts].filter((text) => text !== '').join(' ') || '__typename'
  return next(4) === 0 ? `... on ${name} { ${all} }` : all
}

function randomQuery(numbers: readonly number[], types: readonly string[]): string {
  let at = 0
  const next = (below: number) => numbers[at++ % numbers.length]! % below
  const schema = `__schema { ${selections('__Schema', 3, next)} }`
  const named = `n: __type(name: "${types[next(types.length)]}") { ${selections('__Type', 3, next)} }`
  return `{ ${[schema, named, `${schema} ${named}`][next(3)]} }`
}

const answerOf = (schema: GraphQLSchema, query: string) =>
  JSON.stringify(executeSync({ schema, document: parse(query) }))

/** Compares the answers about the schema of a role at an endpoint with those of graphql-js. */
async function compare(url: string, path: string, role: string): Promise<void> {
  const ask = async (query: string) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-role': role },
      body: JSON.stringify({ query }),
    })
    return response.text()
  }
  const whole = await ask(standardQuery)
  const { data } = JSON.parse(whole) as { data: IntrospectionQuery }
  const schema = lexicographicSortSchema(buildClientSchema(data, { assumeValid: true }))
  assert.equal(whole, answerOf(schema, standardQuery))
  assert.equal(await ask(standardQuery), whole, 'the answer from the cache')
  const rootFirst =
    '{ root: __type(name: "mutation_root") { fields { name } } __schema { types { name fields { name } } } }'
  assert.equal(await ask(rootFirst), answerOf(schema, rootFirst))
  const types = [...Object.keys(schema.getTypeMap()), 'nothing']
  const numbers = fc.array(fc.nat(1000), { minLength: 20, maxLength: 60 })
  const equal = fc.asyncProperty(numbers, async (values) => {
    const query = randomQuery(values, types)
    const answer = await ask(query)
    // Limits refuse some of the random queries.
    if (!/the introspection (is too large|goes from types|has )/.test(answer))
      assert.equal(answer, answerOf(schema, query), query)
  })
  await fc.assert(equal, { numRuns: 25 })
}

/** A type of a table that arguments refer to with a default value: to print it, its fields are read once more. */
const choosing = definePlugin({
  name: 'choosing',
  register(engine) {
    const { GraphQLInt, GraphQLString } = graphql
    const members = { id: { type: GraphQLInt }, title: { type: GraphQLString, default: { value: 'Dawn' } } }
    const choice = tableInput({ name: (table) => `${table.graphqlName}_choice`, fields: () => members })
    const fields = (scope: SchemaScope): RootFields => {
      const table = [...scope.model.tables.values()].find(({ graphqlName }) => graphqlName === 'book')!
      const root: ResolvedPlanner = { kind: 'resolved', completed: true, resolve: () => 'chosen' }
      const args = () => ({ where: { type: choice(scope, table), default: { value: { id: 1, title: 'Dusk' } } } })
      const choose = (name: string) =>
        [name, () => ({ type: GraphQLString, args: args(), extensions: { root } })] as const
      return new Map([choose('choose'), choose('choose_again')])
    }
    engine.graphql.contribute({ name: 'choosing', schemas: ['standard'], query: fields, mutation: fields })
  },
})

test('introspection answers as graphql-js would, byte by byte, for any selection', async (t) => {
  const { url, op } = await startLibrary(t, { plugins: [choosing] })
  const permission = { columns: ['id', 'title'], filter: {} }
  await op('create_select_permission', { table: 'book', role: 'reader', permission })
  await op('set_table_customization', { table: 'book', configuration: { comment: 'Bücher, 本' } })
  await compare(url, '/v1/graphql', 'admin')
  await compare(url, '/v1/graphql', 'reader')
  await compare(url, '/v1beta1/relay', 'admin')
})

test('the same with the interfaces, unions, defaults and deprecations of another server', async (t) => {
  const { trellis } = await startWithCrm(t)
  await compare(trellis.url, '/v1/graphql', 'admin')
})
