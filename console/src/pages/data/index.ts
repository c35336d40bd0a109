// Data: tables, their rows and their structure.

import { Table2 } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'

export const data: ConsolePage = {
  id: 'data',
  title: 'Data',
  icon: Table2,
  letter: 'd',
  routes: [{ path: 'data', load: () => import('./overview.tsx') }],
}
