// API: GraphQL operations with their variables, results, plans and code.

import { Braces } from 'lucide-react'
import { openapiQuery } from '../../server/openapi.ts'
import { queries } from '../../server/queries.ts'
import type { ConsolePage } from '../../shell/contract.ts'
import { found } from '../../shell/finding.ts'
import { drafts } from './drafts.ts'
import { titleOf } from './operations.ts'

export const api: ConsolePage = {
  id: 'api',
  title: 'API',
  icon: Braces,
  letter: 'a',
  isOffered: ({ apis }) => apis.enabled.includes('graphql'),
  async search(text) {
    const tabs = drafts.all.get().flatMap(({ id, text }) => {
      const command = { id: `api ${id}`, title: titleOf(text), kind: 'API tab', path: `api?tab=${id}` }
      return text.trim() === '' ? [] : [command]
    })
    return found(tabs, text)
  },
  async commands() {
    const described = await queries.ensureQueryData(openapiQuery).catch(() => null)
    const types = [...new Set(described?.operations.map(({ type }) => type) ?? [])]
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
