// API: GraphQL operations with their variables, results, plans and code.

import { Braces } from 'lucide-react'
import { openapiQuery } from '../../server/openapi.ts'
import { queries } from '../../server/queries.ts'
import type { ConsolePage } from '../../shell/contract.ts'

export const api: ConsolePage = {
  id: 'api',
  title: 'API',
  icon: Braces,
  letter: 'a',
  isOffered: ({ apis }) => apis.enabled.includes('graphql'),
  async commands() {
    const { operations } = await queries.ensureQueryData(openapiQuery)
    const types = [...new Set(operations.map(({ type }) => type))]
    const forms = types.map((type) => ({
      id: `op ${type}`,
      title: type,
      kind: 'operation',
      path: `api/operations/${type}`,
    }))
    return [
      { id: 'operations', title: 'All operations', kind: 'page', path: 'api/operations' },
      { id: 'rest', title: 'REST endpoints', kind: 'page', path: 'api/rest' },
      ...forms,
    ]
  },
  routes: [
    { path: 'api', load: () => import('./api.tsx') },
    { path: 'api/rest', load: () => import('./rest/rest-page.tsx'), crumbs: () => [{ title: 'REST' }] },
    {
      path: 'api/operations',
      load: () => import('./operations-page.tsx'),
      crumbs: () => [{ title: 'Operations' }],
    },
    {
      path: 'api/operations/$type',
      load: () => import('./operations-page.tsx'),
      crumbs: ({ type = '' }) => [{ title: 'Operations', path: 'api/operations' }, { title: type }],
    },
  ],
}
