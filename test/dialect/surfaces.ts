// Everything on the wire in which a dialect's names appear, with the form in each dialect.

import { dialects } from '../../core/names/dialect.ts'
import { forwardedHeaders } from '../../core/outgoing/headers.ts'
import { dialectOf, type Word, type World } from './world.ts'

export interface Surface {
  readonly name: string
  /** Sends a request, and returns the response. */
  ask(world: World): Promise<unknown>
  /** The answer of a dialect. */
  expected(word: Word): unknown
}

const query = '{ book(order_by: {id: asc}) { id } }'

/** A GraphQL answer to a request with these of the dialect's headers. */
const graphql = (world: World, text: string, headers: Record<string, string>, more: Record<string, string> = {}) =>
  world.trellis.graphql(text, {}, { headers: { ...world.headers(headers), ...more } })

const trusted = (role: string, more: Record<string, string> = {}) => ({ 'admin-secret': 'sesame', role, ...more })

/** The answer to a whole GraphQL request of an administrator. */
async function answerTo(world: World, body: unknown): Promise<unknown> {
  const answer = await world.trellis.request('/v1/graphql', { body, headers: world.headers(trusted('admin')) })
  return answer.body
}

const books = (...ids: number[]) => ({ data: { book: ids.map((id) => ({ id })) } })

const refusal = (code: string, message: string, path = '$') => ({ errors: [{ extensions: { path, code }, message }] })

async function operation(
  world: World,
  type: string,
  args: unknown,
  headers: Record<string, string> = trusted('admin'),
) {
  const answer = await world.trellis.request('/v1/query', { body: { type, args }, headers: world.headers(headers) })
  return { status: answer.status, body: answer.body }
}

const other = (word: Word): Word => (word === 'service' ? 'hasura' : 'service')

