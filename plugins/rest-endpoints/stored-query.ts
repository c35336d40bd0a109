// The query of a collection as an endpoint runs it: one operation, and its variables.

import { chooseOperation, type graphql as g, graphql, parseText } from '../../sdk/graphql.ts'
import { badRequest, TrellisError } from '../../sdk/index.ts'
import type { CollectedQuery, QueryCollection } from '../collections/schema.ts'
import type { RestEndpoint } from './schema.ts'
import { type VariableReader, variableReader } from './variables.ts'

/** A query that an endpoint can run. */
export interface StoredQuery {
  readonly text: string
  readonly kind: 'query' | 'mutation'
  readonly node: g.OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, g.FragmentDefinitionNode>
  readonly variables: ReadonlyMap<string, VariableReader>
}

/** By entry of the document, which is shared between generations for as long as it does not change. */
const queriesByEntry = new WeakMap<CollectedQuery, StoredQuery | string>()

/** The query of an endpoint; refuses a query that is missing, or that endpoints cannot run. */
export function storedQuery(
  { name, definition: { query } }: Pick<RestEndpoint, 'name' | 'definition'>,
  collections: readonly QueryCollection[],
): StoredQuery {
  const { collection_name, query_name } = query
  const refused = (reason: string) => badRequest('invalid-configuration', `in endpoint ${name}: ${reason}`)
  const collection = collections.find((each) => each.name === collection_name)
  if (!collection) throw refused(`query collection with name "${collection_name}" does not exist`)
  const found = collection.definition.queries.find((each) => each.name === query_name)
  if (!found) throw refused(`query with name "${query_name}" does not exist in query collection "${collection_name}"`)
  const known = queriesByEntry.get(found) ?? readQuery(found)
  queriesByEntry.set(found, known)
  if (typeof known === 'string') throw refused(known)
  return known
}

/** The query, or the reason why no endpoint can run it. */
function readQuery({ name, query: text }: CollectedQuery): StoredQuery | string {
  const document = parseText(text)
  const definitions = document?.definitions ?? []
  const operations = definitions.filter((each) => each.kind === graphql.Kind.OPERATION_DEFINITION)
  const [node, ...others] = operations
  if (!document || !node) return `query with name ${name} has no definitions`
  if (others.length > 0) return `query with name ${name} has multiple definitions`
  if (node.operation === 'subscription') return `query with name ${name} is a subscription`
  const spread = definitions.filter((each) => each.kind === graphql.Kind.FRAGMENT_DEFINITION)
  const fragments = new Map(spread.map((each) => [each.name.value, each]))
  try {
    chooseOperation({ text, node: document, fragments, operations: new Map() }, null)
  } catch (error) {
    if (error instanceof TrellisError) return `query with name ${name} is invalid: ${error.message}`
    throw error
  }
  const variables = (node.variableDefinitions ?? []).map((definition) => {
    const reader = variableReader(definition)
    return [reader.name, reader] as const
  })
  return { text, kind: node.operation, node, fragments, variables: new Map(variables) }
}
