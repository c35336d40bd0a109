// Documents of format 3: they are exported unchanged, and parts that are not served are kept and listed.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import type { Metadata } from 'hasura-metadata-types'
import { atEnd } from '../support/cleanup.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create table writer (id int primary key, name text);
  create table book (id int primary key, writer_id int references writer, title text);
  create function search_books(term text) returns setof book language sql stable
    as 'select * from book where title ilike term';
  create function writer_label(writer) returns text language sql stable as 'select $1.name'`

/** Keys of a table that the types of tools lack. */
const laterKeys = (url: string): object => ({
  event_triggers: [
    {
      name: 'told',
      definition: { enable_manual: false, insert: { columns: '*' } },
      retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
      webhook: url,
      cleanup_config: {
        schedule: '0 0 * * *',
        clear_older_than: 168,
        batch_size: 10000,
        timeout: 60,
        clean_invocation_logs: false,
        paused: false,
      },
    },
  ],
  apollo_federation_config: { enable: 'v1' },
})

/** Settings of a source that the types of tools lack. */
const laterSettings: object = {
  query_tags: { disabled: false, format: 'sqlcommenter' },
  health_check: { interval: 60, test: { sql: 'select 1' } },
}

/** Relationships of a remote schema: the package of types has another shape, which the engines do not write. */
const ofEchoes = [
  {
    type_name: 'Echo',
    relationships: [
      {
        name: 'again',
        definition: {
          to_remote_schema: {
            remote_schema: 'echoes',
            lhs_fields: ['title'],
            remote_field: { echo: { arguments: { text: '$title' } } },
          },
        },
      },
      {
        name: 'book',
        definition: {
          to_source: {
            relationship_type: 'object',
            source: 'library',
            table: { schema: 'public', name: 'book' },
            field_mapping: { title: 'title' },
          },
        },
      },
    ],
  },
]

/**
 * A document of format 3 in the order of exports, with every key that documents have. The compiler checks that it fits the
 * types of other people's tools.
 */
const whole = (url: string) => {
  const document: Metadata['metadata'] & { readonly metrics_config: object } = {
    version: 3,
    sources: [
      {
        name: 'library',
        kind: 'postgres',
        tables: [
          {
            table: { schema: 'public', name: 'book' },
            configuration: { custom_root_fields: { select: 'books' }, custom_column_names: {}, comment: 'All of them' },
            object_relationships: [{ name: 'writer', using: { foreign_key_constraint_on: 'writer_id' } }],
            remote_relationships: [
              {
                name: 'echo',
                definition: {
                  to_remote_schema: {
                    remote_schema: 'echoes',
                    lhs_fields: ['title'],
                    remote_field: { echo: { arguments: { text: '$title' } } },
                  },
                },
              },
              {
                name: 'same_writer',
                definition: {
                  to_source: {
                    relationship_type: 'array',
                    source: 'library',
                    table: { schema: 'public', name: 'book' },
                    field_mapping: { writer_id: 'writer_id' },
                  },
                },
              },
            ],
            insert_permissions: [{ role: 'reader', permission: { check: {}, columns: ['id', 'title'] } }],
            select_permissions: [{ role: 'reader', permission: { columns: ['id', 'title'], filter: {} } }],
            update_permissions: [{ role: 'reader', permission: { columns: ['title'], filter: {}, check: {} } }],
            delete_permissions: [{ role: 'reader', permission: { filter: {} } }],
            ...laterKeys(url),
          },
          {
            table: { schema: 'public', name: 'writer' },
            configuration: { custom_root_fields: {}, custom_column_names: {}, column_config: {} },
            array_relationships: [
              {
                name: 'books',
                using: {
                  foreign_key_constraint_on: { table: { schema: 'public', name: 'book' }, column: 'writer_id' },
                },
              },
            ],
            computed_fields: [{ name: 'label', definition: { function: { schema: 'public', name: 'writer_label' } } }],
          },
        ],
        functions: [
          { function: { schema: 'public', name: 'search_books' }, configuration: { custom_root_fields: {} } },
        ],
        native_queries: [
          { root_field_name: 'recent', code: 'select 1', returns: 'recent', type: 'query', arguments: {} },
        ],
        logical_models: [{ name: 'recent', fields: [{ name: 'id', type: { scalar: 'integer', nullable: false } }] }],
        configuration: {
          connection_info: {
            database_url: { from_env: 'PG_DATABASE_URL' },
            isolation_level: 'read-committed',
            pool_settings: { connection_lifetime: 600, idle_timeout: 180, max_connections: 50, retries: 1 },
            use_prepared_statements: true,
          },
        },
        customization: { root_fields: { namespace: 'shop', prefix: 'a_' }, type_names: { suffix: '_z' } },
        ...laterSettings,
      },
    ],
    remote_schemas: [
      {
        name: 'echoes',
        definition: { url, timeout_seconds: 60, customization: {} },
        remote_relationships: ofEchoes as never,
      },
    ],
    query_collections: [
      { name: 'kept', definition: { queries: [{ name: 'all', query: '{ shop { a_books { id } } }' }] } },
    ],
    allowlist: [{ collection: 'kept', scope: { global: true } }],
    actions: [
      {
        name: 'greet',
        definition: {
          handler: url,
          output_type: 'Greeting',
          forward_client_headers: true,
          arguments: [{ name: 'name', type: 'String!' }],
          type: 'query',
        },
      },
    ],
    custom_types: {
      objects: [
        {
          name: 'Greeting',
          fields: [{ name: 'text', type: 'String!' }],
          relationships: [
            {
              name: 'namesakes',
              type: 'array',
              remote_table: { schema: 'public', name: 'writer' },
              field_mapping: { text: 'name' },
              source: 'library',
            },
          ],
        },
      ],
    },
    cron_triggers: [
      {
        name: 'nightly',
        webhook: url,
        schedule: '0 3 * * *',
        include_in_metadata: true,
        payload: { deep: [1, 'two', null] },
        headers: [{ name: 'x-from', value: 'cron' }],
      },
    ],
    rest_endpoints: [
      {
        name: 'all',
        url: 'books',
        methods: ['GET'],
        definition: { query: { collection_name: 'kept', query_name: 'all' } },
        comment: '',
      },
    ],
    api_limits: { disabled: false, depth_limit: { global: 7, per_role: {} } },
    metrics_config: { analyze_query_variables: true },
    inherited_roles: [{ role_name: 'both', role_set: ['reader', 'writer'] }],
    graphql_schema_introspection: { disabled_for_roles: ['reader'] },
    network: { tls_allowlist: [{ host: 'localhost', suffix: '443' }] },
    opentelemetry: {
      status: 'enabled',
      data_types: ['traces'],
      exporter_otlp: { headers: [], protocol: 'http/protobuf', resource_attributes: [], traces_propagators: ['b3'] },
      batch_span_processor: { max_export_batch_size: 512 },
    },
    backend_configs: { dataconnector: { athena: { uri: 'http://localhost' } } },
  }
  return document
}

const introspected = `{"data":{"__schema":{"queryType":{"name":"Query"},"mutationType":null,"subscriptionType":null,"types":[
  {"kind":"SCALAR","name":"String"},
  {"kind":"OBJECT","name":"Query","interfaces":[],"fields":[{"name":"echo","type":{"kind":"SCALAR","name":"String"},
    "args":[{"name":"text","type":{"kind":"SCALAR","name":"String"}}]}]},
  {"kind":"OBJECT","name":"Echo","interfaces":[],"fields":[{"name":"title","type":{"kind":"SCALAR","name":"String"},"args":[]}]}],
  "directives":[]}}}`

const ask = async ({ request }: TestTrellis, type: string, args: unknown, extra: object = {}) =>
  request('/v1/metadata', { body: { type, args, ...extra } })

test('a document with every key is exported unchanged, byte for byte', async (t) => {
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(introspected))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => server.close())
  const { port } = server.address() as { port: number }
  const trellis = await startTrellis(t, { sql })
  const document = whole(`http://127.0.0.1:${port}/`)
  const given = { allow_inconsistent_metadata: true, metadata: document }
  const answer = await ask(trellis, 'replace_metadata', given)
  const { is_consistent, inconsistent_objects } = answer.body as {
    is_consistent: boolean
    inconsistent_objects: { type: string; reason: string }[]
  }
  assert.equal(is_consistent, false)
  const keys = [
    ...['apollo_federation_config', 'native_queries', 'logical_models', 'health_check'],
    ...['metrics_config', 'opentelemetry', 'backend_configs'],
  ]
  assert.deepEqual(inconsistent_objects.map(({ type }) => type).sort(), keys.sort())
  const exported = await ask(trellis, 'export_metadata', {})
  assert.equal(exported.text, JSON.stringify(document))
  const again = await startTrellis(t, { sql: '', database: trellis.database })
  assert.equal((await ask(again, 'export_metadata', {})).text, JSON.stringify(document))

  await t.test('all that is not served can be dropped', async () => {
    assert.deepEqual((await ask(again, 'drop_inconsistent_metadata', {})).body, { message: 'success' })
    const left = (await ask(again, 'export_metadata', {})).body as { sources: object[] }
    assert.deepEqual(Object.keys(left.sources[0]!), [
      ...['name', 'kind', 'tables', 'functions', 'configuration', 'customization', 'query_tags'],
    ])
    const others = ['api_limits', 'inherited_roles', 'graphql_schema_introspection', 'network']
    const served = [...Object.keys(document).slice(1, 9), ...others]
    assert.deepEqual(Object.keys(left).slice(1), served)
  })
})

