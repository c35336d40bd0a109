// Types of a role's schema, read one by one: never the whole schema.

import type { Identity } from '../../requests/identity.ts'
import { graphql } from '../../server/operations.ts'
import type { SchemaType } from './schema.ts'

const typeQuery = `query type($name: String!) { __type(name: $name) { name kind description
  fields(includeDeprecated: true) { name description isDeprecated type { ...reference }
    args { name description type { ...reference } } }
  inputFields { name description type { ...reference } }
  enumValues(includeDeprecated: true) { name description } } }
fragment reference on __Type { name kind ofType { name kind ofType { name kind ofType { name kind } } } }`

/** The data that a query answers. Throws the first error. */
export async function answerOf<T>(query: string, variables: unknown, as: Identity, signal: AbortSignal): Promise<T> {
  const { body } = await graphql<T>({ query, variables, operationName: query.split(/\W+/)[1] ?? '' }, { as, signal })
  if (!body.data) throw new Error(body.errors?.[0]?.message ?? 'the server answered nothing')
  return body.data
}

const rootsQuery = 'query roots { __schema { queryType { name } mutationType { name } subscriptionType { name } } }'

/** The root types; null: the role has no such operations. */
export type Roots = Readonly<
  Record<'queryType' | 'mutationType' | 'subscriptionType', { readonly name: string } | null>
>

/** The root types of the schema. */
export const readRoots = async (as: Identity, signal: AbortSignal): Promise<Roots> =>
  (await answerOf<{ __schema: Roots }>(rootsQuery, undefined, as, signal)).__schema

/** A type of the schema; null: the role has no such type. */
export const readType = async (name: string, as: Identity, signal: AbortSignal): Promise<SchemaType | null> =>
  (await answerOf<{ __type: SchemaType | null }>(typeQuery, { name }, as, signal)).__type
