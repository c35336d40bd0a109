// SQL: statements with their results, kept as drafts.

import { SquareTerminal } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'

export const sql: ConsolePage = {
  id: 'sql',
  title: 'SQL',
  icon: SquareTerminal,
  letter: 's',
  isOffered: ({ plugins }) => plugins.some(({ name }) => name === 'sql'),
  routes: [{ path: 'sql', load: () => import('./sql.tsx') }],
}
