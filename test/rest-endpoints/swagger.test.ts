import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table author (id int primary key, name text not null, token uuid, notes jsonb, parent_id int references author);
  insert into author values (1, 'Ann')`

const queries = {
  list: `query ($where: author_bool_exp = {}, $limit: Int = 10, $ids: [Int!]) {
    author(where: {_and: [$where, {id: {_in: $ids}}]}, limit: $limit) { ...names parent { names: name } parent { id } }
  } fragment names on author { id name token notes }`,
  one: 'query ($id: Int!) { author_by_pk(id: $id) { name __typename } }',
  add: 'mutation ($row: author_insert_input!, $note: String!) { insert_author_one(object: $row) { id } update_author(where: {name: {_eq: $note}}, _set: {name: $note}) { affected_rows } }',
  gone: '{ nothing { id } }',
}

const endpoint = (name: keyof typeof queries, url: string, methods: readonly string[]) => ({
  ...{ name, url, methods },
  definition: { query: { collection_name: 'stored', query_name: name } },
})

interface Operation {
  readonly summary: string
  readonly description: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: { readonly required: boolean; readonly content: object }
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { schema: object }>> }>>
  readonly security?: readonly object[]
}

interface Described {
  readonly openapi: string
  readonly info: object
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas?: Readonly<Record<string, { readonly properties: object }>> }
}

test('endpoints are described by OpenAPI, for administrators', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: { adminSecret: 'sesame', unauthorizedRole: 'guest' } })
  const headers = { 'x-service-admin-secret': 'sesame' }
  const asked = async (path: string) => (await trellis.request<Described>(path, { headers })).body
  assert.deepEqual(await asked('/api/swagger/json'), {
    openapi: '3.0.0',
    info: { version: '', title: 'Rest Endpoints' },
    components: {},
  })
  await trellis.op('track_table', 'author', { headers })
  const parent = { table: 'author', name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }
  await trellis.op('create_object_relationship', parent, { headers })
  const definition = { queries: Object.entries(queries).map(([name, query]) => ({ name, query })) }
  await trellis.op('create_query_collection', { name: 'stored', definition }, { headers })
  const endpoints = [
    endpoint('list', 'authors', ['GET', 'POST']),
    { ...endpoint('one', 'authors/:id', ['GET']), comment: 'one author' },
    endpoint('add', 'authors', ['PUT']),
    endpoint('gone', 'gone', ['GET']),
  ]
  const calls = endpoints.map((args) => ({ type: 'create_rest_endpoint', args }))
  await trellis.op('bulk', calls, { headers })
  const document = await asked('/api/swagger/json')
  const { valid, errors } = await new Validator({ strict: false }).validate(JSON.parse(JSON.stringify(document)))
  assert.ok(valid, JSON.stringify(errors))

  await t.test('a path with variables', () => {
    const { get } = document.paths!['/api/rest/authors/{id}']!
    assert.equal(get!.summary, 'one')
    assert.equal(
      get!.description,
      `one author\n***\nThe GraphQL query of this endpoint is:\n\`\`\` graphql\n${queries.one}\n\`\`\``,
    )
    assert.deepEqual(
      get!.parameters.map(({ name, in: place, schema }) => [name, place, schema]),
      [
        ['x-service-admin-secret', 'header', { type: 'string' }],
        ['id', 'path', { title: 'Int', type: 'integer', nullable: false }],
      ],
    )
    assert.deepEqual(get!.responses['200']!.content['application/json']!.schema, {
      type: 'object',
      properties: {
        author_by_pk: {
          title: 'author',
          type: 'object',
          properties: {
            name: { title: 'String', type: 'string', nullable: false },
            __typename: { title: 'String', type: 'string', nullable: false },
          },
          nullable: true,
        },
      },
    })
  })

  await t.test('variables in the query string and the body, and the types of fields', () => {
    const { get, post } = document.paths!['/api/rest/authors']!
    assert.deepEqual(
      get!.parameters.slice(1).map(({ name, schema }) => [name, schema]),
      [
        ['limit', { title: 'Int', type: 'integer', nullable: true, default: 10 }],
        ['ids', { type: 'array', items: { title: 'Int', type: 'integer', nullable: false }, nullable: true }],
      ],
    )
    assert.equal(get!.requestBody, undefined)
    const properties = {
      where: { $ref: '#/components/schemas/author_bool_exp' },
      limit: { title: 'Int', type: 'integer', nullable: true, default: 10 },
      ids: { type: 'array', items: { title: 'Int', type: 'integer', nullable: false }, nullable: true },
    }
    assert.deepEqual(post!.requestBody!.content, { 'application/json': { schema: { type: 'object', properties } } })
    assert.equal(post!.requestBody!.required, false)
    assert.ok('_and' in document.components.schemas!['author_bool_exp']!.properties)
    const { schema } = get!.responses['200']!.content['application/json']!
    const { items } = Object(schema).properties.author
    assert.deepEqual(items.properties.token, {
      title: 'uuid',
      type: 'string',
      pattern: '[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89aAbB][a-f0-9]{3}-[a-f0-9]{12}',
      nullable: true,
    })
    assert.deepEqual(items.properties.notes, { title: 'jsonb', nullable: true })
    assert.deepEqual(Object.keys(items.properties.parent.properties), ['names', 'id'])
  })

  await t.test('a mutation whose variable must be in the body', () => {
    const { put } = document.paths!['/api/rest/authors']!
    assert.equal(put!.requestBody!.required, true)
    assert.deepEqual(put!.parameters.slice(1), [
      {
        schema: { title: 'String', type: 'string', nullable: false },
        in: 'query',
        name: 'note',
        description: '_"note" is required (enter it either in parameters or request body)_',
      },
    ])
  })

  await t.test('an endpoint whose query no longer fits the schema is left out', () => {
    assert.equal(document.paths!['/api/rest/gone'], undefined)
    assert.deepEqual(document.info, {
      version: '',
      title: 'Rest Endpoints',
      description: 'These endpoints are inconsistent, and not described: gone',
    })
  })

  await t.test('the document of the server contains them', async () => {
    const whole = await asked('/api/openapi.json')
    const checked = await new Validator({ strict: false }).validate(JSON.parse(JSON.stringify(whole)))
    assert.ok(checked.valid, JSON.stringify(checked.errors))
    const { get } = whole.paths!['/api/rest/authors/{id}']!
    assert.deepEqual(get!.security, [{ adminSecret: [] }, {}])
    assert.ok(get!.responses['401'])
    assert.ok(whole.components.schemas!['rest.author_bool_exp'])
    await trellis.op('drop_rest_endpoint', { name: 'one' }, { headers })
    assert.equal((await asked('/api/openapi.json')).paths!['/api/rest/authors/{id}'], undefined)
  })

  const refused = await trellis.request('/api/swagger/json')
  assert.deepEqual([refused.status, Object(refused.body).code], [400, 'access-denied'])
})

