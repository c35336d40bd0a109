// Roles: their permissions on all tables.

import { Users } from 'lucide-react'
import { rolesOf, seenMetadata } from '../../server/queries.ts'
import type { ConsolePage } from '../../shell/contract.ts'
import { pathOf } from '../../shell/paths.ts'

export const roles: ConsolePage = {
  id: 'roles',
  title: 'Roles',
  icon: Users,
  letter: 'r',
  routes: [
    { path: 'roles', load: () => import('./roles.tsx') },
    { path: 'roles/$role', load: () => import('./role-page.tsx'), crumbs: ({ role = '' }) => [{ title: role }] },
    { path: 'roles/compare', load: () => import('./compare.tsx'), crumbs: () => [{ title: 'Compare' }] },
  ],
  async commands() {
    const metadata = await seenMetadata()
    return [
      { id: 'page roles/compare', title: 'Compare roles', kind: 'page', path: 'roles/compare' },
      ...rolesOf(metadata).map((role) => ({
        ...{ id: `role ${role}`, title: role, kind: 'role' },
        path: pathOf('roles', role),
      })),
    ]
  },
}
