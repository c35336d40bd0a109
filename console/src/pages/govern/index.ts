// Govern: the metadata as a document, its history, objects out of order, limits, and the server itself.

import { ShieldCheck } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'
import { pageCommands } from '../../shell/page-commands.ts'

const load = () => import('./govern.tsx')

export const govern: ConsolePage = {
  id: 'govern',
  title: 'Govern',
  icon: ShieldCheck,
  letter: 'v',
  commands: () =>
    pageCommands([
      { title: 'Metadata', path: 'govern/metadata' },
      { title: 'History of the metadata', path: 'govern/history', plugin: 'history' },
      { title: 'Inconsistent objects', path: 'govern/inconsistent' },
      { title: 'Collections and allow-list', path: 'govern/collections', plugin: 'collections' },
      { title: 'Limits', path: 'govern/limits', plugin: 'limits' },
      { title: 'Plugins of the server', path: 'govern/plugins' },
      { title: 'Server', path: 'govern/server' },
    ]),
  routes: [
    { path: 'govern', load },
    { path: 'govern/$section', load },
  ],
}