export const requestSurfaces: readonly Surface[] = [
  {
    name: 'the header of the role, and that of a session variable',
    ask: (world) => graphql(world, query, trusted('reader', { 'user-id': '8' })),
    expected: () => books(2),
  },
  {
    name: "the other dialect's headers beside its own, which say nothing",
    ask: (world) => {
      const foreign = { [`x-${other(world.word)}-role`]: 'reader', [`x-${other(world.word)}-user-id`]: '8' }
      return graphql(world, query, { 'admin-secret': 'sesame' }, foreign)
    },
    expected: () => books(1, 2),
  },
  {
    name: "the other dialect's admin secret, which is refused",
    async ask(world) {
      const answer = await graphql(world, query, {}, { [`x-${other(world.word)}-admin-secret`]: 'sesame' })
      return (answer as { errors: { message: string }[] }).errors[0]!.message
    },
    expected: (word) =>
      `"x-${other(word)}-admin-secret" is a header of the other dialect; here their names begin with "x-${word}-"`,
  },
  {
    name: 'the former header of the admin secret',
    ask: (world) => graphql(world, query, { 'access-key': 'sesame' }),
    expected: () => books(1, 2),
  },
  {
    name: 'a wrong admin secret',
    ask: (world) => graphql(world, query, { 'admin-secret': 'guess' }),
    expected: (word) => refusal('access-denied', `invalid x-${word}-admin-secret/x-${word}-access-key`),
  },
  {
    name: 'the header for backend-only permissions',
    ask: (world) => {
      const mutation = 'mutation { insert_book_one(object: {id: 3, title: "Fog"}) { id } }'
      const headers = trusted('reader', { 'user-id': '7', 'use-backend-only-permissions': 'true' })
      return graphql(world, mutation, headers)
    },
    expected: () => ({ data: { insert_book_one: { id: 3 } } }),
  },
  {
    name: 'a bad value for backend-only permissions',
    ask: (world) => graphql(world, query, trusted('reader', { 'use-backend-only-permissions': '1' })),
    expected: (word) =>
      refusal(
        'bad-request',
        `x-${word}-use-backend-only-permissions:  Not a valid boolean text. True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive`,
      ),
  },
  {
    name: 'the session that triggers see, and the preset of a column',
    ask: async ({ trellis }) => {
      const [row] = await trellis.sql<{ said: string; owner: string }>(
        `select h.said, b.owner from heard h, book b where b.id = 3 and h.kind = 'INSERT'`,
      )
      return { said: JSON.parse(row!.said), owner: row!.owner }
    },
    expected: (word) => ({
      said: {
        [`x-${word}-role`]: 'reader',
        [`x-${word}-user-id`]: '7',
        [`x-${word}-use-backend-only-permissions`]: 'true',
      },
      owner: '7',
    }),
  },
  {
    name: 'the session that triggers see of run_sql',
    ask: async (world) => {
      await operation(
        world,
        'run_sql',
        { sql: 'update book set title = title where id = 1' },
        trusted('admin', { a: 'b' }),
      )
      const [row] = await world.trellis.sql<{ said: string }>(`select said from heard where kind = 'UPDATE'`)
      return JSON.parse(row!.said)
    },
    expected: (word) => ({ [`x-${word}-role`]: 'admin', [`x-${word}-a`]: 'b' }),
  },
  {
    name: 'a session variable that is missing',
    ask: (world) => graphql(world, query, trusted('reader')),
    expected: (word) => refusal('not-found', `missing session variables: "x-${word}-user-id"`),
  },
  {
    name: 'a session variable that is missing in a data operation',
    ask: (world) => operation(world, 'count', { table: 'book' }, trusted('reader')),
    expected: (word) => ({
      status: 400,
      body: { path: '$.args', error: `"x-${word}-user-id" header is expected but not found`, code: 'not-found' },
    }),
  },
  {
    name: 'the former name of the user in permissions',
    ask: (world) => graphql(world, query, trusted('former', { 'user-id': '8' })),
    expected: () => books(2),
  },
  {
    name: 'the session that functions and computed fields are given',
    ask: (world) => graphql(world, '{ mine { id asked_by } }', trusted('admin', { 'user-id': '8' })),
    expected: () => ({ data: { mine: [{ id: 2, asked_by: 'admin' }] } }),
  },
  {
    name: 'session variables in the filter of a data operation',
    ask: (world) => {
      const where = { owner: { $eq: `X-${world.word}-User-Id` } }
      return operation(world, 'select', { table: 'book', columns: ['id'], where }, trusted('admin', { 'user-id': '8' }))
    },
    expected: () => ({ status: 200, body: [{ id: 2 }] }),
  },
  {
    name: 'who is explained to',
    ask: async (world) => {
      const user = { [`X-${world.word}-Role`]: 'reader', [`x-${world.word}-org`]: '1' }
      const headers = world.headers(trusted('admin'))
      const answer = await world.trellis.request('/v1/graphql/explain', { headers, body: { query: { query }, user } })
      return [answer.status, answer.body]
    },
    expected: (word) => [
      400,
      {
        path: '$',
        error: `missing required session variable for role "reader" : x-${word}-user-id`,
        code: 'unexpected-payload',
      },
    ],
  },
  {
    name: 'the session in the log',
    ask: async (world) => {
      const headers = { ...world.headers(trusted('reader', { 'user-id': '8' })), 'x-request-id': 'seen' }
      await world.trellis.request('/v1/graphql', { headers, body: { query } })
      const lines = world.log.filter(
        ({ type, detail }) => type === 'http-log' && JSON.stringify(detail).includes('seen'),
      )
      return lines.map(({ detail }) => (detail as { operation: { user_vars: unknown } }).operation.user_vars)
    },
    expected: (word) => [{ [`x-${word}-role`]: 'reader', [`x-${word}-user-id`]: '8' }],
  },
  {
    name: 'what is not forwarded of the headers of a client',
    ask: async ({ word }) => {
      const given = { cookie: 'a=b', 'x-service-role': 'r', 'x-hasura-role': 'r', host: 'h', 'user-agent': 'u' }
      return forwardedHeaders(given, dialects[dialectOf(word)])
    },
    expected: (word) => ({
      cookie: 'a=b',
      [`x-${other(word)}-role`]: 'r',
      'x-forwarded-host': 'h',
      'x-forwarded-user-agent': 'u',
    }),
  },
]

