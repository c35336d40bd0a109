// Now: how the server is doing.

import { Activity } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'

export const now: ConsolePage = {
  id: 'now',
  title: 'Now',
  icon: Activity,
  letter: 'n',
  routes: [{ path: 'now', load: () => import('./now.tsx') }],
}
