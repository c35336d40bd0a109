// The operations on remote schemas, and their refusals.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { testDatabase } from '../support/database.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { startCrm } from './crm.ts'

interface Refusal {
  readonly path: string
  readonly error: string
  readonly code: string
  readonly internal?: unknown
}

async function refused(trellis: TestTrellis, [type, args]: [string, unknown], expected: Refusal, expectedStatus = 400) {
  const { status, body } = await trellis.opError(type, args)
  const { hint: _, internal, ...rest } = body as Refusal & { hint?: string }
  const { internal: wanted, ...others } = expected
  assert.deepEqual([status, rest], [expectedStatus, others])
  if (wanted !== undefined) assert.deepEqual(internal, wanted)
}

const add = (url: string, name = 'crm', more = {}): [string, object] => [
  'add_remote_schema',
  { name, definition: { url, ...more } },
]

async function start(t: TestContext) {
  return { crm: await startCrm(t), trellis: await startLibrary(t) }
}

test('incomplete and contradictory definitions are refused', async (t) => {
  process.env.CRM_BAD_URL = 'no url'
  const { trellis } = await start(t)
  const of = (definition: unknown): [string, unknown] => ['add_remote_schema', { name: 'crm', definition }]
  const url = 'http://127.0.0.1:1/'
  const at = '$.args'
  await refused(trellis, ['add_remote_schema', { name: 'crm' }], {
    path: '$',
    error: "the key 'definition' was not present",
    code: 'parse-failed',
  })
  await refused(trellis, of({ url: 'nowhere' }), {
    path: '$.definition.url',
    error: 'not a valid URI',
    code: 'parse-failed',
  })
  await refused(trellis, of({}), {
    path: at,
    error: "both `url` and `url_from_env` can't be empty",
    code: 'invalid-params',
  })
  await refused(trellis, of({ url, url_from_env: 'X' }), {
    path: at,
    error: "both `url` and `url_from_env` can't be present",
    code: 'invalid-params',
  })
  await refused(trellis, of({ url_from_env: 'NOT_THERE' }), {
    path: at,
    error: "environment variable 'NOT_THERE' not set",
    code: 'invalid-params',
  })
  await refused(trellis, of({ url: 'http://{{NOT_THERE}}:{{NOR_THERE}}/' }), {
    path: at,
    error: 'Value for environment variables not found: NOT_THERE, NOR_THERE',
    code: 'unexpected',
  })
  await refused(trellis, of({ url: '{{CRM_BAD_URL}}/graphql' }), {
    path: at,
    error: 'not a valid URI: no url/graphql',
    code: 'invalid-params',
  })
  await refused(trellis, of({ url: 'ftp://{{CRM_BAD_URL}}/graphql' }), {
    path: '$.definition.url',
    error: 'not a valid URI',
    code: 'parse-failed',
  })
  await refused(trellis, of({ url_from_env: 'CRM_BAD_URL' }), {
    path: at,
    error: 'not a valid URI: no url',
    code: 'invalid-params',
  })
  await refused(trellis, of({ url, headers: [{ name: 'a' }] }), {
    path: '$.definition.headers[0]',
    error: 'expecting value or value_from_env keys',
    code: 'parse-failed',
  })
  await refused(trellis, of({ url, headers: [{ name: 'a', value_from_env: 'NOT_THERE' }] }), {
    path: at,
    error: "environment variable 'NOT_THERE' not set",
    code: 'not-found',
  })
  await refused(trellis, of({ url, headers: [{ name: 'a', value_from_env: 'SERVICE_GRAPHQL_ADMIN_SECRET' }] }), {
    path: '$.definition.headers[0]',
    error:
      'env variables starting with "SERVICE_GRAPHQL_" are not allowed in value_from_env: SERVICE_GRAPHQL_ADMIN_SECRET',
    code: 'parse-failed',
  })
  assert.deepEqual((await trellis.op<{ remote_schemas?: unknown }>('export_metadata', {})).remote_schemas, undefined)
})

