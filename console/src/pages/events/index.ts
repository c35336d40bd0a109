// Events: event triggers with their log, cron triggers, one-off events, and jobs.

import { Zap } from 'lucide-react'
import { configQuery, queries, seenMetadata } from '../../server/queries.ts'
import type { ConsolePage } from '../../shell/contract.ts'
import { pageCommands } from '../../shell/page-commands.ts'
import { pathOf } from '../../shell/paths.ts'
import { cronTriggersQuery } from './cron-triggers.ts'
import { eventTriggersOf } from './event-triggers.ts'

/** The names of the cron triggers, where the server has them. */
async function cronNames(): Promise<readonly string[]> {
  const { plugins } = await queries.ensureQueryData(configQuery)
  if (!plugins.some(({ name }) => name === 'scheduled')) return []
  return (await queries.fetchQuery(cronTriggersQuery)).map(({ name }) => name)
}

const triggerPath = (section: string, name: string): string =>
  `${pathOf('events', section)}?trigger=${encodeURIComponent(name)}`

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
  async commands() {
    const [parts, metadata, crons] = await Promise.all([
      pageCommands([
        { title: 'Event log', path: 'events/log', plugin: 'event-triggers' },
        { title: 'Cron triggers', path: 'events/cron', plugin: 'scheduled' },
        { title: 'One-off events', path: 'events/once', plugin: 'scheduled' },
        { title: 'Jobs', path: 'jobs', plugin: 'jobs' },
      ]),
      seenMetadata(),
      cronNames(),
    ])
    return [
      ...parts,
      ...eventTriggersOf(metadata).map(({ name }) => ({
        ...{ id: `trigger ${name}`, title: name, kind: 'event trigger', path: triggerPath('triggers', name) },
      })),
      ...crons.map((name) => ({
        ...{ id: `cron ${name}`, title: name, kind: 'cron trigger', path: triggerPath('cron', name) },
      })),
    ]
  },
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
