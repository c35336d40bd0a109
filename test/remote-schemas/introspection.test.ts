// Introspection of remote servers, and its part in our introspection.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { buildSchema, graphqlSync, introspectionFromSchema } from 'graphql'
import { startLibrary } from '../support/library.ts'
import { startCrm, startWithCrm } from './crm.ts'

const startBoth = async (t: TestContext) => ({ crm: await startCrm(t), trellis: await startLibrary(t) })

test('introspection shows the types of remote schemas', async (t) => {
  const { trellis } = await startWithCrm(t)
  const query = `{ user: __type(name: "User") { kind interfaces { name } fields { name } }
    named: __type(name: "Named") { possibleTypes { name } }
    thing: __type(name: "Thing") { kind possibleTypes { name } }
    query: __type(name: "query_root") { fields(includeDeprecated: true) { name description isDeprecated args { name defaultValue } } }
    filter: __type(name: "UserFilter") { inputFields { name defaultValue } } }`
  const { data } = await trellis.graphql<{ data: Record<string, { fields: { name: string }[] } & object> }>(query)
  assert.deepEqual(data.named, { possibleTypes: [{ name: 'Car' }, { name: 'User' }] })
  assert.deepEqual(data.thing, { kind: 'UNION', possibleTypes: [{ name: 'Car' }, { name: 'Note' }, { name: 'User' }] })
  const user = data.query!.fields.find(({ name }) => name === 'user')
  assert.deepEqual(user, {
    ...{ name: 'user', description: 'A person', isDeprecated: false },
    args: [
      { name: 'id', defaultValue: null },
      { name: 'tags', defaultValue: '["none"]' },
    ],
  })
  assert.ok(data.query!.fields.some(({ name }) => name === 'book'))
})

const newTypes = `
  type Query { find(by: By!, limit: Int = 3, old: Int @deprecated(reason: "use by")): Day }
  input By @oneOf { id: Int name: String }
  input Old { a: Int b: Int @deprecated(reason: "use a") }
  type Mutation { set(old: Old): Day }
  scalar Day @specifiedBy(url: "https://example.com/day")
`

test('descriptions, deprecations, and defaults of remote types are shown', async (t) => {
  const { crm, trellis } = await startBoth(t)
  crm.types = newTypes
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const shown = await trellis.graphql(`{
    by: __type(name: "By") { isOneOf }  day: __type(name: "Day") { specifiedByURL }
    old: __type(name: "Old") { inputFields(includeDeprecated: true) { name deprecationReason } }
    query: __type(name: "query_root") { fields { name args(includeDeprecated: true) { name deprecationReason } } }
  }`)
  const { data } = shown as { data: { query: { fields: { name: string; args: object[] }[] } } }
  const { query, ...others } = data
  assert.deepEqual(others, {
    by: { isOneOf: true },
    day: { specifiedByURL: 'https://example.com/day' },
    old: {
      inputFields: [
        { name: 'a', deprecationReason: null },
        { name: 'b', deprecationReason: 'use a' },
      ],
    },
  })
  assert.deepEqual(query.fields.find(({ name }) => name === 'find')?.args, [
    { name: 'by', deprecationReason: null },
    { name: 'limit', deprecationReason: null },
    { name: 'old', deprecationReason: 'use by' },
  ])
  await trellis.graphql('mutation { set(old: {b: 1}) }')
  assert.equal(crm.received.filter(({ body }) => body.includes('__schema')).length, 1)
})

test('servers of older versions of GraphQL get simpler introspection queries', async (t) => {
  const { crm, trellis } = await startBoth(t)
  const schema = buildSchema(newTypes)
  crm.answer = ({ body }) => {
    const { query } = JSON.parse(body)
    if (/isOneOf|specifiedByURL|args\(/.test(query)) {
      return { status: 400, body: { errors: [{ message: 'Cannot query field "isOneOf" on type "__Type".' }] } }
    }
    return { body: graphqlSync({ schema, source: query }) }
  }
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  assert.equal(crm.received.length, 4)
  crm.answer = () => ({ status: 400, body: { errors: [{ message: 'no introspection' }] } })
  const definition = { url: crm.url }
  assert.deepEqual(await trellis.opError('add_remote_schema', { name: 'other', definition }), {
    status: 400,
    body: {
      path: '$.args',
      code: 'remote-schema-error',
      error: `introspection query to ${crm.url} has responded with 400 status code: no introspection`,
      internal: { response: { errors: [{ message: 'no introspection' }] } },
    },
  })
})

test('empty lists in an introspection may be null or missing', async (t) => {
  const { crm, trellis } = await startBoth(t)
  const { __schema } = introspectionFromSchema(buildSchema(newTypes))
  const types = __schema.types.map((type) => {
    if (type.name === 'Query') return { ...type, interfaces: null }
    return type.name === 'Mutation' ? { ...type, interfaces: undefined, fields: null } : type
  })
  crm.answer = () => ({ body: { data: { __schema: { ...__schema, types } } } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  crm.answer = null
  crm.types = newTypes
  const { errors } = await trellis.graphql<{ errors: { message: string }[] }>('mutation { set { id } }')
  assert.equal(errors[0]?.message, `field "set" not found in type: 'mutation_root'`)
  assert.deepEqual(await trellis.graphql('{ find(by: {id: 1}) }'), { data: { find: null } })
})

test('the refusal of an introspection quotes the server, with any status', async (t) => {
  const { crm, trellis } = await startBoth(t)
  const definition = { url: crm.url }
  const refusedWith = async (status: number, body: unknown, said: string) => {
    crm.answer = () => ({ status, body })
    const { status: refused, body: answered } = await trellis.opError('add_remote_schema', { name: 'crm', definition })
    const error = answered as { code: string; error: string; internal?: object }
    const start = `introspection query to ${crm.url} has responded with`
    assert.deepEqual([refused, error.code, error.error], [400, 'remote-schema-error', `${start} ${said}`])
    assert.ok(error.internal)
  }
  const message = 'GraphQL introspection is not allowed by Apollo Server'
  await refusedWith(400, { errors: [{ message, extensions: { code: 'X' } }] }, `400 status code: ${message}`)
  await refusedWith(
    200,
    { errors: [{ message }, { message }, {}, { message: 'two\n lines' }] },
    `an error: ${message}; two lines`,
  )
  await refusedWith(200, { data: null, errors: [{ message }] }, `an error: ${message}`)
  await refusedWith(403, { message: 'Forbidden' }, '403 status code: Forbidden')
  await refusedWith(401, { error: { message: 'no token' } }, '401 status code: no token')
  await refusedWith(401, { error: 'no token', message: 'other' }, '401 status code: no token')
  await refusedWith(500, { errors: ['it is down'] }, '500 status code: it is down')
  await refusedWith(500, { errors: [{ message: 'x'.repeat(600) }] }, `500 status code: ${'x'.repeat(500)}…`)
  await refusedWith(500, { errors: { message: 7 } }, '500 status code')
})

test('the reason of an inconsistent remote schema quotes the server', async (t) => {
  const { crm, trellis } = await startBoth(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  crm.answer = () => ({ body: { errors: [{ message: 'introspection is disabled' }] } })
  const { body } = await trellis.opError('reload_remote_schema', { name: 'crm' })
  assert.match(JSON.stringify(body), /has responded with an error: introspection is disabled/)
})
