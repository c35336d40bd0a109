// The paths of subscriptions: those of GraphQL over HTTP.

import type { SchemaKind } from '../../../sdk/graphql.ts'
import type { Engine } from '../../../sdk/index.ts'

export interface Endpoint {
  readonly schema: SchemaKind
  /** Whether errors have the flat form. */
  readonly isFlat: boolean
}

/** By path. */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/graphql', { schema: 'standard', isFlat: false }],
  ['/v1alpha1/graphql', { schema: 'standard', isFlat: true }],
  ['/v1beta1/relay', { schema: 'relay', isFlat: false }],
])

/** The endpoint of a request target; null if HTTP requests are not served there either. */
export function endpointOf(target: string, { routes }: Pick<Engine, 'routes'>): Endpoint | null {
  const [path = ''] = target.split('?', 1)
  const endpoint = endpoints.get(path)
  if (!endpoint) return null
  return routes.all().some(({ method, url }) => method === 'POST' && url === path) ? endpoint : null
}
