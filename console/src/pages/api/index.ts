// API: GraphQL operations with their variables, results, plans and code.

import { Braces } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'

export const api: ConsolePage = {
  id: 'api',
  title: 'API',
  icon: Braces,
  letter: 'a',
  isOffered: ({ apis }) => apis.enabled.includes('graphql'),
  routes: [{ path: 'api', load: () => import('./api.tsx') }],
}
