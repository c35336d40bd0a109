import { useQuery } from '@tanstack/react-query'
import { OperationForm } from '../forms/operation-form.tsx'
import { JsonTree } from '../parts/json-tree.tsx'
import { Body, Page } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Table, type TableColumn } from '../parts/table.tsx'
import type { PluginPage } from '../server/config-parts.ts'
import { run } from '../server/operations.ts'
import { partsOf } from '../server/plugin-parts.ts'
import { configQuery } from '../server/queries.ts'
import { To, useNames } from '../shell/navigation.tsx'
import { Mounted } from './mounted.tsx'

/** A page that a plugin adds. */
export default function PluginPagePlace() {
  const { plugin = '', _splat: path = '' } = useNames()
  const config = useQuery(configQuery)
  if (config.isPending) return <Loading label="Reading the configuration" />
  if (config.isError) return <Failed error={config.error} onRetry={() => void config.refetch()} />
  const page = partsOf(config.data).pages.find((each) => each.plugin === plugin && each.path === path)
  if (!page) {
    return (
      <Page title="There is nothing at this address">
        <Empty title="" actions={<To path="govern/plugins">Show plugins</To>}>
          The plugin may be absent, or an API that the page needs is closed.
        </Empty>
      </Page>
    )
  }
  return (
    <Page title={page.title} note={`of the plugin ${plugin}`}>
      <PageContent page={page} />
    </Page>
  )
}

function PageContent({ page: { plugin, module, form, list } }: { readonly page: PluginPage }) {
  if (module !== null) return <Mounted part={{ plugin, module }} />
  if (form !== null) {
    return (
      <Body>
        <OperationForm type={form} />
      </Body>
    )
  }
  return list && <OperationList {...list} />
}

type Listed = Readonly<Record<string, unknown>>
interface ListedRow {
  readonly row: Listed
  readonly index: number
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** The objects that an operation answers. */
function OperationList({ operation, columns }: NonNullable<PluginPage['list']>) {
  const queryKey = ['plugin-list', operation]
  const answer = useQuery({ queryKey, queryFn: ({ signal }) => run<unknown>(operation, {}, { signal }) })
  if (answer.isPending) return <Loading label="Reading the list" queryKey={queryKey} />
  if (answer.isError) return <Failed error={answer.error} onRetry={() => void answer.refetch()} />
  if (!Array.isArray(answer.data)) {
    return (
      <Body>
        <JsonTree label="Answer" value={answer.data} />
      </Body>
    )
  }
  const rows = (answer.data as readonly Listed[]).map((row, index) => ({ row, index }))
  const names = columns ?? [...new Set(rows.flatMap(({ row }) => Object.keys(row)))]
  if (rows.length === 0) return <Empty title="The list is empty" />
  return (
    <Table
      label="List"
      rows={rows}
      rowKey={({ index }) => String(index)}
      columns={names.map(
        (name, index): TableColumn<ListedRow> => ({
          ...{ key: name, title: name, width: 'minmax(120px, 1fr)', isSecondary: index > 1 },
          cell: ({ row }: ListedRow) => textOf(row[name]),
        }),
      )}
    />
  )
}
