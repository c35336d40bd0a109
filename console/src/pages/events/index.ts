// Events: event triggers with their log, cron triggers, one-off events, and jobs.

import { Zap } from 'lucide-react'
import type { ConsolePage } from '../../shell/contract.ts'
import { pathOf } from '../../shell/paths.ts'

const load = () => import('./events.tsx')

export const events: ConsolePage = {
  id: 'events',
  title: 'Events',
  icon: Zap,
  letter: 'e',
  isOffered: ({ plugins }) => plugins.some(({ name }) => name === 'event-triggers' || name === 'scheduled'),
  byId: (id) => [
    { id: `event ${id}`, title: `Event or request ${id}`, kind: 'event', path: pathOf('events', 'log', id) },
  ],
  routes: [
    { path: 'events', load },
    { path: 'events/$section', load },
    { path: 'jobs', load: async () => ({ default: (await load()).Jobs }) },
    {
      path: 'events/log/$id',
      load: () => import('./timeline.tsx'),
      crumbs: ({ id = '' }) => [{ title: 'Log', path: 'events/log' }, { title: id }],
    },
  ],
}