test('servers without a valid schema are refused', async (t) => {
  const { crm, trellis } = await start(t)
  const answering = async (answer: { status?: number; body?: unknown }, expected: Omit<Refusal, 'path' | 'code'>) => {
    crm.answer = () => answer
    await refused(trellis, add(crm.url), { path: '$.args', code: 'remote-schema-error', ...expected })
  }
  const responded = (status: number) => `introspection query to ${crm.url} has responded with ${status} status code`
  await answering({ status: 503, body: { sorry: 1 } }, { error: responded(503), internal: { response: { sorry: 1 } } })
  await answering({ status: 500, body: 'oh no' }, { error: responded(500), internal: { raw_body: 'oh no' } })
  await answering({ status: 302 }, { error: responded(302) })
  await answering(
    { body: '[1]' },
    { error: 'Error in $: parsing Object failed, expected Object, but encountered Array' },
  )
  await answering({ body: { errors: [] } }, { error: 'Error in $: key "data" not found' })
  await answering(
    { body: { data: { __schema: { queryType: { name: 'Q' } } } } },
    { error: 'Error in $.data.__schema: key "types" not found' },
  )
  const schema = (text: string, change: (types: Record<string, never>[]) => void) => {
    const { __schema } = structuredClone(introspectionFromSchema(buildSchema(text)))
    change(__schema.types as never)
    return { body: { data: { __schema } } }
  }
  const at = 'Error in $.data.__schema: '
  const query = (types: Record<string, never>[]) => types.find(({ name }) => name === 'Query') as never
  await answering(
    schema('type Query { a: E } enum E { A }', (types) => {
      const { enumValues } = types.find(({ name }) => name === 'E') as never as { enumValues: { name: string }[] }
      enumValues[0]!.name = 'true'
    }),
    { error: `${at}Enum values cannot be named: true` },
  )
  await answering(
    schema('type Query { a: [Int] }', (types) => {
      const { fields } = query(types) as { fields: { type: { ofType: unknown } }[] }
      fields[0]!.type.ofType = null
    }),
    { error: `${at}it is not what introspection gives` },
  )
  await answering(
    schema('type Query { a(b: [Int] = [1]): Int }', (types) => {
      const { fields } = query(types) as { fields: { args: { defaultValue: string }[] }[] }
      fields[0]!.args[0]!.defaultValue = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    }),
    { error: `${at}it is not what introspection gives` },
  )
  await crm.stop()
  const error = `HTTP exception occurred while sending the request to ${crm.url}`
  await refused(trellis, add(crm.url), { path: '$.args', code: 'remote-schema-error', error })
})

test('errors redact the parts of a URL that may be secret', async (t) => {
  const { crm, trellis } = await start(t)
  const secret = (user: string, token: string) => `${crm.url.replace('://', `://${user}@`)}/graphql?token=${token}`
  const url = secret('ada:hidden', 'hidden')
  const shown = secret('redacted:redacted', 'redacted')
  crm.answer = () => ({ status: 503 })
  const responded = `introspection query to ${shown} has responded with 503 status code`
  await refused(trellis, add(url), { path: '$.args', code: 'remote-schema-error', error: responded })
  await crm.stop()
  const { body } = await trellis.opError(...add(url))
  assert.match(JSON.stringify(body), /HTTP exception occurred while sending the request to http:\/\/redacted:redacted@/)
  assert.doesNotMatch(JSON.stringify(body), /hidden|ada:/)
})

