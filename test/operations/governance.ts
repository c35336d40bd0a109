// Limits, introspection, inherited roles, certificates, REST endpoints, and transforms.

import assert from 'node:assert/strict'
import { documentHas } from './effects.ts'
import type { Area, Effect, Refusal } from './entry.ts'

const endpoint = {
  name: 'books',
  url: 'books/:id',
  methods: ['GET'],
  definition: { query: { collection_name: 'kept', query_name: 'one' } },
}

const collection = {
  type: 'create_query_collection',
  args: {
    name: 'kept',
    definition: { queries: [{ name: 'one', query: 'query ($id: Int!) { book_by_pk(id: $id) { title } }' }] },
  },
}

const book = { schema: 'public', name: 'book' }

const limits = { depth_limit: { global: 3, per_role: { reader: 1 } }, time_limit: { global: 2.5 } }

const inherited = { role_name: 'both', role_set: ['reader', 'editor'] }

const notThere: Refusal = {
  title: 'a host that is not in the list',
  args: { host: 'crm.test' },
  code: 'not-exists',
  error: `the host "crm.test" isn't present in the allowlist`,
}

const telemetry = {
  status: 'enabled',
  data_types: ['traces'],
  exporter_otlp: { otlp_traces_endpoint: 'http://127.0.0.1:1/v1/traces', headers: [{ name: 'x-key', value: 'k' }] },
  batch_span_processor: { max_export_batch_size: 5 },
}

/** The only inconsistent object has this reason. */
const lists =
  (reason: string): Effect =>
  async ({ op }) => {
    const found = await op<{ type: string; reason: string }[]>('get_inconsistent_metadata', {})
    assert.deepEqual(
      found.map((each) => each.reason),
      [reason],
    )
  }

