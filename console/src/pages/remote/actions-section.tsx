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
import { pathOf, useGo, useNames, useUrlState } from '../../shell/navigation.tsx'
import { ActionDialog } from './action-dialog.tsx'
import type { Action } from './action-types.ts'
import { actionsOf, isAsynchronous } from './actions.ts'
import css from './remote.module.css'

/** All actions. */
export function ActionsSection() {
  const metadata = useQuery(metadataQuery)
  const [filter, setFilter] = useUrlState('filter')
  const { action: chosen } = useNames()
  const go = useGo()
  const [edited, setEdited] = useUrlState('edit')
  const canEdit = useStore(readOnly) === null
  if (metadata.isPending) return <Loading label="Reading the actions" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  const all = actionsOf(metadata.data)
  const shown = all.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()))
  const action = all.find(({ name }) => name === chosen)
  const create = canEdit && (
    <Button look="main" icon={<Plus aria-hidden />} onClick={() => setEdited('add')}>
      Create action
    </Button>
  )
  return (
    <>
      {all.length === 0 ? (
        <Empty title="There are no actions" actions={create}>
          An action is a field of the query or mutation root that your own code answers.
        </Empty>
      ) : (
        <>
          <Toolbar label="Filter">
            <div className={css['filter']}>
              <FilterField label="Filter actions" value={filter} onChange={setFilter} />
            </div>
            <Space />
            {create}
          </Toolbar>
          <Table<Action>
            label="Actions"
            rows={shown}
            rowKey={({ name }) => name}
            onOpen={({ name }) => go(pathOf('actions', name))}
            columns={[
              {
                ...{ key: 'name', title: plural(shown.length, 'action'), width: 'minmax(120px, 2fr)' },
                cell: ({ name }) => <strong>{name}</strong>,
              },
              {
                ...{ key: 'kind', title: 'Kind', width: '160px' },
                cell: (each) => `${each.definition.type ?? 'mutation'}${isAsynchronous(each) ? ', later' : ''}`,
              },
              {
                ...{ key: 'handler', title: 'Handler', width: 'minmax(140px, 2fr)', isSecondary: true },
                cell: ({ definition }) => <code>{String(definition.handler)}</code>,
              },
              {
                ...{ key: 'roles', title: 'Roles', width: 'minmax(80px, 1fr)', isSecondary: true },
                cell: ({ permissions = [] }) => permissions.map(({ role }) => role).join(', '),
              },
            ]}
          />
        </>
      )}
      {action && (
        <ActionDialog key={chosen} {...{ action, canEdit }} base={metadata.data} onClose={() => go('actions')} />
      )}
      {edited === 'add' && <ActionDialog action={null} canEdit base={metadata.data} onClose={() => setEdited('')} />}
    </>
  )
}
