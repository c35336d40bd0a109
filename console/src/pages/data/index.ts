// Data: tables, their rows and their structure.

import { Table2 } from 'lucide-react'
import { tableKey, tableLabel } from '../../server/names.ts'
import { queries, sourceTablesQuery } from '../../server/queries.ts'
import type { ConsolePage } from '../../shell/contract.ts'
import { pathOf } from '../../shell/paths.ts'
import { searchColumns } from './search.ts'

export const data: ConsolePage = {
  id: 'data',
  title: 'Data',
  icon: Table2,
  letter: 'd',
  routes: [
    { path: 'data', load: () => import('./overview.tsx') },
    {
      path: 'data/diagram',
      load: () => import('./diagram/diagram.tsx'),
      crumbs: () => [{ title: 'Diagram' }],
    },
    {
      path: 'data/functions',
      load: () => import('./functions/functions.tsx'),
      crumbs: () => [{ title: 'Functions' }],
    },
    {
      path: 'data/$schema/functions/$name',
      load: () => import('./functions/function-page.tsx'),
      crumbs: ({ name = '' }) => [{ title: 'Functions', path: 'data/functions' }, { title: name }],
    },
    ...['data/$schema/$table', 'data/$schema/$table/$tab'].map((path) => ({
      path,
      load: () => import('./table-page.tsx'),
      crumbs: ({ schema = '', table = '' }) => [
        ...(schema === 'public' ? [] : [{ title: schema, path: `data?schema=${encodeURIComponent(schema)}` }]),
        { title: table },
      ],
    })),
  ],
  search: searchColumns,
  async commands() {
    const tables = await queries.fetchQuery({ ...sourceTablesQuery, staleTime: Infinity })
    return [
      { id: 'page data/diagram', title: 'Diagram', kind: 'page', path: 'data/diagram' },
      { id: 'page data/functions', title: 'Functions', kind: 'page', path: 'data/functions' },
      ...tables.map((table) => ({
        ...{ id: `table ${tableKey(table)}`, title: tableLabel(table), kind: 'table' },
        path: pathOf('data', table.schema, table.name),
      })),
    ]
  },
}
