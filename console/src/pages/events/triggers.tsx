import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { formatAgo, formatCount, formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { readOnly } from '../../requests/mode.ts'
import { tableLabel } from '../../server/names.ts'
import { metadataQuery } from '../../server/queries.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import { type EventTrigger, eventTriggersOf } from './event-triggers.ts'
import css from './events.module.css'
import { useRates } from './stats.ts'
import { TriggerDialog } from './trigger-dialog.tsx'
import { TriggerForm } from './trigger-form.tsx'

/** Letters of a name that fit into one line beside all columns. */
const longName = 16

const countText = (count: number | undefined): string => (count === undefined ? '' : formatCount(count))

const Since = ({ time }: { readonly time: string }) => <span title={formatTime(time)}>{formatAgo(time)}</span>

/** All event triggers. */
export function TriggersSection() {
  const metadata = useQuery(metadataQuery)
  const [filter, setFilter] = useUrlState('filter')
  const [chosen, setChosen] = useUrlState('trigger')
  const [edited, setEdited] = useUrlState('edit')
  const canEdit = useStore(readOnly) === null
  const all = useMemo(() => (metadata.data ? eventTriggersOf(metadata.data) : []), [metadata.data])
  const rates = useRates(all.map(({ name }) => name))
  if (metadata.isPending) return <Loading label="Reading the triggers" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  const create = canEdit && (
    <Button look="main" icon={<Plus aria-hidden />} onClick={() => setEdited('create')}>
      Create event trigger
    </Button>
  )
  const form = edited === 'create' && <TriggerForm base={metadata.data} onClose={() => setEdited('')} />
  if (all.length === 0) {
    return (
      <>
        <Empty title="There are no event triggers" actions={create}>
          An event trigger sends changes of a table to a webhook.
        </Empty>
        {form}
      </>
    )
  }
  const needle = filter.toLowerCase()
  const shown = all.filter(({ name, table }) => `${name} ${tableLabel(table)}`.toLowerCase().includes(needle))
  const trigger = all.find(({ name }) => name === chosen)
  return (
    <>
      <Toolbar label="Filter">
        <div className={css['filter']}>
          <FilterField label="Filter triggers" value={filter} onChange={setFilter} />
        </div>
        <Space />
        {create}
      </Toolbar>
      <Table<EventTrigger>
        label="Event triggers"
        rows={shown}
        rowKey={({ name }) => name}
        onOpen={({ name }) => setChosen(name)}
        leastRowHeight={shown.some(({ name }) => name.length > longName) ? 40 : 0}
        columns={[
          {
            ...{ key: 'name', title: plural(shown.length, 'trigger'), width: 'minmax(140px, 1fr)' },
            cell: ({ name }) => (
              <strong title={name} className={css['lines']}>
                {name}
              </strong>
            ),
          },
          { key: 'table', title: 'Table', width: 'minmax(80px, 112px)', cell: ({ table }) => tableLabel(table) },
          {
            ...{ key: 'operations', title: 'On', width: '204px', isSecondary: true },
            cell: ({ operations }) => operations.join(', '),
          },
          {
            ...{ key: 'target', title: 'Webhook', width: 'minmax(320px, 2fr)', isSecondary: true },
            cell: ({ target }) => <code title={target}>{target}</code>,
          },
          {
            ...{ key: 'rate', title: 'Last hour', width: '76px', align: 'end', isSecondary: true },
            cell: ({ name }) => countText(rates?.get(name)?.recorded),
          },
          {
            ...{ key: 'failed', title: 'Failed', width: '64px', align: 'end', isSecondary: true },
            cell: ({ name }) => countText(rates?.get(name)?.failed),
          },
          {
            ...{ key: 'pending', title: 'Oldest pending', width: '104px', isSecondary: true },
            cell: ({ name }) => <Since time={rates?.get(name)?.oldestPending ?? ''} />,
          },
          {
            ...{ key: 'state', title: 'State', width: '96px' },
            cell: ({ isPaused }) => (isPaused ? <Mark state="waiting">paused</Mark> : <Mark state="good">active</Mark>),
          },
        ]}
      />
      {form}
      {trigger && edited === 'change' && (
        <TriggerForm base={metadata.data} trigger={trigger} onClose={() => setEdited('')} />
      )}
      {trigger && edited === '' && (
        <TriggerDialog trigger={trigger} onChange={() => setEdited('change')} onClose={() => setChosen('')} />
      )}
    </>
  )
}
