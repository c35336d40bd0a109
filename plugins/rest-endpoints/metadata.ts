// The slice `rest_endpoints`: the endpoints, and the templates that find them by a request's path.

import { compareText, TrellisError } from '../../sdk/index.ts'
import type { MetadataDocument, ObjectRef, SliceContext, SliceDefinition } from '../../sdk/metadata.ts'
import type { QueryCollection } from '../collections/schema.ts'
import { ambiguousEndpoints, type Segment, segmentsOf, Templates, urlProblem } from './paths.ts'
import { DocumentEndpoints, type RestEndpoint } from './schema.ts'
import { type StoredQuery, storedQuery } from './stored-query.ts'

/** An endpoint that can be requested. */
export interface ServedEndpoint {
  readonly endpoint: RestEndpoint
  readonly segments: readonly Segment[]
  readonly query: StoredQuery
}

/** The endpoints of a model. */
export interface ServedEndpoints {
  readonly all: readonly ServedEndpoint[]
  readonly templates: Templates<ServedEndpoint>
}

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    rest_endpoints: ServedEndpoints
  }
}

const kind = 'rest_endpoint'

export const endpointRef = (name: string): ObjectRef => ({ kind, name })

const described = (endpoint: RestEndpoint) => ({ ref: endpointRef(endpoint.name), type: kind, definition: endpoint })

/** The reason why an endpoint cannot be served, whatever the others are; null if it can. */
export function endpointProblem(endpoint: RestEndpoint, collections: readonly QueryCollection[]): string | null {
  const problem = urlProblem(endpoint.url)
  if (problem !== null) return problem
  try {
    storedQuery(endpoint, collections)
    return null
  } catch (error) {
    if (error instanceof TrellisError) return error.message
    throw error
  }
}

/** The reason why endpoints that can match the same request are inconsistent. */
export const ambiguity = (endpoints: readonly RestEndpoint[]): string =>
  `Ambiguous URL paths: ${endpoints
    .map(({ url }) => url)
    .sort(compareText)
    .join(', ')}`

function resolveEndpoints(entries: readonly RestEndpoint[], context: SliceContext): ServedEndpoints {
  const collections = context.slice('query_collections')
  const sound: RestEndpoint[] = []
  for (const entry of entries) {
    const problem = endpointProblem(entry, collections)
    if (problem === null) sound.push(entry)
    else context.report(described(entry), problem)
  }
  // These are served all the same: a request is refused only if several of them match it.
  for (const group of ambiguousEndpoints(sound)) context.reportClash(group.map(described), ambiguity(group))
  const templates = new Templates<ServedEndpoint>()
  const all = sound.map((endpoint) => {
    const served = { endpoint, segments: segmentsOf(endpoint.url), query: storedQuery(endpoint, collections) }
    templates.add(served.segments, served)
    return served
  })
  return { all, templates }
}

/** The entry of that name. */
export const findEndpoint = (
  { rest_endpoints }: Pick<MetadataDocument, 'rest_endpoints'>,
  name: string,
): RestEndpoint | undefined => rest_endpoints.find((each) => each.name === name)

function removeEndpoint(draft: MetadataDocument, { kind: of, name }: ObjectRef): boolean {
  if (of !== kind) return false
  const index = draft.rest_endpoints.findIndex((each) => each.name === name)
  if (index < 0) return false
  draft.rest_endpoints.splice(index, 1)
  return true
}

/** The endpoints that use a query, for the reason why it is inconsistent. */
export function endpointsOf(
  { rest_endpoints }: Pick<MetadataDocument, 'rest_endpoints'>,
  collection: string,
  query: string,
): string {
  const names = rest_endpoints
    .filter(({ definition: { query: used } }) => used.collection_name === collection && used.query_name === query)
    .map(({ name }) => `"${name}"`)
  if (names.length === 0) return ''
  return `. This query is being used in the following REST endpoint(s): ${names.join(', ')}`
}

export const restEndpointsSlice: SliceDefinition<'rest_endpoints', typeof DocumentEndpoints> = {
  schema: DocumentEndpoints,
  empty: [],
  entryKey: ({ name }: RestEndpoint) => name,
  resolve: resolveEndpoints,
  remove: removeEndpoint,
}
