import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Apis } from '../../core/engine/apis.ts'
import notes from '../../examples/notes.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

interface Endpoint {
  readonly summary: string
  readonly 'x-edits'?: boolean
  readonly security: readonly object[]
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >
}

interface ApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>
  readonly components: {
    readonly schemas: Readonly<
      Record<
        string,
        { readonly examples?: readonly unknown[]; readonly description?: string; readonly 'x-edits'?: boolean }
      >
    >
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

const documentOf = async ({ request }: Pick<TestTrellis, 'request'>, headers = {}) =>
  (await request<ApiDocument>('/api/openapi.json', { headers })).body

/** The document of a server that was started for it. */
const described = async (t: Parameters<typeof startTrellis>[0], options?: TrellisOptions) =>
  documentOf(await startTrellis(t, options))

const requestsIn = ({ components }: ApiDocument) =>
  Object.keys(components.schemas).filter((name) => name.startsWith('request.'))

function validatorOf(api: ApiDocument): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false })
  ajv.addVocabulary(['openapi', 'info', 'paths', 'components', 'x-result', 'x-plugin', 'x-edits'])
  return ajv.addSchema(api, 'api')
}

test('the document is one of OpenAPI 3.1, in each dialect and with another plugin', async (t) => {
  for (const dialect of ['trellis', 'hasura'] as const) {
    const api = await described(t, { settings: { dialect }, plugins: [notes] })
    const { valid, errors } = await new Validator({ strict: false }).validate(JSON.parse(JSON.stringify(api)))
    assert.ok(valid, JSON.stringify(errors))
    assert.equal(api.openapi, '3.1.0')
  }
})

test('each operation has a valid example and a summary', async (t) => {
  const api = await described(t, { plugins: [notes] })
  const ajv = validatorOf(api)
  const isRequest = ajv.getSchema('api#/components/schemas/Request')!
  for (const name of requestsIn(api)) {
    const { examples, description } = api.components.schemas[name]!
    const isOwn = ajv.getSchema(`api#/components/schemas/${name}`)!
    assert.ok(isOwn(examples?.[0]), `${name}: ${JSON.stringify([examples, isOwn.errors])}`)
    assert.ok(isRequest(examples?.[0]), name)
    if (name !== 'request.add_note') assert.ok(description, name)
  }
})

test('the document tells which requests may change something', async (t) => {
  const { components, paths } = await described(t)
  const edits = (type: string) => components.schemas[`request.${type}`]!['x-edits']
  for (const type of ['track_table', 'run_sql', 'insert', 'redeliver_event', 'test_webhook', 'reload_metadata']) {
    assert.equal(edits(type), true, type)
  }
  for (const type of ['select', 'count', 'export_metadata', 'pg_get_event_logs', 'get_cron_ticks']) {
    assert.equal(edits(type), false, type)
  }
  assert.equal(edits('bulk'), undefined)
  const ofPath = (path: string, method: string) => paths[path]![method]!['x-edits']
  assert.deepEqual(
    [ofPath('/healthz', 'get'), ofPath('/v1alpha1/pg_dump', 'post'), ofPath('/v1/graphql', 'post')],
    [false, true, undefined],
  )
})

test('each endpoint has a summary', async (t) => {
  const { paths } = await described(t, { settings: { enabledApis: [...new Apis(builtInPlugins, null).known] } })
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { summary }] of Object.entries(methods)) {
      assert.notEqual(summary, `${method.toUpperCase()} ${path.replaceAll(/[{](\w+)[}]/g, ':$1')}`)
    }
  }
})

