import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { formatEstimate, plural } from '../../base/format.ts'
import { Page } from '../../parts/page.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Mounted } from '../../plugins/mounted.tsx'
import { type TableName, tableKey } from '../../server/names.ts'
import { useParts } from '../../server/plugin-parts.ts'
import { metadataQuery, sourceTablesQuery, tablesOf, useApi, usePlugin } from '../../server/queries.ts'
import { pathOf, useNames, useReturn } from '../../shell/navigation.tsx'
import { tableInfoQuery } from './table-info.ts'

const Rows = lazy(() => import('./rows/rows.tsx'))
const Permissions = lazy(() => import('./permissions/permissions.tsx'))
const Relations = lazy(() => import('./relations/relations.tsx'))
const EventsTab = lazy(() => import('./uses/events-tab.tsx'))
const ApiTab = lazy(() => import('./uses/api-tab.tsx'))
const Structure = lazy(() => import('./structure/structure.tsx'))

const tabs = [
  { value: 'rows', label: 'Rows' },
  { value: 'structure', label: 'Structure' },
  { value: 'relations', label: 'Relations' },
  { value: 'permissions', label: 'Permissions' },
  { value: 'events', label: 'Events' },
  { value: 'api', label: 'API' },
] as const

/** The tabs that plugins add for a table. */
function usePluginTabs(table: TableName) {
  const all = useParts().table_tabs
  const metadata = useQuery({ ...metadataQuery, enabled: all.some(({ facet }) => facet !== null) }).data
  const entry = metadata && tablesOf(metadata).find((each) => tableKey(each.table) === tableKey(table))
  return all
    .filter(({ facet }) => facet === null || entry?.[facet] !== undefined)
    .map((part) => ({ value: `${part.plugin}.${part.id}`, label: part.title, part }))
}

/** A table: its rows and its structure. */
export default function TablePage() {
  const { schema = '', table: name = '', tab = 'rows' } = useNames()
  const table: TableName = { schema, name }
  const go = useReturn()
  const listed = useQuery(sourceTablesQuery).data?.find((each) => each.schema === schema && each.name === name)
  const info = useQuery(tableInfoQuery(table))
  const added = usePluginTabs(table)
  const hasEvents = usePlugin('event-triggers')
  const hasGraphql = useApi('graphql')
  const offered = tabs.filter(({ value }) => (value !== 'events' || hasEvents) && (value !== 'api' || hasGraphql))
  const all = [...offered, ...added]
  const chosen = all.find(({ value }) => value === tab)?.value ?? 'rows'
  const plugin = added.find(({ value }) => value === chosen)?.part
  const rows = listed?.estimated_rows
  const facts = [
    listed?.kind,
    typeof rows === 'number' ? `${formatEstimate(rows)} rows` : null,
    info.data && plural(info.data.columns.length, 'column'),
    listed && !listed.is_tracked ? 'not tracked' : null,
  ]
  return (
    <Page title={schema === 'public' ? name : `${schema}.${name}`} note={facts.filter(Boolean).join(', ')}>
      {info.isPending && (
        <Loading label="Reading the table" queryKey={info.data ? [] : tableInfoQuery(table).queryKey} />
      )}
      {info.isError && <Failed error={info.error} onRetry={() => void info.refetch()} />}
      {info.data && (
        <Tabs<string>
          label="Table"
          value={chosen}
          tabs={all}
          onChange={(next) => go(next === 'rows' ? pathOf('data', schema, name) : pathOf('data', schema, name, next))}
        >
          <Suspense fallback={<Loading label="Loading" />}>
            {chosen === 'rows' && (
              <Rows
                key={JSON.stringify(table)}
                info={info.data}
                isTracked={listed?.is_tracked !== false}
                estimatedRows={rows ?? 0}
              />
            )}
            {chosen === 'structure' && <Structure info={info.data} />}
            {chosen === 'relations' && <Relations info={info.data} />}
            {chosen === 'permissions' && <Permissions info={info.data} />}
            {chosen === 'events' && <EventsTab info={info.data} />}
            {chosen === 'api' && <ApiTab info={info.data} />}
            {plugin && <Mounted part={plugin} context={{ table }} />}
          </Suspense>
        </Tabs>
      )}
    </Page>
  )
}