test('forms that consoles and other tools write are understood', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const action = { handler: 'http://127.0.0.1:1', output_type: 'Int', kind: '', type: 'mutation' }
  const permission = { columns: ['title'], check: {}, filter: {}, computed_fields: [] }
  const { filter: _, ...insert } = permission
  const book = {
    table: { schema: 'public', name: 'book' },
    insert_permissions: [{ role: 'reader', permission: insert }],
    update_permissions: [{ role: 'reader', permission }],
  }
  const document = {
    version: 3,
    sources: [{ name: 'default', kind: 'postgres', tables: [book] }],
    actions: [{ name: 'count', definition: action }],
  }
  assert.deepEqual((await ask(trellis, 'replace_metadata', document)).body, { message: 'success' })
  const exported = (await trellis.op('export_metadata', {})) as unknown as typeof document
  assert.equal(exported.actions[0]!.definition.kind, 'synchronous')
})

/** Members that say nothing, defaults that are written out, and other orders and spellings than those of exports. */
const spelledOut = {
  sources: [
    {
      kind: 'postgres',
      name: 'library',
      functions: [
        { function: 'search_books', configuration: {}, permissions: [], comment: null },
        { function: { schema: 'public', name: 'all_books' }, configuration: { custom_name: null, response: null } },
      ],
      tables: [
        {
          table: { name: 'writer', schema: 'public' },
          is_enum: false,
          configuration: { custom_column_names: {}, custom_root_fields: {}, column_config: {} },
          object_relationships: [],
          array_relationships: [
            {
              using: { foreign_key_constraint_on: { column: 'writer_id', table: { schema: 'public', name: 'book' } } },
              name: 'books',
              comment: null,
            },
          ],
        },
        {
          table: 'book',
          insert_permissions: [
            { role: 'reader', permission: { columns: [], check: {}, set: {}, backend_only: false }, comment: '' },
            { role: 'editor', permission: { columns: '*', check: {}, set: {} } },
          ],
          select_permissions: [
            {
              role: 'reader',
              permission: { columns: ['id'], computed_fields: [], filter: {}, allow_aggregations: false },
            },
          ],
          update_permissions: [
            { role: 'reader', permission: { columns: ['title'], filter: {}, check: null, set: {} } },
          ],
          delete_permissions: [{ role: 'reader', permission: { filter: {}, backend_only: false } }],
          event_triggers: [
            {
              name: 'told',
              definition: { enable_manual: true, insert: { columns: '*' }, update: null, delete: null },
              retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
              webhook: 'http://127.0.0.1:1/',
              headers: [],
            },
          ],
        },
      ],
      logical_models: [],
      native_queries: null,
      configuration: { connection_info: { database_url: { from_env: 'PG_DATABASE_URL' }, pool_settings: null } },
      customization: {},
    },
  ],
  version: 3,
  remote_schemas: [],
  actions: [
    {
      name: 'greet',
      definition: {
        kind: 'synchronous',
        handler: 'http://127.0.0.1:1/',
        type: 'mutation',
        arguments: [],
        headers: [],
        forward_client_headers: false,
        timeout: 30,
        output_type: 'Int',
      },
      permissions: [],
      comment: null,
    },
  ],
  custom_types: {
    input_objects: [],
    objects: [{ name: 'Pair', fields: [{ name: 'a', type: 'Int!' }], relationships: [] }],
  },
  cron_triggers: [
    {
      name: 'nightly',
      webhook: 'http://127.0.0.1:1/',
      schedule: '0 3 * * *',
      include_in_metadata: true,
      payload: {},
      headers: [],
      retry_conf: { num_retries: 0, timeout_seconds: 60, tolerance_seconds: 21600, retry_interval_seconds: 10 },
      comment: null,
    },
  ],
  query_collections: [
    { name: 'second', definition: { queries: [] }, comment: null },
    { name: 'first', definition: { queries: [] } },
  ],
  allowlist: [],
  rest_endpoints: [],
  api_limits: { disabled: false },
  inherited_roles: null,
  network: { tls_allowlist: [] },
  graphql_schema_introspection: { disabled_for_roles: [] },
  metrics_config: {},
}

