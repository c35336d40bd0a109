// SQL: statements with their results, kept as drafts.

import { SquareTerminal } from 'lucide-react'
import { titleOf } from '../../base/drafts.ts'
import type { ConsolePage } from '../../shell/contract.ts'
import { found } from '../../shell/finding.ts'
import { drafts } from './drafts.ts'

export const sql: ConsolePage = {
  id: 'sql',
  title: 'SQL',
  icon: SquareTerminal,
  letter: 's',
  isOffered: ({ plugins }) => plugins.some(({ name }) => name === 'sql'),
  routes: [{ path: 'sql', load: () => import('./sql.tsx') }],
  async search(text) {
    const commands = drafts.all.get().flatMap(({ id, text }) => {
      const command = { id: `sql ${id}`, title: titleOf(text), kind: 'SQL draft', path: `sql?draft=${id}` }
      return text.trim() === '' ? [] : [command]
    })
    return found(commands, text)
  },
}
