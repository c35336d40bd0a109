// Parts of documents of later engines, row by row as docs/dialect.md lists them: served, kept, or refused.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { type Word, words } from './world.ts'

const sql = `
  create table author (id serial primary key, "Full Name" text, born date);
  comment on column author.born is 'When';
  create table book (id serial primary key, author_id int not null references author, title text);
  create function search_book(term text) returns setof book language sql stable as 'select * from book where title = term';
  insert into author ("Full Name") values ('Ann'); insert into book (author_id, title) values (1, 'Fog')`

const start = (t: TestContext, word: Word): Promise<TestTrellis> =>
  startTrellis(t, { sql, settings: { dialect: word === 'hasura' ? 'hasura' : 'trellis' } })

const named = (name: string) => ({ schema: 'public', name })
const book = { table: named('book') }

/** A document of format 3 whose one source holds this. */
const inSource = (source: object, others: object = {}) => ({
  version: 3,
  sources: [{ name: 'default', kind: 'postgres', tables: [], ...source }],
  ...others,
})
const inBook = (entry: object) => inSource({ tables: [{ ...book, ...entry }] })
const select = (permission: object, role = 'reader') => [
  { role, permission: { columns: '*', filter: {}, ...permission } },
]

const as = (word: Word, role: string, more: Record<string, string> = {}) => ({
  headers: { [`x-${word}-role`]: role, ...more },
})

/** The names of the fields on a root. */
async function fieldsOf(trellis: TestTrellis, options: object = {}, root = 'queryType'): Promise<string[]> {
  type Answer = { data: { __schema: Record<string, { fields: { name: string }[] } | null> } }
  const answer = await trellis.graphql<Answer>(`{ __schema { ${root} { fields { name } } } }`, {}, options)
  return (answer.data.__schema[root]?.fields ?? []).map(({ name }) => name).sort()
}

/** The description of a type or of its fields. */
async function descriptions(trellis: TestTrellis, type: string): Promise<Record<string, string | null>> {
  type Described = { name: string; description: string | null }
  type Answer = { data: { __type: Described & { fields: Described[] } } }
  const query = `{ __type(name: "${type}") { description fields { name description } } }`
  const { __type } = (await trellis.graphql<Answer>(query)).data
  return { type: __type.description, ...Object.fromEntries(__type.fields.map((each) => [each.name, each.description])) }
}

const refusalOf = async (trellis: TestTrellis, args: unknown, version?: number) => {
  const { status, body } = await trellis.opError('replace_metadata', args, version === undefined ? {} : { version })
  const { internal: _, hint: __, ...answer } = body as Record<string, unknown>
  return { status, ...answer }
}

const parseFailed = (path: string, error: string) => ({ status: 400, path, error, code: 'parse-failed' })
const notSupported = (path: string, error: string) => ({ status: 400, path, error, code: 'not-supported' })
const wrongKey = (path: string, key: string) => parseFailed(path, `unexpected key "${key}"`)

