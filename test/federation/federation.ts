// A library whose tables are entities, and requests for them.

import type { TestContext } from 'node:test'
import { librarySql, trackLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

/** Makes rows of a table entities. */
export const entity = (table: string) => ({
  type: 'pg_set_apollo_federation_config',
  args: { table, apollo_federation_config: { enable: 'v1' } },
})

/** The library; its books and publishers are entities. */
export async function startSubgraph(
  t: TestContext,
  { sql = '', ...options }: TrellisOptions = {},
): Promise<TestTrellis> {
  const settings = { enableApolloFederation: true, ...options.settings }
  const trellis = await startTrellis(t, { ...options, sql: librarySql + sql, settings })
  await trellis.op('bulk', [...trackLibrary, entity('book'), entity('publisher')])
  return trellis
}

interface EntityOptions {
  readonly role?: string
  readonly declares?: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly fragments?: string
}

interface EntityAnswer {
  readonly data?: { readonly _entities: readonly unknown[] }
  readonly errors?: readonly { readonly message: string; readonly extensions: { path: string; code: string } }[]
}

function ask(
  trellis: TestTrellis,
  representations: unknown,
  selection: string,
  { role, declares = '', variables, fragments = '' }: EntityOptions = {},
): Promise<EntityAnswer> {
  const query = `query ($representations: [_Any!]! ${declares}) {
    _entities(representations: $representations) { ${selection} }
  } ${fragments}`
  return trellis.graphql(query, { representations, ...variables }, role === undefined ? {} : { role })
}

/** Asks for entities by variable, as gateways do. */
export async function entitiesOf(...request: Parameters<typeof ask>): Promise<readonly unknown[]> {
  const { data, errors } = await ask(...request)
  if (!data || errors) throw new Error(JSON.stringify(errors))
  return data._entities
}

/** Sends a request that is refused; returns code, path and message. */
export async function refused(...request: Parameters<typeof ask>): Promise<readonly string[]> {
  const { errors } = await ask(...request)
  if (!errors) throw new Error('answered')
  const { message, extensions } = errors[0]!
  return [extensions.code, extensions.path, message]
}

/** The SDL that a gateway gets. */
export async function sdlOf(trellis: TestTrellis, role?: string): Promise<string> {
  const options = role === undefined ? {} : { role }
  const query = '{ _service { sdl } }'
  const { data } = await trellis.graphql<{ data: { _service: { sdl: string } } }>(query, {}, options)
  return data._service.sdl
}