test('schemas with invalid types are refused', async (t) => {
  const { crm, trellis } = await start(t)
  const named = (name: string, kind = 'SCALAR') => ({ kind, name, ofType: null })
  const field = (name: string, type: unknown, args: unknown[] = []) => ({ name, type, args, isDeprecated: false })
  const object = (name: string, fields: unknown[], interfaces: unknown[] = []) => ({
    kind: 'OBJECT',
    name,
    fields,
    interfaces,
  })
  const text = { kind: 'SCALAR', name: 'String' }
  const said = async (types: object[], error: string, code = 'remote-schema-error') => {
    const query = object('Query', [field('a', named('String'))])
    const all = [text, { kind: 'SCALAR', name: 'Int' }, ...types]
    const schema = {
      queryType: { name: 'Query' },
      types: types.some((type) => 'name' in type && type.name === 'Query') ? all : [query, ...all],
      directives: [],
    }
    crm.answer = () => ({ body: { data: { __schema: schema } } })
    await refused(trellis, add(crm.url), { path: '$.args', error, code })
  }
  const iface = (fields: unknown[]) => ({ kind: 'INTERFACE', name: 'I', fields, possibleTypes: [] })
  const required = { kind: 'NON_NULL', name: null, ofType: named('Int') }
  const argument = (name: string, type: unknown) => ({ name, type, defaultValue: null })
  await said([{ kind: 'SCALAR', name: 'Query' }], '"Query" has to be an object type', 'unexpected')
  await said([iface([])], "List of fields cannot be empty for interface 'I'")
  await said(
    [{ kind: 'UNION', name: 'U', possibleTypes: [] }],
    "List of member types cannot be empty for union type 'U'",
  )
  await said(
    [{ kind: 'UNION', name: 'U', possibleTypes: [named('X')] }],
    "Could not find type 'X', which is defined as a member type of Union 'U'",
  )
  await said(
    [{ kind: 'UNION', name: 'U', possibleTypes: [named('String')] }],
    "Union type 'U' can only include object types. It cannot include 'String'",
  )
  await said(
    [object('T', [field('f', named('String'))], [named('I')])],
    "Could not find interface 'I' implemented by Object type 'T'",
  )
  await said(
    [iface([field('f', named('String'))]), object('T', [field('g', named('String'))], [named('I')])],
    `Interface field 'I'."f" expected, but 'T' does not provide it`,
  )
  await said(
    [iface([field('f', named('String'))]), object('T', [field('f', named('Int'))], [named('I')])],
    `The type of Object field 'T'."f" (Int) is not the same type/sub type of Interface field 'I'."f" (String)`,
  )
  const withArgument = iface([field('f', named('String'), [argument('a', named('Int'))])])
  await said(
    [withArgument, object('T', [field('f', named('String'))], [named('I')])],
    `Interface field argument 'I'."f"("a":) required, but Object field 'T'."f" does not provide it`,
  )
  await said(
    [withArgument, object('T', [field('f', named('String'), [argument('a', named('String'))])], [named('I')])],
    `Interface field argument 'I'."f"("a":) expects type Int, but 'T'."f"("a":) has type String`,
  )
  await said(
    [
      iface([field('f', named('String'))]),
      object('T', [field('f', named('String'), [argument('a', required)])], [named('I')]),
    ],
    `Object field argument 'T'."f"("a":) is of required type Int!, but is not provided by Interface field 'I'."f"`,
  )
  await said([object('T', [field('f', named('Lost'))])], 'Could not find type with name Lost')
  await said(
    [object('T', [field('f', named('String'), [argument('a', named('T', 'OBJECT'))])])],
    'expected input type, but got output type',
  )
})

test('names that are taken are refused', async (t) => {
  const { crm, trellis } = await start(t)
  crm.types = 'type Query { book: Int }'
  const object = (name: string, reason: string) => [
    { type: 'remote_schema', definition: { name, definition: { url: crm.url }, comment: null }, reason },
  ]
  const overwritten = `Field cannot be overwritten by remote field 'book'`
  await refused(trellis, add(crm.url), {
    path: '$.args',
    code: 'constraint-violation',
    error: overwritten,
    internal: object('crm', overwritten),
  })
  crm.types = 'type Query { a: Int }'
  await trellis.op(...add(crm.url))
  const duplicate = { path: '$.args', code: 'unexpected', error: 'cannot continue due to new inconsistent metadata' }
  await refused(trellis, add(crm.url, 'other'), {
    ...duplicate,
    internal: object('other', `Duplicate remote field 'a'`),
  })
  const [type, args] = add(crm.url, 'other')
  const later = `Inconsistent object: Duplicate remote field 'a'`
  const inVersion2 = await trellis.request('/v1/metadata', { body: { type, args } })
  assert.deepEqual(inVersion2.body, {
    ...{ path: '$.args', error: later, code: 'invalid-configuration' },
    internal: [{ ...object('other', later)[0], name: 'remote_schema other' }],
  })
  const once = JSON.stringify(introspectionFromSchema(buildSchema('type Query { twice: Int }')))
  const twice: { __schema: { types: { name: string; fields: object[] }[] } } = JSON.parse(once)
  const { fields } = twice.__schema.types.find(({ name }) => name === 'Query')!
  fields.push(...fields)
  crm.answer = () => ({ body: { data: twice } })
  await refused(trellis, add(crm.url, 'other'), {
    ...duplicate,
    internal: object('other', `Duplicate remote field 'twice'`),
  })
  crm.answer = null
  await refused(trellis, add(crm.url), {
    path: '$.args',
    code: 'already-exists',
    error: 'remote schema with name "crm" already exists',
  })
  crm.types = 'type Query { c: book } type book { id: Int }'
  const types = 'found conflicting definitions for "book" when collecting types from the schema'
  await refused(trellis, add(crm.url, 'third'), { path: '$.args', code: 'constraint-violation', error: types })
  await trellis.sql('create table a (id int)')
  const taken = {
    path: '$.args',
    code: 'remote-schema-conflicts',
    error: 'node a already exists in current graphql schema',
  }
  await refused(trellis, ['track_table', 'a'], taken)
  const tracked = await trellis.request('/v1/metadata', { body: { type: 'pg_track_table', args: { table: 'a' } } })
  const { internal, ...refusal } = tracked.body as { internal: unknown }
  assert.deepEqual(refusal, {
    ...{ path: '$.args', code: 'unexpected', error: 'cannot continue due to new inconsistent metadata' },
  })
  const overwrites = `Inconsistent object: Field cannot be overwritten by remote field 'a'`
  assert.deepEqual(internal, [{ ...object('crm', overwrites)[0], name: 'remote_schema crm' }])
})