test('a document is exported as it was given, and a change leaves all other members', async (t) => {
  const all = `create function all_books() returns setof book language sql stable as 'select * from book'`
  const trellis = await startTrellis(t, { sql: `${sql}; ${all}` })
  const exported = async () => (await ask(trellis, 'export_metadata', {})).text
  assert.deepEqual((await ask(trellis, 'replace_metadata', spelledOut)).body, { message: 'success' })
  assert.equal(await exported(), JSON.stringify(spelledOut))
  const again = await startTrellis(t, { sql: '', database: trellis.database })
  assert.equal((await ask(again, 'export_metadata', {})).text, JSON.stringify(spelledOut))

  type Table = { table: object; select_permissions?: object[]; insert_permissions?: object[] }
  const changed = structuredClone(spelledOut) as unknown as Record<string, object[] | object>
  const source = (changed['sources'] as { tables: Table[] }[])[0]!
  const collections = changed['query_collections'] as object[]
  const steps: [type: string, args: object, expect: () => void][] = [
    ['pg_set_table_is_enum', { table: 'writer', is_enum: false }, () => {}],
    [
      'pg_track_table',
      { table: { schema: 'public', name: 'kind' } },
      () => source.tables.push({ table: { schema: 'public', name: 'kind' } }),
    ],
    [
      'pg_create_select_permission',
      { table: 'book', role: 'editor', permission: { columns: '*', filter: {} } },
      () => source.tables[1]!.select_permissions!.unshift({ role: 'editor', permission: { columns: '*', filter: {} } }),
    ],
    ['pg_drop_insert_permission', { table: 'book', role: 'editor' }, () => source.tables[1]!.insert_permissions!.pop()],
    [
      'create_query_collection',
      { name: 'third', definition: { queries: [] } },
      () => {
        collections.splice(1, 0, { name: 'third', definition: { queries: [] } })
      },
    ],
    ['drop_query_collection', { collection: 'first', cascade: false }, () => collections.pop()],
    [
      'add_host_to_tls_allowlist',
      { host: 'localhost' },
      () => {
        changed['network'] = { tls_allowlist: [{ host: 'localhost' }] }
      },
    ],
    ['delete_cron_trigger', { name: 'nightly' }, () => delete changed['cron_triggers']],
  ]
  await trellis.sql('create table kind (id int primary key)')
  for (const [type, args, expect] of steps) {
    const answer = await ask(trellis, type, args)
    assert.equal(answer.status, 200, answer.text)
    expect()
    assert.equal(await exported(), JSON.stringify(changed), type)
  }
  // A rename changes names within a text, which is then written anew.
  await ask(trellis, 'rename_source', { name: 'library', new_name: 'main' })
  const renamed = (await ask(trellis, 'export_metadata', {})).body as { sources: { name: string; tables: object[] }[] }
  assert.equal(renamed.sources[0]!.name, 'main')
  assert.equal((await trellis.op<{ tables: object[] }>('export_metadata', {})).tables.length, 3)
})

