import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { plural } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Page, Space, Toolbar } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { Table } from '../../../parts/table.tsx'
import { readOnly } from '../../../requests/mode.ts'
import { metadataQuery } from '../../../server/queries.ts'
import { To, useUrlState } from '../../../shell/navigation.tsx'
import { collectionsOf } from '../../govern/collections/collections-model.ts'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { endpointsOf } from './rest-model.ts'
import type { RestEndpoint } from './rest-request.ts'

/** The REST endpoints: queries of collections at paths of their own. */
export default function RestPage() {
  const metadata = useQuery(metadataQuery)
  const canEdit = useStore(readOnly) === null
  const [chosen, setChosen] = useUrlState('name')
  const [isCreating, setCreating] = useState(false)
  const endpoints = metadata.data ? endpointsOf(metadata.data) : []
  const hasQueries = metadata.data !== undefined && collectionsOf(metadata.data).length > 0
  const endpoint = endpoints.find(({ name }) => name === chosen)
  return (
    <Page title="REST endpoints" note="Queries of collections at paths below api/rest">
      {metadata.isPending && <Loading label="Reading the endpoints" queryKey={metadataQuery.queryKey} />}
      {metadata.isError && !metadata.data && <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />}
      {canEdit && hasQueries && (
        <Toolbar label="REST endpoints">
          <Space />
          <Button look="main" onClick={() => setCreating(true)}>
            <Plus aria-hidden /> Create REST endpoint
          </Button>
        </Toolbar>
      )}
      {metadata.data && endpoints.length === 0 && (
        <Empty
          title="There is no REST endpoint yet"
          {...(!hasQueries && { actions: <To path="api">Write a query</To> })}
        >
          {hasQueries
            ? 'An endpoint runs a query of a collection, for clients that do not speak GraphQL.'
            : 'An endpoint runs a query of a collection. Write one, and choose "Add to a collection".'}
        </Empty>
      )}
      {endpoints.length > 0 && (
        <Table<RestEndpoint>
          label="Endpoints"
          rows={endpoints}
          rowKey={({ name }) => name}
          onOpen={({ name }) => setChosen(name)}
          columns={[
            {
              ...{ key: 'name', title: plural(endpoints.length, 'endpoint'), width: 'minmax(104px, 1fr)' },
              cell: ({ name }) => <strong>{name}</strong>,
            },
            {
              ...{ key: 'methods', title: 'Methods', width: 'minmax(120px, 1fr)', isSecondary: true },
              cell: (each) => each.methods.join(', '),
            },
            { key: 'url', title: 'Path', width: 'minmax(120px, 2fr)', cell: ({ url }) => <code>{url}</code> },
            {
              ...{ key: 'query', title: 'Query', width: 'minmax(160px, 2fr)', isSecondary: true },
              cell: ({ definition: { query } }) => `${query.collection_name} / ${query.query_name}`,
            },
          ]}
        />
      )}
      {metadata.data && endpoint && (
        <EndpointDialog metadata={metadata.data} endpoint={endpoint} onClose={() => setChosen('')} />
      )}
      {metadata.data && isCreating && <EndpointForm metadata={metadata.data} onClose={() => setCreating(false)} />}
    </Page>
  )
}