test('equal types of several servers are merged, and different ones are refused', async (t) => {
  const { crm, trellis } = await start(t)
  const other = await startCrm(t, 'type Query { b: Page d: uuid } type Page { next: Int size: Int } scalar uuid')
  crm.types = 'type Query { a: Page e: JSON } type Page { size: Int next: Int } scalar JSON scalar uuid'
  await trellis.sql('create table key (id uuid)')
  await trellis.op('track_table', 'key')
  await trellis.op(...add(crm.url))
  await trellis.op(...add(other.url, 'other'))
  assert.deepEqual(await trellis.graphql('{ a { size } b { next } d }'), { data: { a: null, b: null, d: null } })
  const { data } = await trellis.graphql<{ data: { __schema: { types: { name: string }[] } } }>(
    '{ __schema { types { name } } }',
  )
  const names = data.__schema.types.map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => ['Page', 'uuid', 'JSON'].includes(name)),
    ['JSON', 'Page', 'uuid'],
  )
  const error = 'found conflicting definitions for "Page" when collecting types from the schema'
  const others = ['size: Int', 'size: Int! next: Int', 'size: [Int] next: Int', 'size(of: Int): Int next: Int']
  for (const fields of others) {
    const third = await startCrm(t, `type Query { x: Page } type Page { ${fields} }`)
    await refused(trellis, add(third.url, 'third'), { path: '$.args', code: 'constraint-violation', error })
  }
})

test('operations on a missing remote schema are refused', async (t) => {
  const { trellis } = await start(t)
  const name = { name: 'crm' }
  await refused(trellis, ['remove_remote_schema', name], {
    path: '$.args',
    code: 'not-exists',
    error: 'no such remote schema',
  })
  await refused(trellis, ['reload_remote_schema', name], {
    path: '$.args',
    code: 'not-exists',
    error: 'remote schema with name "crm" does not exist',
  })
  await refused(trellis, ['introspect_remote_schema', name], {
    path: '$.args',
    code: 'not-exists',
    error: 'remote schema: "crm" not found',
  })
})

