import { useQuery } from '@tanstack/react-query'
import { OperationForm } from '../../forms/operation-form.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { Body, Page, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { openapiQuery } from '../../server/openapi.ts'
import { useGo, useNames, useUrlState } from '../../shell/navigation.tsx'

/** All operations of the metadata API, or the form of one. */
export default function OperationsPage() {
  const { type } = useNames()
  return type === undefined ? <AllOperations /> : <OneOperation type={type} />
}

function OneOperation({ type }: { readonly type: string }) {
  const api = useQuery(openapiQuery)
  const versions = api.data?.operations.filter((each) => each.type === type) ?? []
  const [version, setVersion] = useUrlState('version')
  return (
    <Page title={type} note={versions[0]?.plugin && `of the plugin ${versions[0].plugin}`}>
      {versions.length > 1 && (
        <Toolbar label="Version">
          <Select
            label="Version"
            value={version === '' ? String(versions[0]?.version) : version}
            options={versions.map((each) => ({ value: String(each.version), label: `version ${each.version}` }))}
            onChange={setVersion}
          />
        </Toolbar>
      )}
      <Body>
        <OperationForm type={type} {...(version !== '' && { version: Number(version) })} />
      </Body>
    </Page>
  )
}

function AllOperations() {
  const api = useQuery(openapiQuery)
  const [filter, setFilter] = useUrlState('filter')
  const go = useGo()
  const words = filter.toLowerCase().split(/\s+/)
  const types = new Map(api.data?.operations.map((each) => [each.type, each]))
  const shown = [...types.values()].filter(({ type, summary, plugin }) =>
    words.every((word) => `${type} ${summary} ${plugin}`.toLowerCase().includes(word)),
  )
  return (
    <Page title="Operations" note={api.data && `${types.size} operations of the metadata API, each with its form`}>
      <Toolbar label="Operations">
        <Field
          label="Filter operations"
          isLabelHidden
          placeholder="Filter"
          data-filter
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </Toolbar>
      {api.isPending && <Loading label="Reading the operations" queryKey={openapiQuery.queryKey} />}
      {api.isError && <Failed error={api.error} onRetry={() => void api.refetch()} />}
      {api.data && shown.length === 0 && <Empty title="No operation matches">Change the filter.</Empty>}
      {shown.length > 0 && (
        <Table
          label="Operations"
          rows={shown}
          rowKey={({ type }) => type}
          onOpen={({ type }) => go(`api/operations/${encodeURIComponent(type)}`)}
          columns={[
            { key: 'type', title: 'Operation', width: 'minmax(200px, 2fr)', cell: ({ type }) => <code>{type}</code> },
            {
              key: 'summary',
              title: 'Summary',
              width: 'minmax(360px, 3fr)',
              isSecondary: true,
              cell: ({ summary }) => <span title={summary}>{summary}</span>,
            },
            { key: 'plugin', title: 'Plugin', width: '160px', isSecondary: true, cell: ({ plugin }) => plugin },
          ]}
        />
      )}
    </Page>
  )
}
