import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Body, Section } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { readOnly } from '../../../requests/mode.ts'
import { tableKey } from '../../../server/names.ts'
import { entryOf, metadataQuery } from '../../../server/queries.ts'
import { To } from '../../../shell/navigation.tsx'
import { type EventTrigger, eventTriggersOf } from '../../events/event-triggers.ts'
import { TriggerForm } from '../../events/trigger-form.tsx'
import { List } from '../structure/list.tsx'
import type { TableInfo } from '../table-info.ts'

/** The event triggers of a table, with ways to each and its log. */
export default function EventsTab({ info }: { readonly info: TableInfo }) {
  const { data, error, isPending, refetch } = useQuery(metadataQuery)
  const [isCreating, setCreating] = useState(false)
  const canEdit = useStore(readOnly) === null
  if (isPending) return <Loading label="Reading the triggers" queryKey={metadataQuery.queryKey} />
  if (!data) return <Failed error={error} onRetry={() => void refetch()} />
  if (!entryOf(data, info.name)) {
    return <Empty title="This table is not tracked">It can have event triggers once it is tracked.</Empty>
  }
  const triggers = eventTriggersOf(data).filter(({ table }) => tableKey(table) === tableKey(info.name))
  const create = canEdit && (
    <Button look="main" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create event trigger
    </Button>
  )
  return (
    <>
      {triggers.length === 0 ? (
        <Empty title="The table has no event triggers" actions={create}>
          An event trigger sends changes of the rows to a webhook: new rows, changes of chosen columns, deletions.
        </Empty>
      ) : (
        <Body>
          <Section title="Event triggers" actions={create}>
            <List
              label="Event triggers"
              heads={['Name', 'On', 'Webhook', 'State', 'Log']}
              rows={triggers.map((trigger) => ({ key: trigger.name, cells: cellsOf(trigger) }))}
            />
          </Section>
        </Body>
      )}
      {isCreating && <TriggerForm base={data} on={info.name} onClose={() => setCreating(false)} />}
    </>
  )
}

const cellsOf = ({ name, operations, target, isPaused }: EventTrigger) => [
  <To key="name" path={`events/triggers?trigger=${encodeURIComponent(name)}`}>
    {name}
  </To>,
  operations.join(', '),
  <code key="target">{target}</code>,
  isPaused ? <Mark state="waiting">paused</Mark> : <Mark state="good">active</Mark>,
  <To key="log" path={`events/log?name=${encodeURIComponent(name)}`} aria-label={`Log of ${name}`}>
    Log
  </To>,
]