export const governance: Area = {
  title: 'limits, introspection, inherited roles, certificates, REST endpoints and transforms',
  given: [collection],
  settings: { enabledApis: ['metadata', 'graphql', 'developer'] },
  operations: [
    {
      type: 'suggest_indexes',
      succeeds: [
        {
          title: 'names the columns that no index serves',
          given: ['create index on book (genre) where price > 1', 'analyze book'],
          args: {},
          answers: {
            suggestions: [
              {
                table: book,
                columns: ['publisher_id'],
                estimated_rows: 3,
                reasons: [
                  { kind: 'permission', table: book, role: 'reader', action: 'select' },
                  { kind: 'relationship', table: { schema: 'public', name: 'publisher' }, name: 'books' },
                ],
                ddl: 'create index on "public"."book" ("publisher_id")',
              },
            ],
          },
        },
        {
          title: 'names nothing that an index serves',
          given: ['create index on book (publisher_id, id)'],
          args: { role: 'reader' },
          answers: { suggestions: [] },
        },
        {
          title: 'knows conditions that hold together, one or the other, and not',
          given: [
            {
              type: 'create_delete_permission',
              args: {
                table: 'book',
                role: 'editor',
                permission: {
                  filter: {
                    _or: [
                      { price: { _gt: 5 }, pages: { _eq: 100 }, title: { _like: 'D%' } },
                      { genre: { _is_null: true } },
                      { _not: { publisher: { info: { _is_null: true } } } },
                    ],
                  },
                },
              },
            },
          ],
          args: { role: 'editor' },
          answers: ({ suggestions }: { suggestions: { columns: string[]; ddl: string }[] }) =>
            assert.deepEqual(
              suggestions.map(({ ddl }) => ddl),
              [
                'create index on "public"."book" ("genre")',
                'create index on "public"."book" ("pages", "price")',
                'create index on "public"."publisher" ("info")',
              ],
            ),
        },
      ],
      refuses: [
        {
          title: 'a role without permissions',
          args: { role: 'nobody' },
          code: 'not-exists',
          path: '$.args.role',
          error: 'role "nobody" has no permission',
        },
      ],
    },
    {
      type: 'get_recent_requests',
      succeeds: [
        {
          title: 'lists requests by their outcome',
          args: { errors: true, role: 'nobody', limit: 1 },
          answers: { requests: [] },
        },
      ],
      refuses: [],
    },
    {
      type: 'get_recent_operations',
      succeeds: [
        {
          title: 'lists operations of a role',
          args: { role: 'nobody', limit: 1 },
          answers: { operations: [] },
        },
      ],
      refuses: [],
    },
    {
      type: 'set_api_limits',
      succeeds: [
        { title: 'keeps the limits', args: limits, then: [documentHas('api_limits', limits)] },
        { title: 'keeps nothing of none', args: {}, then: [documentHas('api_limits', undefined)] },
      ],
      refuses: [
        {
          title: 'a negative depth',
          args: { depth_limit: { global: -1 } },
          code: 'parse-failed',
          path: '$.depth_limit.global',
          error: 'unexpected negative value',
        },
      ],
    },
    {
      type: 'set_opentelemetry_config',
      ownWords: ['$.exporter_otlp.headers[0]'],
      succeeds: [
        { title: 'keeps the collector', args: telemetry, then: [documentHas('opentelemetry', telemetry)] },
        { title: 'keeps nothing of none', args: {}, then: [documentHas('opentelemetry', undefined)] },
        {
          title: 'lists traces without an endpoint',
          args: { status: 'enabled', data_types: ['traces'] },
          then: [lists('no "otlp_traces_endpoint" is given for traces')],
        },
        {
          title: 'lists kinds of data that are not served',
          args: { ...telemetry, data_types: ['traces', 'metrics', 'logs'] },
          then: [lists('"metrics", "logs" in "data_types" of "opentelemetry": only "traces" are served')],
        },
        {
          title: 'lists a variable that is not set',
          args: {
            ...telemetry,
            exporter_otlp: { ...telemetry.exporter_otlp, headers: [{ name: 'x-key', value_from_env: 'NO_KEY' }] },
          },
          then: [lists("environment variable 'NO_KEY' not set")],
        },
      ],
      refuses: [
        {
          title: 'a text that is no URL',
          args: { exporter_otlp: { otlp_traces_endpoint: 'nowhere' } },
          code: 'parse-failed',
          path: '$.exporter_otlp.otlp_traces_endpoint',
          error: 'not a valid URI',
          fits: true,
        },
      ],
    },
    {
      type: 'set_opentelemetry_status',
      succeeds: [
        {
          title: 'turns recording off',
          given: [{ type: 'set_opentelemetry_config', args: telemetry }],
          args: 'disabled',
          then: [documentHas('opentelemetry', { ...telemetry, status: 'disabled' })],
        },
      ],
      refuses: [],
    },
    {
      type: 'remove_api_limits',
      succeeds: [
        {
          title: 'removes the limits',
          given: [{ type: 'set_api_limits', args: limits }],
          args: {},
          then: [documentHas('api_limits', undefined)],
        },
      ],
      refuses: [],
    },
    {
      type: 'set_graphql_schema_introspection_options',
      requires: ['disabled_for_roles'],
      succeeds: [
        {
          title: 'keeps the roles',
          args: { disabled_for_roles: ['reader'] },
          then: [documentHas('graphql_schema_introspection', { disabled_for_roles: ['reader'] })],
        },
      ],
      refuses: [],
    },
    {
      type: 'add_host_to_tls_allowlist',
      requires: ['host'],
      succeeds: [
        {
          title: 'keeps the host',
          args: { host: 'crm.test', suffix: '8443', permissions: ['self-signed'] },
          then: [
            documentHas('network', {
              tls_allowlist: [{ host: 'crm.test', suffix: '8443', permissions: ['self-signed'] }],
            }),
          ],
        },
      ],
      refuses: [
        {
          title: 'an empty host',
          args: { host: '' },
          code: 'parse-failed',
          path: '$.host',
          error: 'empty string not allowed',
        },
      ],
    },
    {
      type: 'drop_host_from_tls_allowlist',
      requires: ['host'],
      succeeds: [
        {
          title: 'removes the host',
          given: [{ type: 'add_host_to_tls_allowlist', args: { host: 'crm.test', suffix: '8443' } }],
          args: { host: 'crm.test', suffix: '8443' },
          then: [documentHas('network', undefined)],
        },
      ],
      refuses: [notThere],
    },
    {
      type: 'add_inherited_role',
      requires: ['role_name', 'role_set'],
      succeeds: [
        { title: 'keeps the role', args: inherited, then: [documentHas('inherited_roles', [inherited])] },
        {
          title: 'keeps each parent once',
          args: { role_name: 'both', role_set: ['reader', 'editor', 'reader'] },
          then: [documentHas('inherited_roles', [inherited])],
        },
      ],
      refuses: [
        {
          title: 'a role that is there',
          given: [{ type: 'add_inherited_role', args: inherited }],
          args: { ...inherited, role_set: [] },
          code: 'already-exists',
          error: 'the inherited role "both" already exists',
        },
        {
          title: 'a role that inherits from itself',
          args: { role_name: 'both', role_set: ['both'] },
          code: 'constraint-violation',
          error: 'found cycle(s) in roles: ["both"]',
        },
      ],
    },
    {
      type: 'drop_inherited_role',
      requires: ['role_name'],
      succeeds: [
        {
          title: 'removes the role',
          given: [{ type: 'add_inherited_role', args: inherited }],
          args: { role_name: 'both' },
          then: [documentHas('inherited_roles', undefined)],
        },
      ],
      refuses: [
        {
          title: 'a role that is not inherited',
          args: { role_name: 'reader' },
          code: 'not-exists',
          error: 'the inherited role "reader" does not exist',
        },
      ],
    },
    {
      type: 'create_rest_endpoint',
      requires: ['name', 'url', 'methods', 'definition'],
      succeeds: [{ title: 'keeps the endpoint', args: endpoint, then: [documentHas('rest_endpoints', [endpoint])] }],
      refuses: [
        {
          title: 'an empty URL',
          args: { ...endpoint, url: '' },
          code: 'parse-failed',
          path: '$.url',
          error: 'empty string not allowed',
        },
        {
          title: 'a name that is taken',
          given: [{ type: 'create_rest_endpoint', args: endpoint }],
          args: { ...endpoint, url: 'other' },
          code: 'already-exists',
          error: 'Endpoint with name: books already exists',
        },
      ],
    },
    {
      type: 'drop_rest_endpoint',
      requires: ['name'],
      succeeds: [
        {
          title: 'removes the endpoint',
          given: [{ type: 'create_rest_endpoint', args: endpoint }],
          args: { name: 'books' },
          then: [documentHas('rest_endpoints', undefined)],
        },
      ],
      refuses: [
        {
          title: 'an endpoint that does not exist',
          args: { name: 'none' },
          code: 'not-exists',
          error: 'Endpoint with name: none does not exist',
        },
      ],
    },
    {
      type: 'test_webhook_transform',
      requires: ['webhook_url', 'body'],
      succeeds: [
        {
          title: 'shows the request',
          args: {
            webhook_url: 'http://hook.test',
            body: { a: 1 },
            request_transform: { version: 2, url: '{{$base_url}}/{{$body.a}}' },
          },
          answers: { webhook_url: 'http://hook.test/1', method: 'GET', headers: [], body: { a: 1 } },
        },
      ],
      refuses: [
        {
          title: 'a template that cannot be parsed',
          args: { webhook_url: 'http://hook.test', body: null, request_transform: { url: '{{' } },
          code: 'parse-failed',
          path: '$.request_transform.url',
          error: 'Unexpected end of the template.',
          fits: true,
        },
      ],
    },
  ],
}
