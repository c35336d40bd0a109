// The paths on which subscriptions are served: those of GraphQL over HTTP.

import type { SchemaKind } from '../../../sdk/graphql.ts'
import type { Engine } from '../../../sdk/index.ts'

export interface Endpoint {
  readonly schema: SchemaKind
  /** Whether errors are flat. */
  readonly isFlat: boolean
}

/** By their paths. */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/graphql', { schema: 'standard', isFlat: false }],
  ['/v1alpha1/graphql', { schema: 'standard', isFlat: true }],
  ['/v1beta1/relay', { schema: 'relay', isFlat: false }],
])

/** What is served at the target of a request; null where requests over HTTP are not served either. */
export function endpointOf(target: string, { routes }: Pick<Engine, 'routes'>): Endpoint | null {
  const [path = ''] = target.split('?', 1)
  const endpoint = endpoints.get(path)
  if (!endpoint) return null
  return routes.all().some(({ method, url }) => method === 'POST' && url === path) ? endpoint : null
}