test('a remote schema is reloaded, updated, introspected, exported, cleared, and replaced', async (t) => {
  const { crm, trellis } = await start(t)
  crm.types = 'type Query { a: Int }'
  const args = {
    name: 'crm',
    comment: 'people',
    definition: { url: crm.url, timeout_seconds: 5, headers: [], forward_client_headers: false },
  }
  await trellis.op('add_remote_schema', args)
  const introspected = await trellis.op<{ data: { __schema: { types: unknown[] } } }>('introspect_remote_schema', {
    name: 'crm',
  })
  assert.ok(introspected.data.__schema.types.length > 0)
  crm.types = 'type Query { b: Int }'
  assert.match(JSON.stringify(await trellis.graphql('{ a }')), /Cannot query field/)
  await trellis.op('reload_remote_schema', { name: 'crm' })
  assert.deepEqual(await trellis.graphql('{ b __typename }'), { data: { b: null, __typename: 'query_root' } })
  const entry = { name: 'crm', definition: { url: crm.url, timeout_seconds: 5 }, comment: 'people' }
  const exported = await trellis.op<{ remote_schemas: unknown[] }>('export_metadata', {})
  assert.deepEqual(exported.remote_schemas, [entry])
  await trellis.op('clear_metadata', {})
  assert.match(JSON.stringify(await trellis.graphql('{ b }')), /not found/)
  await trellis.op('replace_metadata', exported)
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)
  crm.types = 'type Query { c: Int }'
  await trellis.op('update_remote_schema', { name: 'crm', definition: { url: `${crm.url}/other` } })
  assert.deepEqual(await trellis.graphql('{ c __typename }'), { data: { c: null, __typename: 'query_root' } })
  await trellis.op('remove_remote_schema', { name: 'crm' })
  assert.deepEqual((await trellis.op<{ remote_schemas?: unknown }>('export_metadata', {})).remote_schemas, undefined)
})

test('an environment variable may hold the beginning of the URL', async (t) => {
  const crm = await startCrm(t)
  crm.types = 'type Query { a: Int }'
  const [scheme, address] = crm.url.split('://')
  Object.assign(process.env, { CRM_URL: crm.url, CRM_SCHEME: scheme })
  const trellis = await startLibrary(t)
  for (const url of ['{{CRM_URL}}/graphql', '{{ CRM_URL }}', `{{CRM_SCHEME}}://${address}`]) {
    await trellis.op('add_remote_schema', { name: 'crm', definition: { url } })
    assert.deepEqual(await trellis.graphql('{ a }'), { data: { a: null } })
    const { remote_schemas } = await trellis.op<{ remote_schemas: unknown }>('export_metadata', {})
    assert.deepEqual(remote_schemas, [{ name: 'crm', definition: { url } }])
    await trellis.op('remove_remote_schema', { name: 'crm' })
  }
})

test('a reload that breaks other objects is refused, and the old schema is kept', async (t) => {
  const { crm, trellis } = await start(t)
  crm.types = 'type Query { a: Int }'
  await trellis.op(...add(crm.url))
  crm.types = 'type Query { a: Int book: Int }'
  const refusal = {
    path: '$.args',
    code: 'unexpected',
    error: 'cannot continue due to newly found inconsistent metadata',
  }
  await refused(trellis, ['reload_remote_schema', { name: 'crm' }], refusal, 500)
  assert.deepEqual(await trellis.graphql('{ a __typename }'), { data: { a: null, __typename: 'query_root' } })
})

test('a server that is down at the start is inconsistent until it answers', async (t) => {
  const crm = await startCrm(t, 'type Query { a: Int }')
  const database = await testDatabase(t)
  const first = await startTrellis(t, { database })
  crm.answer = () => ({ status: 500 })
  const entry = { name: 'crm', definition: { url: crm.url } }
  const document = { version: 2, tables: [], remote_schemas: [entry] }
  await first.op('replace_metadata', { allow_inconsistent_metadata: true, metadata: document }, { version: 2 })
  const reason = `introspection query to ${crm.url} has responded with 500 status code`
  const inconsistent = [{ type: 'remote_schema', definition: { ...entry, comment: null }, reason }]
  assert.deepEqual(await first.op('get_inconsistent_metadata', {}), inconsistent)
  await first.engine.close()
  const second = await startTrellis(t, { database })
  assert.deepEqual(await second.op('get_inconsistent_metadata', {}), inconsistent)
  crm.answer = null
  for (const began = Date.now(); Date.now() - began < 30_000; await new Promise((done) => setTimeout(done, 100))) {
    if ((await second.op<unknown[]>('get_inconsistent_metadata', {})).length === 0) break
  }
  assert.deepEqual(await second.graphql('{ a __typename }'), { data: { a: null, __typename: 'query_root' } })
})

