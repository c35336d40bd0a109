// Remote: GraphQL servers beside the tables, and actions that webhooks answer.

import { Cable } from 'lucide-react'
import { seenMetadata } from '../../server/queries.ts'
import { remoteSchemasOf } from '../../server/remote-schemas.ts'
import type { ConsolePage } from '../../shell/contract.ts'
import { pathOf } from '../../shell/paths.ts'
import { actionsOf } from './actions.ts'

const load = () => import('./remote.tsx')

export const remote: ConsolePage = {
  id: 'remote',
  title: 'Remote',
  icon: Cable,
  letter: 'm',
  isOffered: ({ plugins }) => plugins.some(({ name }) => name === 'remote-schemas' || name === 'actions'),
  routes: [
    { path: 'remote', load },
    { path: 'actions', load, crumbs: () => [{ title: 'Actions' }] },
    {
      path: 'actions/$action',
      load,
      crumbs: ({ action = '' }) => [{ title: 'Actions', path: 'actions' }, { title: action }],
    },
    { path: 'remote/$name', load: () => import('./schema-page.tsx'), crumbs: ({ name = '' }) => [{ title: name }] },
  ],
  async commands() {
    const metadata = await seenMetadata()
    return [
      ...remoteSchemasOf(metadata).map(({ name }) => ({
        ...{ id: `remote schema ${name}`, title: name, kind: 'remote schema' },
        path: pathOf('remote', name),
      })),
      ...actionsOf(metadata).map(({ name }) => ({
        ...{ id: `action ${name}`, title: name, kind: 'action' },
        path: pathOf('actions', name),
      })),
    ]
  },
}