test('a request fits the schema of its type and version alone', async (t) => {
  const ajv = validatorOf(await described(t))
  const isRequest = ajv.getSchema('api#/components/schemas/Request')!
  const right: readonly unknown[] = [
    { type: 'track_table', args: 'book' },
    { type: 'track_table', args: { schema: 'crm', name: 'lead' }, version: 1 },
    { type: 'track_table', args: { table: 'book', configuration: null }, version: 2 },
    {
      type: 'bulk',
      args: [
        { type: 'bulk', args: [] },
        { type: 'export_metadata', args: null },
      ],
    },
  ]
  const wrong: readonly unknown[] = [
    'track_table',
    { type: 'track_table' },
    { args: 'book' },
    { type: 'track_tables', args: 'book' },
    { type: 'track_table', args: 5 },
    { type: 'track_table', args: 'book', version: 2 },
    { type: 'track_table', args: 'book', version: 3 },
    { type: 'set_table_custom_fields', args: { table: 'book' } },
    { type: 'bulk', args: [{ type: 'bulk', args: [{}] }] },
    { type: 'replace_metadata', args: { tables: [], odd: 1 } },
    { type: 'create_delete_permission', args: { table: 'a', role: 'r', permission: { filter: { _and: 1 } } } },
  ]
  for (const request of right) assert.ok(isRequest(request), JSON.stringify(request))
  for (const request of wrong) assert.ok(!isRequest(request), JSON.stringify(request))
})

test('answers and refusals are described', async (t) => {
  const sql = 'create table book (id int primary key)'
  const { request, ...trellis } = await startTrellis(t, { sql, settings: { maxBodySize: 1024 } })
  await trellis.op('track_table', 'book')
  const api = await documentOf({ request })
  const ajv = validatorOf(api)
  const long = { type: 'export_metadata', args: 'x'.repeat(1000) }
  const asked: readonly (readonly [path: string, method: 'get' | 'post', body?: unknown, url?: string])[] = [
    ['/healthz', 'get'],
    ['/livez', 'get'],
    ['/readyz', 'get'],
    ['/v1/version', 'get'],
    ['/v1alpha1/config', 'get'],
    ['/v1/query', 'post', { type: 'export_metadata', args: {} }],
    ['/v1/query', 'post', { type: 'untrack_table', args: 'ship' }],
    ['/v1/query', 'post', long],
    ['/v1/graphql', 'post', { query: '{ book { id } }' }],
    ['/v1/graphql', 'post', [{ query: '{ ship { id } }' }]],
    ['/v1alpha1/graphql', 'post', { query: '{' }],
    ['/v1/graphql/explain', 'post', { query: '{ book { id } }' }],
    ['/v1/graphql/explain', 'post', { query: '{' }],
    ['/api/1/table/{table}/{operation}', 'post', { columns: ['id'] }, '/api/1/table/book/select'],
    ['/api/1/table/{table}/{operation}', 'post', {}, '/api/1/table/book/burn'],
  ]
  for (const [path, method, body, url = path] of asked) {
    const answer = await request(url, { method: method.toUpperCase(), ...(body !== undefined && { body }) })
    const { responses } = api.paths[path]![method]!
    const told = responses[answer.status] ?? responses['default']
    const type = answer.headers.get('content-type')!.split(';')[0]!
    assert.ok(told && type in told.content, `${method} ${url}: ${answer.status} ${type}`)
    const pointer = [
      path,
      method,
      'responses',
      answer.status in responses ? String(answer.status) : 'default',
      'content',
      type,
    ]
    const escaped = pointer.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
    const fits = ajv.getSchema(`api#/paths/${escaped.join('/')}/schema`)!
    assert.ok(fits(answer.body), `${method} ${url}: ${JSON.stringify([answer.body, fits.errors])}`)
  }
})

test('failures of probes and paths are described correctly', async (t) => {
  const { paths } = await described(t)
  const contentOf = (path: string, method: string, status: number) => paths[path]![method]!.responses[status]?.content
  assert.deepEqual(Object.keys(contentOf('/healthz', 'get', 500)!), ['text/plain'])
  const failed = contentOf('/readyz', 'get', 503)!['application/json']!.schema as { properties: object }
  assert.deepEqual(Object.keys(failed.properties), ['status', 'reason'])
  assert.ok(contentOf('/api/1/table/{table}/{operation}', 'post', 404))
})