test('entries of the allow-list have their scope, and can be dropped by name', async (t) => {
  const trellis = await startTrellis(t)
  await ask(trellis, 'create_query_collection', { name: 'kept', definition: { queries: [] } })
  await ask(trellis, 'add_collection_to_allowlist', { collection: 'kept' })
  const { allowlist } = (await ask(trellis, 'export_metadata', {})).body as { allowlist: unknown }
  assert.deepEqual(allowlist, [{ collection: 'kept', scope: { global: true } }])
  assert.deepEqual((await trellis.op<{ allowlist: unknown }>('export_metadata', {})).allowlist, [
    { collection: 'kept' },
  ])
  assert.equal((await ask(trellis, 'drop_collection_from_allowlist', { collection: 'kept' })).status, 200)
  const { status, body } = await ask(trellis, 'drop_collection_from_allowlist', { collection: 'kept' })
  assert.deepEqual(
    { status, body },
    {
      status: 400,
      body: { path: '$.args', error: `collection "kept" doesn't exist in the allowlist`, code: 'not-found' },
    },
  )
})

test('a document of format 2 is exported as 2 and as 3, and both can be imported', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const tables = [{ table: { schema: 'public', name: 'book' } }]
  const inherited_roles = [{ role_name: 'both', role_set: ['a', 'b'] }]
  const second = { version: 2, tables, inherited_roles }
  await trellis.op('replace_metadata', second)
  assert.deepEqual(await trellis.op('export_metadata', {}), second)
  const configuration = { connection_info: { database_url: { from_env: 'SERVICE_GRAPHQL_DATABASE_URL' } } }
  const third = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables, configuration }], inherited_roles }
  assert.deepEqual((await ask(trellis, 'export_metadata', {})).body, third)
  const versioned = (await ask(trellis, 'export_metadata', {}, { version: 2 })).body as { resource_version: number }
  assert.deepEqual(versioned, { resource_version: versioned.resource_version, metadata: third })
  await trellis.op('replace_metadata', third)
  assert.deepEqual(await trellis.op('export_metadata', {}), second)
  assert.deepEqual((await ask(trellis, 'export_metadata', {})).body, third)
  await trellis.op('replace_metadata', versioned)
  assert.deepEqual(await trellis.op('export_metadata', {}), second)
})

