// The pages that plugins add. The rail lists each of them itself.

import { Plug } from 'lucide-react'
import { partsOf } from '../../server/plugin-parts.ts'
import { configQuery, queries } from '../../server/queries.ts'
import type { ConsolePage } from '../../shell/contract.ts'

export const plugins: ConsolePage = {
  id: 'x',
  title: 'Plugins',
  icon: Plug,
  letter: '',
  isListed: false,
  routes: [
    {
      path: 'x/$plugin/$',
      load: () => import('../../plugins/plugin-page.tsx'),
      crumbs: ({ plugin = '', _splat: path = '' }) => {
        const config = queries.getQueryData(configQuery.queryKey)
        const page = partsOf(config).pages.find((each) => each.plugin === plugin && each.path === path)
        return [{ title: page?.title ?? plugin }]
      },
    },
  ],
  async commands() {
    const { pages, commands } = partsOf(await queries.ensureQueryData(configQuery))
    return [
      ...pages.map(({ plugin, path, title }) => ({
        ...{ id: `x ${plugin} ${path}`, title, kind: 'page', path: `x/${plugin}/${path}` },
      })),
      ...commands.map(({ plugin, id, title, operation }) => ({
        ...{ id: `x ${plugin} ${id}`, title, kind: 'command', path: `api/operations/${encodeURIComponent(operation)}` },
      })),
    ]
  },
}
