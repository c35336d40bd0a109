// Actions and their permissions.

import assert from 'node:assert/strict'
import { documentHas, serves } from './effects.ts'
import type { Area, Call, Effect, Refusal } from './entry.ts'

const handler = 'http://127.0.0.1:1/hook'

const definition = (members: object = {}) => ({ handler, output_type: 'Receipt', ...members })

const types: Call = {
  type: 'set_custom_types',
  args: {
    objects: [{ name: 'Receipt', fields: [{ name: 'id', type: 'Int!' }] }],
    input_objects: [{ name: 'Line', fields: [{ name: 'sku', type: 'String!' }] }],
    enums: [{ name: 'Kind', values: [{ value: 'A' }] }],
  },
}

const created = (members: object = {}, name = 'pay'): Call => ({
  type: 'create_action',
  args: { name, definition: definition(members) },
})

const permitted: Call = { type: 'create_action_permission', args: { action: 'pay', role: 'clerk' } }

const callId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Six calls, each one hour older than the one before; the odd ones failed. */
const calls = `
  insert into trellis.hdb_action_log (id, action_name, input_payload, request_headers, session_variables, errors, created_at, status)
  select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'pay', jsonb_build_object('sku', 'a' || n),
    '{"authorization": "secret"}', '{"x-service-role": "clerk"}',
    case when n % 2 = 1 then '{"error": "closed"}'::jsonb end, now() - make_interval(hours => n),
    case when n % 2 = 1 then 'error' else 'completed' end
    from generate_series(1, 6) n`

const missing = (args: object, error = 'action with name "gone" does not exist'): Refusal => ({
  title: 'an action that is not there',
  args,
  code: 'not-exists',
  error,
})

const broken = (title: string, members: object, reason: string): Refusal => ({
  title,
  args: { name: 'buy', definition: definition(members) },
  code: 'constraint-violation',
  error: `in action "buy"; ${reason}`,
})

const fieldOf = (root: 'query' | 'mutation' | 'subscription', name: string, isThere = true): Effect => {
  return async ({ graphql }) => {
    const query = `{ __schema { type: ${root}Type { fields { name } } } }`
    type Answer = { data: { __schema: { type: { fields: { name: string }[] } | null } } }
    const { fields = [] } = (await graphql<Answer>(query)).data.__schema.type ?? {}
    assert.equal(
      fields.some((field) => field.name === name),
      isThere,
      `${root}: ${name}`,
    )
  }
}

/** Invalid definitions. */
const refusedDefinitions: Refusal[] = [
  broken(
    'an argument whose type is not there',
    { arguments: [{ name: 'a', type: '[Nothing!]' }] },
    'the type: "Nothing" is not defined in custom types or it is not a scalar/enum/input_object',
  ),
  broken(
    'an argument that is an object',
    { arguments: [{ name: 'a', type: 'Receipt' }] },
    'the type: "Receipt" is not defined in custom types or it is not a scalar/enum/input_object',
  ),
  broken(
    'arguments of one name',
    {
      arguments: [
        { name: 'a', type: 'Int' },
        { name: 'a', type: 'Int' },
      ],
    },
    'there are several arguments of the name "a"',
  ),
  broken(
    'a result whose type is not there',
    { output_type: '[Nothing]' },
    'the type: "Nothing" is not an object type defined in custom types',
  ),
  broken(
    'a result that is an input object',
    { output_type: 'Line' },
    'the type: "Line" is not an object type defined in custom types',
  ),
  broken(
    'a handler with variables that are not set',
    { handler: 'http://{{NO_HOST}}:{{NO_PORT}}/' },
    'Value for environment variables not found: NO_HOST, NO_PORT',
  ),
  {
    title: 'the name of a root field that a table has',
    args: { name: 'book', definition: definition({ type: 'query' }) },
    code: 'unexpected',
    error: 'following query root fields are duplicated: book',
  },
  {
    title: 'a type that is neither',
    args: { name: 'buy', definition: definition({ type: 'x' }) },
    code: 'parse-failed',
    path: '$.definition',
    error: 'expected mutation or query, but found x',
  },
  {
    title: 'a kind that is neither',
    args: { name: 'buy', definition: definition({ kind: 'x' }) },
    code: 'parse-failed',
    path: '$.definition',
    error: 'expected synchronous or asynchronous, but found x',
  },
  {
    title: 'no time at all',
    args: { name: 'buy', definition: definition({ timeout: 0 }) },
    code: 'parse-failed',
    path: '$.definition.timeout',
    error: 'the time limit of an action is a positive number of seconds',
  },
  ...(
    [
      ['that says no value', { name: 'a' }, 'expecting value or value_from_env keys'],
      [
        'that says two values',
        { name: 'a', value: 'b', value_from_env: 'C' },
        'expecting only one of value or value_from_env keys',
      ],
      [
        'of the server’s own configuration',
        { name: 'a', value_from_env: 'SERVICE_GRAPHQL_X' },
        'env variables starting with "SERVICE_GRAPHQL_" are not allowed in value_from_env: SERVICE_GRAPHQL_X',
        true,
      ],
      ['that is none', 'a', 'expecting object for headers'],
    ] as const
  ).map(
    ([title, header, error, fits]): Refusal => ({
      title: `a header ${title}`,
      args: { name: 'buy', definition: definition({ headers: [header] }) },
      code: 'parse-failed',
      path: '$.definition.headers[0]',
      error,
      ...(fits && { fits }),
    }),
  ),
]