test('characters with a meaning in URLs are escaped in described paths, which answer', async (t) => {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'author')
  const definition = { queries: [{ name: 'list', query: '{ author { id } }' }] }
  await trellis.op('create_query_collection', { name: 'stored', definition })
  const urls = ['a b', 'a?b=1', 'a#b', 'a/{b}', '100%', 'é', 'a:b@c']
  for (const url of urls) await trellis.op('create_rest_endpoint', { ...endpoint('list', url, ['GET']), name: url })
  const { body } = await trellis.request<Described>('/api/swagger/json')
  const paths = ['a%20b', 'a%3Fb=1', 'a%23b', 'a/%7Bb%7D', '100%25', '%C3%A9', 'a:b@c']
  assert.deepEqual(Object.keys(body.paths ?? {}).sort(), paths.map((path) => `/api/rest/${path}`).sort())
  const checked = await new Validator({ strict: false }).validate(JSON.parse(JSON.stringify(body)))
  assert.deepEqual(checked.errors, undefined)
  for (const path of Object.keys(body.paths ?? {})) {
    const answer = await trellis.request(path)
    assert.deepEqual([answer.status, answer.body], [200, { author: [{ id: 1 }] }], path)
  }
})

test('interface 2 describes endpoints in its own words', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: { graphqlInterface: '2' } })
  await trellis.op('track_table', 'author')
  const definition = { queries: [{ name: 'one', query: queries.one }] }
  await trellis.op('create_query_collection', { name: 'stored', definition })
  await trellis.op('create_rest_endpoint', endpoint('one', 'author', ['POST']))
  const { body } = await trellis.request<Described>('/api/swagger/json')
  const { post } = body.paths!['/api/rest/author']!
  assert.deepEqual(
    {
      description: post!.description,
      secret: Object(post!.parameters[0]).description,
      body: Object(post!.requestBody).description,
      hasId: 'operationId' in post!,
    },
    {
      description: `***\nThe GraphQl query for this endpoint is:\n\`\`\` graphql\n${queries.one}\n\`\`\``,
      secret: 'Your x-service-admin-secret will be used for authentication of the API request.',
      body: 'Query parameters can also be provided in the request body as a JSON object',
      hasId: false,
    },
  )
})