test('the name and the connection of the source are kept when all metadata are cleared', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const configuration = { connection_info: { database_url: 'postgres://elsewhere/x' } }
  const source = { name: 'main', kind: 'pg', tables: [], configuration }
  await ask(trellis, 'replace_metadata', { version: 3, sources: [source], backend_configs: { x: 1 } })
  await ask(trellis, 'clear_metadata', {})
  assert.deepEqual((await ask(trellis, 'export_metadata', {})).body, { version: 3, sources: [source] })
})

test('the customization and the query tags of the source go when all metadata are cleared', async (t) => {
  const trellis = await startTrellis(t, { sql: 'create table news_item (id int)' })
  const source = {
    name: 'main',
    kind: 'postgres',
    tables: [{ table: { schema: 'public', name: 'news_item' } }],
    configuration: {},
  }
  const customized = {
    ...source,
    customization: { root_fields: { prefix: 'a_' }, naming_convention: 'graphql-default' },
    query_tags: { disabled: true },
  }
  await ask(trellis, 'replace_metadata', { version: 3, sources: [customized] })
  assert.deepEqual(await trellis.graphql('{ a_newsItem { id } }'), { data: { a_newsItem: [] } })
  await ask(trellis, 'clear_metadata', {})
  const cleared = { ...source, tables: [] }
  assert.deepEqual((await ask(trellis, 'export_metadata', {})).body, { version: 3, sources: [cleared] })
  await ask(trellis, 'pg_track_table', { table: 'news_item', source: 'main' })
  assert.deepEqual(await trellis.graphql('{ news_item { id } }'), { data: { news_item: [] } })
})

test('interface 2 exports format 3 everywhere', async (t) => {
  const trellis = await startTrellis(t, { settings: { graphqlInterface: '2', dialect: 'hasura' } })
  const exported = await trellis.op<{ version: number; sources: { configuration: unknown }[] }>('export_metadata', {})
  assert.equal(exported.version, 3)
  assert.deepEqual(exported.sources[0]!.configuration, {
    connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } },
  })
  const listed = { collection: 'kept', scope: { global: true } }
  const query_collections = [{ name: 'kept', definition: { queries: [] } }]
  const metadata = { version: 3, sources: [], query_collections, allowlist: [listed, listed] }
  assert.deepEqual((await ask(trellis, 'replace_metadata', { metadata })).body, {
    path: '$.args.metadata',
    error: 'multiple declarations exist for the following allowlist entries: kept',
    code: 'parse-failed',
  })
})

test('objects that a document of format 3 holds twice are refused', async (t) => {
  const trellis = await startTrellis(t, { sql, settings: { graphqlInterface: '2' } })
  const book = { table: 'book' }
  const action = { name: 'order', definition: { handler: 'http://127.0.0.1:1', output_type: 'Int' } }
  const source = { name: 'default', kind: 'postgres', configuration: {} }
  const relationship = { name: 'same', using: { foreign_key_constraint_on: 'id' } }
  const permission = { role: 'reader', permission: { columns: '*', filter: {} } }
  const withTwice = (key: string, entry: object) => ({
    sources: [{ ...source, tables: [{ ...book, [key]: [entry, entry] }] }],
  })
  for (const [metadata, path, names] of [
    [{ sources: [{ ...source, tables: [book, book] }] }, '.sources[0]', 'tables: book'],
    [{ sources: [{ ...source, tables: [] }], actions: [action, action] }, '', 'actions: order'],
    [withTwice('object_relationships', relationship), '.sources[0].tables[0]', 'object relationships: same'],
    [withTwice('select_permissions', permission), '.sources[0].tables[0]', 'select permissions: reader'],
  ] as const) {
    assert.deepEqual((await ask(trellis, 'replace_metadata', { metadata: { version: 3, ...metadata } })).body, {
      path: `$.args.metadata${path}`,
      error: `multiple declarations exist for the following ${names}`,
      code: 'parse-failed',
    })
  }
})

