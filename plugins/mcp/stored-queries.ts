// The stored queries that a role may run as tools: those of the allow-list, and those of REST endpoints.

import { type graphql as g, graphql, parseText } from '../../sdk/graphql.ts'
import { isAdmin, type Session } from '../../sdk/index.ts'
import { allowedQueries, documentGate } from '../collections/index.ts'
import type { McpEngine } from './options.ts'
import { longestQueryShown } from './tuning.ts'

/** One operation of a stored query. */
export interface StoredOperation {
  /** The parts of its tool's name. */
  readonly parts: readonly string[]
  readonly title: string
  readonly description: string
  readonly query: string
  readonly operationName: string | null
  readonly kind: 'query' | 'mutation'
  /** Descriptions of variables, by name. */
  readonly variables: ReadonlyMap<string, string>
}

/** The operations that a session may run; whether its role has their fields is not checked here. */
export function storedOperations(engine: McpEngine, session: Session): StoredOperation[] {
  const { mcpMutations } = engine.options
  const { document } = engine.metadata.service
  const endpoints = engine.model.slices.rest_endpoints?.all ?? []
  const commentOf = (collection: string, query: string): string | undefined =>
    endpoints.find(({ endpoint: { definition } }) => {
      const { collection_name, query_name } = definition.query
      return collection_name === collection && query_name === query
    })?.endpoint.comment ?? undefined

  const allowed = allowedQueries(document, session)
  const offered = new Set(allowed.map(({ query }) => query))
  const ofCollections = allowed.flatMap(({ collection, name, query }) => {
    const standard = `Runs the GraphQL operation "${name}" of the collection "${collection}".`
    return operationsIn(query, {
      parts: [collection, name],
      title: name,
      standard: commentOf(collection, name) ?? standard,
    })
  })
  const mayRun = engine.use(documentGate)
  const ofEndpoints = endpoints.flatMap(({ endpoint: { name, comment }, query: { text } }) => {
    if (offered.has(text) || !mayRun(text, session)) return []
    const standard = comment ?? `Runs the query of the REST endpoint "${name}".`
    const operations = operationsIn(text, { parts: [name], title: name, standard })
    return operations.filter(({ kind }) => kind === 'query')
  })
  const mayChange = mcpMutations && !session.readOnly
  return [...ofCollections, ...ofEndpoints].filter(({ kind }) => kind === 'query' || mayChange)
}

interface Circumstances {
  readonly parts: readonly string[]
  readonly title: string
  /** The description of an operation that has none. */
  readonly standard: string
}

/** The queries and mutations in a text; a text of several operations gives one of each. */
function operationsIn(query: string, { parts, title, standard }: Circumstances): StoredOperation[] {
  const definitions = parseText(query)?.definitions ?? []
  const operations = definitions.filter((each) => each.kind === graphql.Kind.OPERATION_DEFINITION)
  const isAlone = operations.length === 1
  const comment = isAlone ? leadingComment(query) : ''
  return operations.flatMap((node): StoredOperation[] => {
    const { operation: kind, name } = node
    if (kind === 'subscription') return []
    const own = isAlone ? [] : [name?.value ?? '']
    const words = node.description?.value.trim() || comment || standard
    return [
      {
        parts: [...parts, ...own],
        title: [title, ...own].join(' '),
        description: `${words}\n\n${shownQuery(query)}`,
        query,
        operationName: isAlone ? null : (name?.value ?? null),
        kind,
        variables: describedVariables(node),
      },
    ]
  })
}

/** The comment lines before anything else in a text. */
function leadingComment(text: string): string {
  const lines: string[] = []
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const trimmed = line.trim()
    if (trimmed.startsWith('#')) lines.push(trimmed.replace(/^#+ ?/, ''))
    else if (trimmed !== '' || lines.length > 0) break
  }
  return lines.join('\n').trim()
}

const shownQuery = (query: string): string =>
  query.length <= longestQueryShown ? query.trim() : `${query.slice(0, longestQueryShown).trim()} …`

const describedVariables = ({ variableDefinitions = [] }: g.OperationDefinitionNode): ReadonlyMap<string, string> =>
  new Map(
    variableDefinitions.flatMap(({ variable, description }) => {
      return description ? [[variable.name.value, description.value] as const] : []
    }),
  )

/** A role may use tools only if it is not `admin`, unless an option allows that. */
export const mayUseTools = ({ options }: McpEngine, session: Session): boolean =>
  !isAdmin(session) || options.mcpAllowAdmin