/** The differences between the dialects besides their names. */
export const differences: readonly Surface[] = [
  {
    name: 'a null in a boolean expression',
    ask: (world) => graphql(world, '{ book(where: {id: {_eq: null}}, order_by: {id: asc}) { id } }', trusted('admin')),
    expected: (word) =>
      word === 'hasura'
        ? books(1, 2, 3)
        : refusal(
            'validation-failed',
            'expected a 32-bit integer for type "Int", but found null',
            '$.selectionSet.book.args.where.id._eq',
          ),
  },
  {
    name: 'a variable of a nullable list of expressions, and a null in it',
    ask: (world) => {
      const text = `query ($w: [book_bool_exp]) { book(where: {_and: $w}, order_by: {id: asc}) { id } }`
      const body = { query: text, variables: { w: [{ id: { _gt: 1 } }, null] } }
      return answerTo(world, body)
    },
    expected: (word) =>
      word === 'hasura'
        ? books(2, 3)
        : refusal(
            'validation-failed',
            'variable "w" is declared as [book_bool_exp], but used where [book_bool_exp!] is expected',
            '$.selectionSet.book.args.where._and',
          ),
  },
  {
    name: 'a variable of type String for a pattern on a column of another type',
    ask: (world) => {
      const text = `query ($p: String!) { book(where: {note: {_like: $p}}) { id } }`
      return answerTo(world, { query: text, variables: { p: 'o%' } })
    },
    expected: (word) =>
      word === 'hasura'
        ? books(1)
        : refusal(
            'validation-failed',
            'variable "p" is declared as String!, but used where citext is expected',
            '$.selectionSet.book.args.where.note._like',
          ),
  },
  {
    name: 'a variable of a nullable list of keys to delete',
    ask: (world) => {
      const text = `mutation ($k: [String]) { update_book(where: {id: {_eq: 1}}, _delete_at_path: {facts: $k}) { affected_rows } }`
      return answerTo(world, { query: text, variables: { k: ['a'] } })
    },
    expected: (word) =>
      word === 'hasura'
        ? { data: { update_book: { affected_rows: 1 } } }
        : refusal(
            'validation-failed',
            'variable "k" is declared as [String], but used where [String!] is expected',
            '$.selectionSet.update_book.args._delete_at_path.facts',
          ),
  },
  {
    name: 'the type of a count',
    ask: async (world) => {
      const text = '{ __type(name: "book_aggregate_fields") { fields { name type { kind } } } }'
      const answer = await answerTo(world, { query: text })
      const { fields } = (answer as { data: { __type: { fields: readonly { name: string }[] } } }).data.__type
      return fields.find(({ name }) => name === 'count')
    },
    expected: (word) => ({ name: 'count', type: { kind: word === 'hasura' ? 'SCALAR' : 'NON_NULL' } }),
  },
  {
    name: 'a row by a key that the role may not select',
    ask: (world) => graphql(world, '{ book_by_pk(id: 1) { title } }', trusted('blind')),
    expected: () =>
      refusal('validation-failed', `field "book_by_pk" not found in type: 'query_root'`, '$.selectionSet.book_by_pk'),
  },
  {
    name: 'the root fields of a role that may not select the key, as it sees them',
    ask: async (world) => {
      const names = async (url: string) => {
        const query = '{ __schema { queryType { fields { name } } } }'
        const answer = await world.trellis.request(url, { body: { query }, headers: world.headers(trusted('blind')) })
        const { data } = answer.body as { data: { __schema: { queryType: { fields: { name: string }[] } } } }
        return data.__schema.queryType.fields.map(({ name }) => name).filter((name) => name !== 'now')
      }
      return { usual: await names('/v1/graphql'), relay: await names('/v1beta1/relay') }
    },
    expected: (word) => ({
      usual: ['book', 'mine'],
      relay: word === 'hasura' ? ['book_connection', 'mine_connection', 'node'] : ['node'],
    }),
  },
  {
    name: 'rows of Relay for a role that may not select the key',
    ask: async (world) => {
      const query = `{ book_connection(order_by: {title: asc}, first: 1) {
        edges { cursor node { id title } } pageInfo { endCursor } } }`
      const headers = world.headers(trusted('blind'))
      const { body } = await world.trellis.request('/v1beta1/relay', { body: { query }, headers })
      return body
    },
    expected: (word) => {
      const cursor = Buffer.from('{"title" : "Dawn", "id" : 1}').toString('base64')
      const id = Buffer.from('[1, "public", "book", 1]').toString('base64')
      return word === 'hasura'
        ? {
            data: {
              book_connection: { edges: [{ cursor, node: { id, title: 'Dawn' } }], pageInfo: { endCursor: cursor } },
            },
          }
        : refusal(
            'validation-failed',
            `field "book_connection" not found in type: 'query_root'`,
            '$.selectionSet.book_connection',
          )
    },
  },
  {
    name: 'the values of the enums of introspection',
    ask: async (world) => {
      const valuesOf = (name: string) => `__type(name: "${name}") { enumValues { name } }`
      const text = `{ kinds: ${valuesOf('__TypeKind')} places: ${valuesOf('__DirectiveLocation')} }`
      const { data } = (await answerTo(world, { query: text })) as {
        data: Record<string, { enumValues: { name: string }[] }>
      }
      const ofType = (key: string) => data[key]!.enumValues.map(({ name }) => name)
      return { kinds: ofType('kinds'), places: ofType('places').slice(0, 3) }
    },
    expected: (word) =>
      word === 'hasura'
        ? {
            kinds: ['ENUM', 'INPUT_OBJECT', 'INTERFACE', 'LIST', 'NON_NULL', 'OBJECT', 'SCALAR', 'UNION'],
            places: ['ARGUMENT_DEFINITION', 'DIRECTIVE_DEFINITION', 'ENUM'],
          }
        : {
            kinds: ['SCALAR', 'OBJECT', 'INTERFACE', 'UNION', 'ENUM', 'INPUT_OBJECT', 'LIST', 'NON_NULL'],
            places: ['QUERY', 'MUTATION', 'SUBSCRIPTION'],
          },
  },
  {
    name: 'what can be explained',
    ask: async (world) => {
      const headers = world.headers(trusted('admin'))
      const answer = await world.trellis.request('/v1/graphql/explain', { headers, body: { query: '{ now }' } })
      return answer.body
    },
    expected: (word) => ({
      path: '$',
      error: `only ${word === 'hasura' ? 'hasura' : 'database'} queries can be explained`,
      code: 'invalid-params',
    }),
  },
  {
    name: 'which inconsistent objects there are',
    ask: async (world) => {
      await world.trellis.sql('alter table book rename to elsewhere')
      await operation(world, 'reload_metadata', {})
      const { body } = await operation(world, 'get_inconsistent_metadata', {})
      await world.trellis.sql('alter table elsewhere rename to book')
      await operation(world, 'reload_metadata', {})
      const report = body as { is_consistent?: boolean; inconsistent_objects?: unknown[] }
      const list = (Array.isArray(body) ? body : report.inconsistent_objects) as { type: string; definition: unknown }[]
      return { isConsistent: report.is_consistent, first: list.find(({ type }) => type === 'table')?.definition }
    },
    expected: (word) =>
      word === 'hasura'
        ? { isConsistent: false, first: { schema: 'public', name: 'book' } }
        : { isConsistent: undefined, first: 'book' },
  },
  {
    name: 'a document with a key that nobody knows',
    ask: async (world) => {
      const { body: document } = await operation(world, 'export_metadata', {})
      const answer = await operation(world, 'replace_metadata', { ...(document as object), sources: [] })
      const lines = world.log.filter(
        ({ type, detail }) => type === 'metadata' && /unknown key/.test(JSON.stringify(detail)),
      )
      return { answer, logged: lines.map(({ level, detail }) => [level, detail]) }
    },
    expected: (word) =>
      word === 'hasura'
        ? {
            answer: {
              status: 200,
              body: {
                message: 'success',
                passed_over: [{ reason: 'unknown key in metadata is ignored', key: 'sources' }],
              },
            },
            logged: [['warn', { message: 'unknown key in metadata is ignored', info: { key: 'sources' } }]],
          }
        : {
            answer: {
              status: 400,
              body: { path: '$.sources', error: 'unexpected key "sources"', code: 'parse-failed' },
            },
            logged: [],
          },
  },
  {
    name: 'an event trigger that does not say whether it may be invoked by hand',
    ask: async (world) => {
      const trigger = { name: 'told', table: 'book', webhook: 'http://127.0.0.1:1/hook' }
      const { body: bare } = await operation(world, 'create_event_trigger', trigger)
      await operation(world, 'delete_event_trigger', { name: 'told' })
      await operation(world, 'create_event_trigger', { ...trigger, insert: { columns: '*' } })
      const { status } = await operation(world, 'invoke_event_trigger', { name: 'told', payload: {} })
      await operation(world, 'delete_event_trigger', { name: 'told' })
      return { bare, status }
    },
    expected: (word) =>
      word === 'hasura'
        ? {
            bare: {
              path: '$',
              error: 'atleast one amongst insert/update/delete/enable_manual spec must be provided',
              code: 'parse-failed',
            },
            status: 400,
          }
        : { bare: { message: 'success' }, status: 200 },
  },
  {
    name: 'the keys of the configuration report',
    ask: async (world) => {
      const answer = await world.trellis.request<object>('/v1alpha1/config', {
        headers: world.headers(trusted('admin')),
      })
      return Object.keys(answer.body)
    },
    expected: (word) => [
      'version',
      'is_admin_secret_set',
      'is_auth_hook_set',
      'is_jwt_set',
      'jwt',
      'is_allow_list_enabled',
      'live_queries',
      ...(word === 'hasura' ? ['console_assets_dir'] : []),
      ...['dialect', 'apis', 'read_only', 'environment', 'postgres', 'workers', 'plugins'],
    ],
  },
]
