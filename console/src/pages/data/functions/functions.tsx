import { useQuery } from '@tanstack/react-query'
import { Mark } from '../../../parts/mark.tsx'
import { Page } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { Table } from '../../../parts/table.tsx'
import { tableKey, tableLabel } from '../../../server/names.ts'
import { metadataQuery } from '../../../server/queries.ts'
import { pathOf, To, useGo } from '../../../shell/navigation.tsx'
import { functionEntry, functionsQuery, type SourceFunction } from './functions-info.ts'

const pathTo = ({ name: { schema, name } }: SourceFunction): string => pathOf('data', schema, 'functions', name)

/** All functions of the database that can be fields of GraphQL. */
export default function Functions() {
  const functions = useQuery(functionsQuery)
  const metadata = useQuery(metadataQuery).data
  const go = useGo()
  const tracked = (functions.data ?? []).filter(({ name }) => functionEntry(metadata, name)).length
  return (
    <Page title="Functions" note={functions.data && `${functions.data.length} of the database, ${tracked} tracked`}>
      {functions.isPending && <Loading label="Reading the functions" queryKey={functionsQuery.queryKey} />}
      {functions.isError && <Failed error={functions.error} onRetry={() => void functions.refetch()} />}
      {functions.data?.length === 0 && (
        <Empty title="No function can be tracked">
          A function that returns rows of a table becomes a field of GraphQL. Create one with SQL, and it appears here.
        </Empty>
      )}
      {functions.data && functions.data.length > 0 && (
        <Table<SourceFunction>
          label="Functions"
          rows={functions.data}
          rowKey={({ name }) => tableKey(name)}
          onOpen={(each) => go(pathTo(each))}
          columns={[
            {
              ...{ key: 'name', title: 'Name', width: 'minmax(120px, 2fr)' },
              cell: (each) => <To path={pathTo(each)}>{tableLabel(each.name)}</To>,
            },
            {
              ...{ key: 'volatility', title: 'Kind', width: 'minmax(90px, 1fr)' },
              cell: ({ volatility }) => volatility.toLowerCase(),
            },
            {
              ...{ key: 'tracked', title: 'Served', width: 'minmax(110px, 1fr)' },
              cell: ({ name }) =>
                functionEntry(metadata, name) ? (
                  <Mark state="good">tracked</Mark>
                ) : (
                  <Mark state="off">not tracked</Mark>
                ),
            },
          ]}
        />
      )}
    </Page>
  )
}
