// Events: event triggers with their log, cron triggers, one-off events, and jobs.

import { Zap } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'

const load = () => import('./events.tsx')

export const events: ConsolePage = {
  id: 'events',
  title: 'Events',
  icon: Zap,
  letter: 'e',
  isOffered: ({ plugins }) => plugins.some(({ name }) => name === 'event-triggers' || name === 'scheduled'),
  routes: [
    { path: 'events', load },
    { path: 'events/$section', load },
  ],
}