test('additions of plugins are described, and closed APIs are not', async (t) => {
  const all = await described(t, { plugins: [notes] })
  assert.ok(requestsIn(all).includes('request.add_note'))
  assert.ok('/notes' in all.paths)
  const ajv = validatorOf(all)
  const isNote = ajv.getSchema('api#/components/schemas/request.add_note')!
  assert.ok(isNote({ type: 'add_note', args: { name: 'n', table: 'ship', text: 'x' } }))
  assert.ok(!isNote({ type: 'add_note', args: { name: '', table: 'ship', text: 'x' } }))
  const isDocument = ajv.getSchema('api#/components/schemas/request.replace_metadata/properties/args')!
  const document = { tables: [], notes: [{ name: 'n', table: 'ship', text: 'x' }] }
  assert.ok(isDocument(document))
  assert.ok(!isDocument({ ...document, notes: [{ name: 'n' }] }))
  const few = await described(t, { plugins: [notes], settings: { enabledApis: ['metadata', 'graphql'] } })
  assert.ok(!requestsIn(few).includes('request.add_note'))
  assert.ok(!('/notes' in few.paths) && !('/v1alpha1/config' in few.paths))
  assert.ok('/v1/graphql' in few.paths && '/healthz' in few.paths)
})

test('parameters in paths are described', async (t) => {
  const { paths } = await described(t)
  const { parameters } = paths['/api/1/table/{table}/{operation}']!['post'] as unknown as {
    parameters: { name: string; in: string }[]
  }
  assert.deepEqual(
    parameters.map(({ name, in: place }) => [name, place]),
    [
      ['table', 'path'],
      ['operation', 'path'],
    ],
  )
})

test('the document tells how requests are authenticated', async (t) => {
  const endpoints = ({ paths }: ApiDocument) =>
    [paths['/v1/query']!['post']!, paths['/v1alpha1/config']!['get']!, paths['/v1/version']!['get']!].map(
      ({ security }) => security,
    )
  const open = await described(t)
  assert.deepEqual(endpoints(open), [[{}, { role: [] }], [{}, { role: [] }], []])
  assert.deepEqual(open.components.securitySchemes['role'], {
    type: 'apiKey',
    in: 'header',
    name: 'x-service-role',
    description: 'the role to act as; trusted as it is, since the server has no admin secret',
  })
  const secret = { 'x-service-admin-secret': 'sesame' }
  const locked = await startTrellis(t, { settings: { adminSecret: 'sesame' } })
  const api = await documentOf(locked, secret)
  const byRole = await startTrellis(t, { settings: { adminSecret: 'sesame', unauthorizedRole: 'guest' } })
  assert.deepEqual(endpoints(api), [[{ adminSecret: [] }], [{ adminSecret: [] }], []])
  assert.deepEqual(endpoints(await documentOf(byRole, secret)), [[{ adminSecret: [] }, {}], [{ adminSecret: [] }], []])
  const key = JSON.stringify({ type: 'HS256', key: 'x'.repeat(32) })
  const tokens = await startTrellis(t, { settings: { adminSecret: 'sesame', jwtSecret: key } })
  const withTokens = await documentOf(tokens, secret)
  assert.deepEqual(endpoints(withTokens)[0], [{ adminSecret: [] }, { token: [] }])
  assert.deepEqual(Object.keys(withTokens.components.securitySchemes), ['adminSecret', 'token'])
  assert.ok('401' in withTokens.paths['/v1/query']!['post']!.responses)
})

test('the document is for administrators', async (t) => {
  const { request } = await startTrellis(t, { settings: { adminSecret: 'sesame', unauthorizedRole: 'guest' } })
  const refused = await request('/api/openapi.json')
  assert.deepEqual(
    [refused.status, refused.body],
    [400, { path: '$', error: 'You have to be an admin to access this endpoint', code: 'access-denied' }],
  )
  const wrong = await request('/api/openapi.json', { headers: { 'x-service-admin-secret': 'x' } })
  assert.equal(wrong.status, 401)
  const served = await request('/api/openapi.json', { headers: { 'x-service-admin-secret': 'sesame' } })
  assert.equal(served.status, 200)
  assert.equal(served.headers.get('content-type'), 'application/json; charset=utf-8')
})

test('document and page go with the metadata API', async (t) => {
  const { request } = await startTrellis(t, { settings: { enabledApis: ['graphql', 'config'] } })
  for (const path of ['/api/openapi.json', '/api/openapi']) {
    const { status, body } = await request(path)
    assert.deepEqual([status, body], [404, { path: '$', error: 'resource does not exist', code: 'not-found' }])
  }
})