test('each change raises the version by one, and refuses a request for another version', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const version = async () => {
    const { body } = await ask(trellis, 'export_metadata', {}, { version: 2 })
    return (body as { resource_version: number }).resource_version
  }
  const first = await version()
  await ask(trellis, 'replace_metadata', { version: 3, sources: [] }, { resource_version: first })
  assert.equal(await version(), first + 1)
  await ask(trellis, 'reload_metadata', {}, { resource_version: first + 1 })
  assert.equal(await version(), first + 2)
  const conflict = {
    path: '$',
    error: `metadata resource version referenced (${first}) did not match current version`,
    code: 'conflict',
  }
  const stale = { resource_version: first }
  const requests: [string, string, unknown][] = [
    ['/v1/metadata', 'replace_metadata', { version: 3, sources: [] }],
    ['/v1/metadata', 'reload_metadata', {}],
    ['/v1/metadata', 'pg_track_table', { table: 'book' }],
    ['/v1/metadata', 'bulk', [{ type: 'pg_track_table', args: { table: 'book' } }]],
    ['/v2/query', 'run_sql', { sql: 'create table third ()' }],
  ]
  for (const [url, type, args] of requests) {
    const { status, body } = await trellis.request(url, { body: { type, args, ...stale } })
    assert.deepEqual({ status, body }, { status: 409, body: conflict })
  }
  assert.equal(await version(), first + 2)
})

test('keys that were kept are served once their plugins are loaded', async (t) => {
  const endpoint = (name: string, url: string = name) => ({
    ...{ name, url, methods: ['GET'] },
    definition: { query: { collection_name: 'kept', query_name: 'all' } },
    comment: '',
  })
  const document = (network: unknown, endpoints: object[]) => ({
    version: 3,
    sources: [{ name: 'library', kind: 'postgres', tables: [{ table: { schema: 'public', name: 'book' } }] }],
    query_collections: [{ name: 'kept', definition: { queries: [{ name: 'all', query: '{ book { id } }' }] } }],
    rest_endpoints: endpoints,
    network,
  })
  const given = document({ tls_allowlist: 17 }, [endpoint('all'), endpoint('other')])
  const former = await startTrellis(t, { sql, without: ['mcp', 'rest-endpoints', 'network'] })
  await ask(former, 'replace_metadata', { allow_inconsistent_metadata: true, metadata: given })
  const { database } = former
  const listed = async (trellis: TestTrellis) => {
    const { inconsistent_objects } = (await ask(trellis, 'get_inconsistent_metadata', {})).body as {
      inconsistent_objects: { reason: string }[]
    }
    return inconsistent_objects.map(({ reason }) => reason).sort()
  }
  assert.deepEqual(await listed(former), [
    'Inconsistent object: "network" is not served',
    'Inconsistent object: "rest_endpoints" is not served',
  ])

  const now = await startTrellis(t, { database })
  const exported = async (trellis: TestTrellis) => (await ask(trellis, 'export_metadata', {})).body
  assert.deepEqual(await exported(now), given)
  assert.deepEqual(await listed(now), ['Inconsistent object: it is not in the shape of "network"'])
  const get = async (trellis: TestTrellis, url: string) =>
    (await trellis.request(`/api/rest/${url}`, { method: 'GET' })).status
  assert.deepEqual([await get(now, 'all'), await get(now, 'other')], [200, 200])
  assert.equal((await ask(now, 'drop_rest_endpoint', { name: 'other' })).status, 200)
  assert.equal((await ask(now, 'drop_inconsistent_metadata', {})).status, 200)

  const again = await startTrellis(t, { database })
  const { network: _, ...left } = document(null, [endpoint('all')])
  assert.deepEqual(await exported(again), left)
  assert.deepEqual(await listed(again), [])
  assert.deepEqual([await get(again, 'all'), await get(again, 'other')], [200, 404])
})