export const actions: Area = {
  title: 'actions',
  given: [types],
  operations: [
    {
      type: 'create_action',
      requires: ['name', 'definition'],
      notFound: { '$.definition': true, '$.definition.headers[0]': true },
      ownWords: ['$.definition'],
      succeeds: [
        {
          title: 'adds a mutation',
          args: {
            name: 'buy',
            definition: definition({
              arguments: [
                { name: 'lines', type: '[ Line! ]!', description: 'what' },
                { name: 'at', type: 'timestamptz' },
              ],
              headers: [
                { name: 'x-key', value_from_env: 'KEY' },
                { name: 'x-other', value: 'v' },
              ],
              forward_client_headers: true,
              kind: 'synchronous',
              timeout: 60,
            }),
            comment: 'buys',
          },
          then: [
            documentHas('actions', [
              {
                name: 'buy',
                definition: {
                  handler,
                  output_type: 'Receipt',
                  forward_client_headers: true,
                  headers: [
                    { name: 'x-key', value_from_env: 'KEY' },
                    { name: 'x-other', value: 'v' },
                  ],
                  arguments: [
                    { name: 'lines', type: '[Line!]!', description: 'what' },
                    { name: 'at', type: 'timestamptz' },
                  ],
                  type: 'mutation',
                  kind: 'synchronous',
                  timeout: 60,
                },
                comment: 'buys',
              },
            ]),
            fieldOf('mutation', 'buy'),
            fieldOf('query', 'buy', false),
          ],
        },
        {
          title: 'adds a query, which has no kind',
          args: { name: 'look', definition: definition({ type: 'query', output_type: '[Receipt!]!' }) },
          then: [
            documentHas('actions', [
              { name: 'look', definition: { handler, output_type: '[Receipt!]!', type: 'query' } },
            ]),
            fieldOf('query', 'look'),
            fieldOf('mutation', 'look', false),
            fieldOf('subscription', 'look', false),
          ],
        },
        {
          title: 'adds an asynchronous mutation, whose result is asked for by a query',
          args: { name: 'later', definition: definition({ kind: 'asynchronous', output_type: 'Receipt!' }) },
          then: [
            fieldOf('mutation', 'later'),
            fieldOf('query', 'later'),
            fieldOf('subscription', 'later'),
            serves('{ __type(name: "later") { description fields { name type { name kind ofType { name } } } } }', {
              __type: {
                description: 'fields of action: "later"',
                fields: [
                  { name: 'created_at', type: { name: null, kind: 'NON_NULL', ofType: { name: 'timestamptz' } } },
                  { name: 'errors', type: { name: 'json', kind: 'SCALAR', ofType: null } },
                  { name: 'id', type: { name: null, kind: 'NON_NULL', ofType: { name: 'uuid' } } },
                  { name: 'output', type: { name: 'Receipt', kind: 'OBJECT', ofType: null } },
                ],
              },
            }),
          ],
        },
        {
          title: 'takes scalars as results',
          args: { name: 'count', definition: definition({ type: 'query', output_type: '[Int!]' }) },
          then: [fieldOf('query', 'count')],
        },
      ],
      refuses: [
        {
          title: 'the name of an action that is there',
          given: [created()],
          args: { name: 'pay', definition: definition() },
          code: 'already-exists',
          error: 'action with name "pay" already exists',
        },
        {
          title: 'the name of a custom type, when it is asynchronous',
          args: { name: 'Receipt', definition: definition({ kind: 'asynchronous' }) },
          code: 'unexpected',
          error: 'found conflicting definitions for "Receipt" when collecting types from the schema',
        },
        ...refusedDefinitions,
      ],
    },
    {
      type: 'update_action',
      requires: ['name', 'definition'],
      notFound: { '$.definition': true },
      ownWords: ['$.definition'],
      succeeds: [
        {
          title: 'replaces the definition, and keeps comment and permissions',
          given: [
            { type: 'create_action', args: { name: 'pay', definition: definition({ timeout: 3 }), comment: 'pays' } },
            permitted,
          ],
          args: { name: 'pay', definition: definition({ type: 'query' }) },
          then: [
            documentHas('actions', [
              {
                name: 'pay',
                definition: { handler, output_type: 'Receipt', type: 'query' },
                comment: 'pays',
                permissions: [{ role: 'clerk' }],
              },
            ]),
            fieldOf('query', 'pay'),
            fieldOf('mutation', 'pay', false),
          ],
        },
      ],
      refuses: [missing({ name: 'gone', definition: definition() }, 'action with name "gone" not exists')],
    },
    {
      type: 'drop_action',
      requires: ['name'],
      succeeds: [
        {
          title: 'forgets an action with its permissions',
          given: [created(), permitted],
          args: { name: 'pay' },
          then: [documentHas('actions', undefined), fieldOf('mutation', 'pay', false)],
        },
        { title: 'keeps what its calls came to', given: [created()], args: { name: 'pay', clear_data: false } },
      ],
      refuses: [missing({ name: 'gone' })],
    },
    {
      type: 'create_action_permission',
      requires: ['action', 'role'],
      succeeds: [
        {
          title: 'lets a role call an action',
          given: [created({ type: 'query' })],
          args: { action: 'pay', role: 'clerk', definition: { select: { filter: {} } }, comment: 'for clerks' },
          then: [
            documentHas('actions', [
              {
                name: 'pay',
                definition: { handler, output_type: 'Receipt', type: 'query' },
                permissions: [{ role: 'clerk', comment: 'for clerks' }],
              },
            ]),
          ],
        },
      ],
      refuses: [
        missing({ action: 'gone', role: 'clerk' }),
        {
          title: 'a role that has it',
          given: [created(), permitted],
          args: { action: 'pay', role: 'clerk' },
          code: 'already-exists',
          error: 'permission for role "clerk" is already defined on "pay"',
        },
      ],
    },
    {
      type: 'drop_action_permission',
      requires: ['action', 'role'],
      succeeds: [
        {
          title: 'takes an action away from a role',
          given: [created(), permitted],
          args: { action: 'pay', role: 'clerk' },
          then: [
            documentHas('actions', [
              { name: 'pay', definition: { handler, output_type: 'Receipt', type: 'mutation', kind: 'synchronous' } },
            ]),
          ],
        },
      ],
      refuses: [
        missing({ action: 'gone', role: 'clerk' }),
        {
          title: 'a role that does not have it',
          given: [created()],
          args: { action: 'pay', role: 'clerk' },
          code: 'not-exists',
          error: 'permission for role: "clerk" is not defined on "pay"',
        },
      ],
    },
    {
      type: 'get_action_logs',
      requires: [],
      succeeds: [
        {
          title: 'lists calls, the newest first, without headers of requests',
          given: [calls],
          args: { limit: 1 },
          answers: ([call]: Readonly<Record<string, unknown>>[]) => {
            const { created_at: _, ...rest } = call!
            assert.deepEqual(rest, {
              ...{ id: callId(1), action: 'pay', status: 'error', input: { sku: 'a1' } },
              ...{ session_variables: { 'x-service-role': 'clerk' }, output: null, errors: { error: 'closed' } },
              response_received_at: null,
            })
          },
        },
        {
          title: 'goes on after a call, with calls of an action, a state, a session and arguments',
          given: [calls],
          args: {
            ...{ action: 'pay', status: 'error', from: '2020-01-01T00:00:00Z', to: '9999-01-01T00:00:00Z' },
            ...{ session: { 'x-service-role': 'clerk' }, where: { sku: 'a5' }, limit: 100, after: callId(3) },
          },
          answers: (found: { id: string }[]) =>
            assert.deepEqual(
              found.map(({ id }) => id),
              [callId(5)],
            ),
        },
        {
          title: 'finds nothing where no call fits',
          given: [calls],
          args: { action: 'sell' },
          answers: (found: unknown[]) => assert.deepEqual(found, []),
        },
      ],
      refuses: [
        {
          title: 'an entry that is not there',
          args: { after: callId(77) },
          code: 'not-exists',
          path: '$.args.after',
          error: 'the log has no such entry',
        },
        {
          title: 'a time that is none',
          args: { from: 'yesterday' },
          code: 'parse-failed',
          path: '$.from',
          error: 'expected a time such as 2026-12-01T01:00:00Z, encountered "yesterday"',
          fits: true,
        },
      ],
    },
  ],
}
