import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { readOnly } from '../../requests/mode.ts'
import { metadataQuery } from '../../server/queries.ts'
import { type RemoteSchema, remoteSchemasOf } from '../../server/remote-schemas.ts'
import { pathOf, To, useGo, useUrlState } from '../../shell/navigation.tsx'
import css from './remote.module.css'
import { addressOf, SchemaDialog } from './schema-dialog.tsx'

/** All remote schemas. */
export function SchemasSection() {
  const metadata = useQuery(metadataQuery)
  const [filter, setFilter] = useUrlState('filter')
  const [edited, setEdited] = useUrlState('edit')
  const canEdit = useStore(readOnly) === null
  const go = useGo()
  if (metadata.isPending) return <Loading label="Reading the remote schemas" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  const all = remoteSchemasOf(metadata.data)
  const shown = all.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()))
  const add = canEdit && (
    <Button look="main" icon={<Plus aria-hidden />} onClick={() => setEdited('add')}>
      Add remote schema
    </Button>
  )
  return (
    <>
      {all.length === 0 ? (
        <Empty title="There are no remote schemas" actions={add}>
          A remote schema adds the fields of another GraphQL server to this one. Rows of tables can be joined to them.
        </Empty>
      ) : (
        <>
          <Toolbar label="Filter">
            <div className={css['filter']}>
              <FilterField label="Filter remote schemas" value={filter} onChange={setFilter} />
            </div>
            <Space />
            {add}
          </Toolbar>
          <Table<RemoteSchema>
            label="Remote schemas"
            rows={shown}
            rowKey={({ name }) => name}
            onOpen={({ name }) => go(pathOf('remote', name))}
            columns={[
              {
                ...{ key: 'name', title: plural(shown.length, 'remote schema'), width: 'minmax(120px, 2fr)' },
                cell: ({ name }) => (
                  <To path={pathOf('remote', name)} className={css['name']}>
                    {name}
                  </To>
                ),
              },
              {
                ...{ key: 'address', title: 'Address', width: 'minmax(140px, 3fr)' },
                cell: ({ definition }) => <code>{addressOf(definition)}</code>,
              },
              {
                ...{ key: 'roles', title: 'Roles', width: 'minmax(80px, 1fr)', isSecondary: true },
                cell: ({ permissions = [] }) => permissions.map(({ role }) => role).join(', '),
              },
              {
                ...{ key: 'comment', title: 'Comment', width: 'minmax(80px, 2fr)', isSecondary: true },
                cell: ({ comment }) => comment,
              },
            ]}
          />
        </>
      )}
      {edited === 'add' && <SchemaDialog base={metadata.data} schema={null} onClose={() => setEdited('')} />}
    </>
  )
}