for (const word of words) {
  test(`a document of format 3 is accepted with any name of its source (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const exported = { version: 2, tables: [book], functions: [{ function: named('search_book') }] }
    const parts = { tables: exported.tables, functions: exported.functions }
    const configuration = {
      connection_info: { database_url: { from_env: 'PG_URL' }, isolation_level: 'read-committed' },
    }
    const sources: object[] = [
      { name: 'default', kind: 'postgres', ...parts },
      { name: 'main', kind: 'pg', configuration, ...parts },
      { name: 'main', customization: { naming_convention: `${word}-default`, root_fields: {} }, ...parts },
      {
        name: 'main',
        ...parts,
        native_queries: [],
        logical_models: [],
        query_tags: { disabled: false },
        customization: null,
      },
    ]
    for (const source of sources) {
      await trellis.op('clear_metadata', {})
      await trellis.op('replace_metadata', { version: 3, sources: [source] })
      assert.deepEqual(await trellis.op('export_metadata', {}), exported)
    }
    await trellis.op('replace_metadata', { version: 3, sources: [] })
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables: [] })
  })

  test(`documents of exports and tools are accepted unchanged (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const document = inBook({})
    const consistent = { is_consistent: true, inconsistent_objects: [] }
    const v2 = { allow_inconsistent_metadata: true, metadata: document }
    assert.deepEqual(await trellis.op('replace_metadata', v2, { version: 2 }), consistent)
    await trellis.op('replace_metadata', { resource_version: 17, metadata: document })
    const exported = await trellis.op('export_metadata', {}, { version: 2 })
    await trellis.op('replace_metadata', exported)
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables: [book] })
    const gone = inSource({ tables: [{ table: 'gone' }] })
    const report = { allow_inconsistent_metadata: true, metadata: gone }
    const answer = await trellis.op<{ is_consistent: boolean }>('replace_metadata', report, { version: 2 })
    assert.equal(answer.is_consistent, false)
  })

  test(`keys without effect are accepted in both dialects (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const nothing = {
      remote_schemas: [],
      actions: [],
      custom_types: { enums: [], input_objects: [], objects: [], scalars: [] },
      cron_triggers: [],
      rest_endpoints: [],
      api_limits: {},
      metrics_config: { analyze_query_variables: false },
      inherited_roles: null,
      graphql_schema_introspection: {},
      network: {},
      opentelemetry: {},
      backend_configs: {},
    }
    const entry = { ...book, event_triggers: [], remote_relationships: [], apollo_federation_config: null }
    await trellis.op('replace_metadata', { version: 2, tables: [entry], ...nothing })
    await trellis.op('replace_metadata', inSource({ tables: [entry] }, nothing))
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables: [book] })
    const webhook = 'http://127.0.0.1:9/'
    const transforms = { request_transform: null, response_transform: {} }
    const open = { backend_only: false, validate_input: null }
    const parts = {
      event_triggers: [
        { name: 'e', definition: { insert: { columns: '*' } }, webhook, ...transforms, trigger_on_replication: false },
      ],
      insert_permissions: [{ role: 'r', permission: { check: {}, ...open } }],
      update_permissions: [{ role: 'r', permission: { columns: [], filter: {}, ...open } }],
      delete_permissions: [{ role: 'r', permission: { filter: {}, ...open } }],
    }
    const definition = {
      handler: webhook,
      type: 'query',
      output_type: 'Int',
      ...transforms,
      ignored_client_headers: [],
    }
    const others = {
      actions: [{ name: 'act', definition }],
      cron_triggers: [{ name: 'c', webhook, schedule: '0 0 1 1 *', include_in_metadata: true, ...transforms }],
      remote_schemas: [{ name: 's', definition: { url: webhook }, remote_relationships: [] }],
    }
    const metadata = inSource({ tables: [{ ...book, ...parts }] }, others)
    await trellis.op('replace_metadata', { metadata, allow_inconsistent_metadata: true }, { version: 2 })
    const kept = JSON.stringify(await trellis.op('export_metadata', {}))
    assert.doesNotMatch(kept, /transform|validate_input|trigger_on|ignored|remote_relationships/)
  })

  test(`obsolete keys of early engines in permissions are ignored (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const localPresets = [{ key: '', value: '' }]
    const given = {
      ...book,
      insert_permissions: [{ role: 'r', permission: { check: {}, allow_upsert: true, localPresets } }],
      update_permissions: [{ role: 'r', permission: { columns: [], filter: {}, localPresets } }],
    }
    const taken = {
      ...book,
      insert_permissions: [{ role: 'r', permission: { check: {} } }],
      update_permissions: [{ role: 'r', permission: { columns: [], filter: {}, check: null } }],
    }
    await trellis.op('replace_metadata', { tables: [given] })
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables: [taken] })
  })

  test(`unsupported parts are refused with their path (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const source = '$.sources[0]'
    const entry = `${source}.tables[0]`
    const cases: [unknown, object][] = [
      [{ version: 3 }, parseFailed('$', 'key "sources" not found')],
      [{ version: 3, tables: [] }, parseFailed('$.version', 'expected 1 or 2, encountered 3')],
      [{ version: 4, tables: [] }, parseFailed('$.version', 'expected 1, 2 or 3, encountered 4')],
      [
        { version: 3, sources: {} },
        parseFailed('$.sources', 'parsing [] failed, expected Array, but encountered Object'),
      ],
      [
        { version: 3, sources: ['x'] },
        parseFailed(source, 'parsing Object failed, expected Object, but encountered String'),
      ],
      [{ version: 3, sources: [{ tables: [] }] }, parseFailed(source, "the key 'name' was not present")],
      [{ version: 3, sources: [], tables: [] }, wrongKey('$.tables', 'tables')],
      [
        { version: 3, sources: [{ name: 'default' }, { name: 'sales' }] },
        notSupported('$.sources[1]', 'only one source is supported: "sales" differs from "default"'),
      ],
      [
        inSource({ kind: 'mssql' }),
        notSupported(`${source}.kind`, 'only sources of kind "postgres" are supported, encountered "mssql"'),
      ],
      [inSource({ foo: 1 }), wrongKey(`${source}.foo`, 'foo')],
      [
        inSource({ customization: [] }),
        parseFailed(`${source}.customization`, 'parsing Object failed, expected Object, but encountered Array'),
      ],
      [
        inSource({ tables: [{ table: { source: 'x', ...named('book') } }] }),
        wrongKey(`${entry}.table.source`, 'source'),
      ],
      [
        inSource({ functions: [{ function: { database: 'x', ...named('search_book') } }] }),
        wrongKey(`${source}.functions[0].function.database`, 'database'),
      ],
      [
        inBook({
          object_relationships: [
            {
              name: 'a',
              using: {
                manual_configuration: { remote_table: { source: 'x', ...named('author') }, column_mapping: {} },
              },
            },
          ],
        }),
        wrongKey(`${entry}.object_relationships[0].using.manual_configuration.remote_table.source`, 'source'),
      ],
      [inSource({ tables: [{ table: {} }] }), parseFailed(`${entry}.table`, 'key "name" not found')],
      [inBook({ configuration: { custom_nam: 'x' } }), wrongKey(`${entry}.configuration.custom_nam`, 'custom_nam')],
      [
        inBook({ configuration: { custom_root_fields: { selct: 'x' } } }),
        wrongKey(`${entry}.configuration.custom_root_fields.selct`, 'selct'),
      ],
      [
        inBook({ configuration: { custom_name: 'a b' } }),
        parseFailed(`${entry}.configuration.custom_name`, '"a b" is not a valid GraphQL name'),
      ],
      [
        inBook({ configuration: { column_config: { title: { hidden: true } } } }),
        wrongKey(`${entry}.configuration.column_config.title.hidden`, 'hidden'),
      ],
      [
        inBook({ select_permissions: [{ role: 'r', permission: { columns: [], filter: {}, validate_input: {} } }] }),
        wrongKey(`${entry}.select_permissions[0].permission.validate_input`, 'validate_input'),
      ],
      [
        inSource(
          {},
          { query_collections: [], allowlist: [{ collection: 'c', scope: { global: true, roles: ['r'] } }] },
        ),
        parseFailed('$.allowlist[0].scope.roles', 'a scope that is global has no roles'),
      ],
      [
        inSource({}, { query_collections: [], allowlist: [{ collection: 'c', scope: { global: 'true' } }] }),
        parseFailed('$.allowlist[0].scope.global', 'parsing Bool failed, expected Boolean, but encountered String'),
      ],
      [
        inBook({ select_permissions: select({ query_root_fields: ['insert'] }) }),
        parseFailed(
          `${entry}.select_permissions[0].permission.query_root_fields[0]`,
          "expected one of 'select', 'select_by_pk', 'select_aggregate'",
        ),
      ],
      [
        inBook({
          object_relationships: [
            {
              name: 'a',
              using: { manual_configuration: { remote_table: 'author', remote_source: 'x', column_mapping: {} } },
            },
          ],
        }),
        wrongKey(`${entry}.object_relationships[0].using.manual_configuration.remote_source`, 'remote_source'),
      ],
      [
        inSource({ functions: [{ function: 'search_book', configuration: { response: { type: 'table' } } }] }),
        wrongKey(`${source}.functions[0].configuration.response`, 'response'),
      ],
      [
        inSource({ tables: [book, book] }),
        {
          status: 400,
          path: '$.args.sources[0].tables',
          error: 'multiple declarations exist for the following tables : "book"',
          code: 'already-exists',
        },
      ],
    ]
    await trellis.op('replace_metadata', inBook({}))
    const before = await trellis.op('export_metadata', {})
    for (const [document, answer] of cases) {
      assert.deepEqual(await refusalOf(trellis, document), answer)
    }
    const nested = await refusalOf(trellis, { metadata: inSource({ kind: 'mssql' }) }, 2)
    assert.equal((nested as { path?: string }).path, '$.metadata.sources[0].kind')
    assert.deepEqual(await refusalOf(trellis, { metadata: inBook({}), allow: true }), wrongKey('$.allow', 'allow'))
    assert.deepEqual(await trellis.op('export_metadata', {}), before)
  })

  test(`names and descriptions of tables and columns are served and kept (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const configuration = {
      custom_name: 'Writer',
      custom_root_fields: {
        select: 'writers',
        select_by_pk: { name: 'writer', comment: 'One of them' },
        select_aggregate: { comment: '' },
        select_stream: 'writer_stream',
        update_many: { name: 'change_writers' },
      },
      custom_column_names: { born: 'birth' },
      column_config: { 'Full Name': { custom_name: 'fullName', comment: 'As on the cover' }, born: { comment: '' } },
      comment: 'Who writes',
    }
    const document = { version: 2, tables: [{ table: named('author'), configuration }] }
    await trellis.op('replace_metadata', inSource({ tables: document.tables }))
    assert.deepEqual(await trellis.op('export_metadata', {}), document)
    assert.deepEqual(await fieldsOf(trellis), ['Writer_aggregate', 'writer', 'writers'])
    assert.deepEqual(await fieldsOf(trellis, {}, 'mutationType'), [
      'change_writers',
      'delete_Writer',
      'delete_Writer_by_pk',
      'insert_Writer',
      'insert_Writer_one',
      'update_Writer',
      'update_Writer_by_pk',
    ])
    assert.deepEqual(await descriptions(trellis, 'Writer'), {
      type: 'Who writes',
      id: null,
      fullName: 'As on the cover',
      birth: null,
    })
    const roots = await descriptions(trellis, 'query_root')
    assert.equal(roots.writer, 'One of them')
    assert.equal(roots.Writer_aggregate, null)
    const mutation = 'mutation { insert_Writer_one(object: {fullName: "Bob"}) { __typename id } }'
    assert.deepEqual(await trellis.graphql(mutation), { data: { insert_Writer_one: { __typename: 'Writer', id: 2 } } })
    await trellis.op('run_sql', { sql: 'alter table author rename "Full Name" to name; alter table author drop born' })
    const { custom_column_names: _, ...rest } = configuration
    const column_config = { name: { custom_name: 'fullName', comment: 'As on the cover' } }
    const followed = { ...rest, custom_column_names: {}, column_config }
    assert.deepEqual(await trellis.op('export_metadata', {}), {
      version: 2,
      tables: [{ table: named('author'), configuration: followed }],
    })
  })

  test(`root fields that are hidden from a role are hidden from it alone (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const permissions = [
      ...select({
        allow_aggregations: true,
        query_root_fields: ['select_aggregate'],
        subscription_root_fields: ['select'],
      }),
      ...select({ query_root_fields: [] }, 'through'),
      ...select({}, 'whole'),
    ]
    const array = { name: 'books', using: { foreign_key_constraint_on: { table: named('book'), column: 'author_id' } } }
    const tables = [
      { table: named('author'), array_relationships: [array], select_permissions: select({}, 'through') },
      { ...book, select_permissions: permissions },
    ]
    await trellis.op('replace_metadata', inSource({ tables }))
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables })
    const on = (role: string, root?: string) => fieldsOf(trellis, as(word, role), root)
    assert.deepEqual(await on('reader'), ['book_aggregate'])
    assert.deepEqual(await on('reader', 'subscriptionType'), ['book'])
    assert.deepEqual(await on('through'), ['author', 'author_by_pk'])
    assert.deepEqual(await on('whole'), ['book', 'book_by_pk'])
    const nested = await trellis.graphql('{ author { books { title } } }', {}, as(word, 'through'))
    assert.deepEqual(nested, { data: { author: [{ books: [{ title: 'Fog' }] }] } })
    for (const type of ['select', 'count']) {
      const args = { table: 'book', ...(type === 'select' && { columns: ['id'] }) }
      const refused = await trellis.opError(type, args, as(word, 'through'))
      assert.equal((refused.body as { code: string }).code, 'permission-denied')
    }
    const relay = await trellis.request<{ errors: { message: string }[] }>('/v1beta1/relay', {
      body: { query: '{ book_connection { edges { node { title } } } }' },
      ...as(word, 'through'),
    })
    assert.match(relay.body.errors[0]!.message, /^field "book_connection" not found/)
  })

  test(`some updates and deletes are for trusted callers alone (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const update = { columns: ['title'], filter: {}, check: null, backend_only: true }
    const tables = [
      {
        ...book,
        select_permissions: select({}),
        update_permissions: [{ role: 'reader', permission: update }],
        delete_permissions: [{ role: 'reader', permission: { filter: {}, backend_only: true } }],
      },
    ]
    await trellis.op('replace_metadata', inSource({ tables }))
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables })
    const on = (more: Record<string, string>) => fieldsOf(trellis, as(word, 'reader', more), 'mutationType')
    assert.deepEqual(await on({}), [])
    const trusted = await on({ [`x-${word}-use-backend-only-permissions`]: 'true' })
    assert.deepEqual(trusted, [
      'delete_book',
      'delete_book_by_pk',
      'update_book',
      'update_book_by_pk',
      'update_book_many',
    ])
  })

  test(`a collection is allowed for the roles in its scope (x-${word}-)`, async (t) => {
    const dialect = word === 'hasura' ? 'hasura' : 'trellis'
    const trellis = await startTrellis(t, { sql, settings: { dialect, enableAllowlist: true } })
    const tables = [{ ...book, select_permissions: [...select({}), ...select({}, 'whole')] }]
    const one = (name: string, query: string) => ({ name, definition: { queries: [{ name: 'q', query }] } })
    const parts = {
      query_collections: [one('a', '{ book { id } }'), one('b', '{ book { title } }'), one('c', '{ book { title } }')],
      allowlist: [
        { collection: 'a', scope: { global: true } },
        { collection: 'b', scope: { global: false, roles: ['reader'] } },
        { collection: 'c', scope: { global: false, roles: ['other'] } },
      ],
    }
    await trellis.op('replace_metadata', inSource({ tables }, parts))
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables, ...parts })
    const may = async (role: string, query: string) =>
      'data' in (await trellis.graphql<object>(query, {}, as(word, role)))
    assert.deepEqual([await may('reader', '{ book { id } }'), await may('whole', '{ book { id } }')], [true, true])
    assert.deepEqual(
      [await may('reader', '{ book { title } }'), await may('whole', '{ book { title } }')],
      [true, false],
    )
    const unscoped = [{ collection: 'a', scope: { global: false, roles: [] } }]
    assert.deepEqual(
      await refusalOf(trellis, inSource({ tables }, { ...parts, allowlist: unscoped })),
      parseFailed('$.allowlist[0].scope.roles', 'empty list not allowed'),
    )
  })

  test(`functions have custom names, descriptions and roles (x-${word}-)`, async (t) => {
    const trellis = await start(t, word)
    const entry = {
      function: named('search_book'),
      configuration: {
        custom_name: 'findBooks',
        custom_root_fields: { function_aggregate: 'countBooks' },
        exposed_as: 'query',
      },
      permissions: [{ role: 'reader' }],
      comment: 'By title',
    }
    const tables = [{ ...book, select_permissions: [...select({}), ...select({}, 'whole')] }]
    await trellis.op('replace_metadata', inSource({ tables, functions: [entry] }))
    assert.deepEqual(await trellis.op('export_metadata', {}), { version: 2, tables, functions: [entry] })
    assert.deepEqual(await fieldsOf(trellis), ['book', 'book_aggregate', 'book_by_pk', 'countBooks', 'findBooks'])
    assert.deepEqual(await fieldsOf(trellis, as(word, 'reader')), ['book', 'book_by_pk', 'findBooks'])
    assert.deepEqual(await fieldsOf(trellis, as(word, 'whole')), ['book', 'book_by_pk'])
    assert.equal((await descriptions(trellis, 'query_root')).findBooks, 'By title')
    const found = await trellis.graphql('query ($a: findBooks_args!) { findBooks(args: $a) { title } }', {
      a: { term: 'Fog' },
    })
    assert.deepEqual(found, { data: { findBooks: [{ title: 'Fog' }] } })
    const same = { ...entry, function: named('new_books') }
    const others = { custom_root_fields: { function: 'newBooks', function_aggregate: 'countNew' } }
    await trellis.op('run_sql', {
      sql: `create function new_books(n int) returns setof book language sql stable as 'select * from book'`,
    })
    const functions = [entry, { ...same, configuration: { ...entry.configuration, ...others } }]
    const refused = await trellis.opError('replace_metadata', inSource({ tables, functions }))
    const { internal } = refused.body as { internal: { reason: string }[] }
    assert.deepEqual(
      internal.map(({ reason }) => reason),
      ['found conflicting definitions for "findBooks_args" when collecting types from the schema'],
    )
  })
}