test('the stored schema is served while a server is down at the start or at a reload', async (t) => {
  const crm = await startCrm(t, 'type Query { a: Int }')
  const database = await testDatabase(t)
  const first = await startTrellis(t, { database })
  await first.op(...add(crm.url))
  await first.engine.close()
  crm.answer = () => ({ status: 500 })
  const trellis = await startTrellis(t, { database })
  const listed = () => trellis.op<unknown[]>('get_inconsistent_metadata', {})
  const until = async (count: number) => {
    for (const began = Date.now(); Date.now() - began < 30_000; await new Promise((done) => setTimeout(done, 50))) {
      if ((await listed()).length === count) return
    }
  }
  await until(1)
  const reason = `introspection query to ${crm.url} has responded with 500 status code`
  const definition = { name: 'crm', definition: { url: crm.url }, comment: null }
  const inconsistent = [{ type: 'remote_schema', definition, reason }]
  assert.deepEqual(await listed(), inconsistent)
  assert.deepEqual(await trellis.graphql('{ __type(name: "query_root") { fields { name } } }'), {
    data: { __type: { fields: [{ name: 'a' }] } },
  })
  crm.answer = null
  await until(0)
  assert.deepEqual(await listed(), [])
  assert.deepEqual(await trellis.graphql('{ a }'), { data: { a: null } })
  crm.answer = () => ({ status: 500 })
  assert.deepEqual(await trellis.op('reload_metadata', { reload_remote_schemas: true }), { message: 'success' })
  assert.deepEqual(await listed(), inconsistent)
  await refused(trellis, ['reload_remote_schema', { name: 'crm' }], {
    path: '$.args',
    code: 'remote-schema-error',
    error: reason,
  })
  crm.answer = null
  await trellis.op('reload_remote_schema', { name: 'crm' })
  assert.deepEqual(await listed(), [])
})

test('an inconsistent remote schema can be reloaded and removed', async (t) => {
  const { crm, trellis } = await start(t)
  crm.answer = () => ({ status: 500 })
  const document = { version: 2, tables: [], remote_schemas: [{ name: 'crm', definition: { url: crm.url } }] }
  const metadata = { allow_inconsistent_metadata: true, metadata: document }
  await trellis.op('replace_metadata', metadata, { version: 2 })
  await refused(trellis, add(crm.url), {
    path: '$.args',
    code: 'already-exists',
    error: 'remote schema with name "crm" already exists',
  })
  crm.answer = null
  await trellis.op('reload_metadata', { reload_remote_schemas: true })
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
  await trellis.op('remove_remote_schema', { name: 'crm' })
})

test('inconsistent remote schemas are dropped with their dependents', async (t) => {
  const { crm, trellis } = await start(t)
  crm.answer = () => ({ status: 500 })
  const remote_relationships = [
    {
      name: 'author',
      definition: {
        remote_schema: 'crm',
        service_fields: ['id'],
        remote_field: { user: { arguments: { id: '$id' } } },
      },
    },
  ]
  const metadata = {
    ...{ version: 2, tables: [{ table: 'book', remote_relationships }] },
    remote_schemas: [{ name: 'crm', definition: { url: crm.url } }],
  }
  await trellis.op('replace_metadata', { allow_inconsistent_metadata: true, metadata }, { version: 2 })
  const objects = await trellis.op<{ type: string }[]>('get_inconsistent_metadata', {})
  assert.deepEqual(objects.map(({ type }) => type).sort(), ['remote_relationship', 'remote_schema'])
  await trellis.op('drop_inconsistent_metadata', {})
  const table = { table: { schema: 'public', name: 'book' } }
  assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables: [table] })
  const { body } = await trellis.opError('replace_metadata', metadata)
  assert.equal((body as Refusal).error, 'cannot continue due to inconsistent metadata')
})

test('a document with the same name twice is refused', async (t) => {
  const { crm, trellis } = await start(t)
  const entry = { name: 'crm', definition: { url: crm.url } }
  const twice = { version: 2, tables: [], remote_schemas: [entry, entry] }
  const error = 'multiple declarations exist for the following remote schemas : "crm"'
  await refused(trellis, ['replace_metadata', twice], { path: '$.args.remote_schemas', code: 'already-exists', error })
  const permission = { role: 'clerk', definition: { schema: '*' } }
  const permissions = { version: 2, tables: [], remote_schemas: [{ ...entry, permissions: [permission, permission] }] }
  await refused(trellis, ['replace_metadata', permissions], {
    path: '$.args.remote_schemas[0]',
    code: 'already-exists',
    error: 'multiple declarations exist for the following remote schema permissions : "clerk"',
  })
})
