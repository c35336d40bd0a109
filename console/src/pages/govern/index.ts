// Govern: the metadata as a document, its history, objects out of order, limits, and the server itself.

import { ShieldCheck } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'

const load = () => import('./govern.tsx')

export const govern: ConsolePage = {
  id: 'govern',
  title: 'Govern',
  icon: ShieldCheck,
  letter: 'v',
  routes: [
    { path: 'govern', load },
    { path: 'govern/$section', load },
  ],
}
