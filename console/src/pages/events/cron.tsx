import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DestroyButton } from '../../parts/destroy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { readOnly } from '../../requests/mode.ts'
import { edit } from '../../server/edits.ts'
import { metadataQuery } from '../../server/queries.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import { CronForm } from './cron-form.tsx'
import { type CronTrigger, cronTriggersQuery } from './cron-triggers.ts'
import { cronWords } from './cron-words.ts'
import css from './events.module.css'
import { ScheduledEvents } from './scheduled-events.tsx'
import { Ticks } from './ticks.tsx'

/** Cron triggers with their next ticks. */
export function CronSection() {
  const triggers = useQuery(cronTriggersQuery)
  // The form's edit is based on them.
  useQuery(metadataQuery)
  const canEdit = useStore(readOnly) === null
  const [chosen, setChosen] = useUrlState('trigger')
  const [isCreating, setCreating] = useState(false)
  if (triggers.isPending) return <Loading label="Reading the cron triggers" queryKey={cronTriggersQuery.queryKey} />
  if (!triggers.data) return <Failed error={triggers.error} onRetry={() => void triggers.refetch()} />
  const trigger = triggers.data.find(({ name }) => name === chosen)
  const create = canEdit && (
    <Button look="main" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create cron trigger
    </Button>
  )
  return (
    <>
      {triggers.data.length === 0 ? (
        <Empty title="There are no cron triggers" actions={create}>
          A cron trigger calls a webhook on a schedule, in a time zone of your choice.
        </Empty>
      ) : (
        <>
          {create && (
            <Toolbar label="Cron triggers">
              <Space />
              {create}
            </Toolbar>
          )}
          <Table<CronTrigger>
            label="Cron triggers"
            rows={triggers.data}
            rowKey={({ name }) => name}
            onOpen={({ name }) => setChosen(name)}
            columns={[
              {
                ...{ key: 'name', title: plural(triggers.data.length, 'trigger'), width: 'minmax(120px, 2fr)' },
                cell: ({ name }) => <strong title={name}>{name}</strong>,
              },
              {
                ...{ key: 'schedule', title: 'Schedule', width: 'minmax(140px, 2fr)' },
                cell: ({ schedule }) => <span title={schedule}>{cronWords(schedule) ?? schedule}</span>,
              },
              {
                ...{ key: 'zone', title: 'Time zone', width: '140px', isSecondary: true },
                cell: ({ timezone }) => timezone ?? 'UTC',
              },
              {
                ...{ key: 'webhook', title: 'Webhook', width: 'minmax(320px, 2fr)', isSecondary: true },
                cell: ({ webhook, handler }) => (
                  <code>{handler ?? (typeof webhook === 'string' ? webhook : JSON.stringify(webhook))}</code>
                ),
              },
            ]}
          />
        </>
      )}
      {trigger && <CronDialog trigger={trigger} onClose={() => setChosen('')} />}
      {isCreating && <CronForm onClose={() => setCreating(false)} />}
    </>
  )
}

function CronDialog({ trigger, onClose }: { readonly trigger: CronTrigger; onClose(): void }) {
  const { name, schedule, timezone } = trigger
  const canEdit = useStore(readOnly) === null
  const [isDeleting, setDeleting] = useState(false)
  const [isChanging, setChanging] = useState(false)
  const { isBusy, error, setError, attempt } = useAttempt()
  const keep = () => {
    setError(null)
    setDeleting(false)
  }
  const remove = () =>
    attempt(async () => {
      const operations = [{ type: 'delete_cron_trigger', args: { name } }]
      if ((await edit({ title: `Delete ${name}`, operations })) === null) return
      toast(`Deleted ${name}`)
      onClose()
    })
  if (isChanging) return <CronForm trigger={trigger} onClose={() => setChanging(false)} />
  return (
    <Dialog
      isOpen
      isWide
      title={name}
      description={isDeleting ? 'Its events are deleted, too, also those that wait.' : (trigger.comment ?? '')}
      onClose={onClose}
      actions={
        isDeleting ? (
          <>
            <Button onClick={keep}>Cancel</Button>
            <DestroyButton name={name} isBusy={isBusy} onClick={() => void remove()}>
              Delete {name}
            </DestroyButton>
          </>
        ) : (
          <>
            {canEdit && (
              <Button look="danger" onClick={() => setDeleting(true)}>
                Delete trigger
              </Button>
            )}
            <Button onClick={onClose}>Close</Button>
            {canEdit && (
              <Button look="main" onClick={() => setChanging(true)}>
                Change trigger
              </Button>
            )}
          </>
        )
      }
    >
      {error !== null && <Failed error={error} />}
      <div className={css['columns']}>
        <div className={css['fields']}>
          <p>
            <code>{schedule}</code>, {cronWords(schedule)}
          </p>
          <Ticks schedule={schedule} zone={timezone ?? 'UTC'} />
        </div>
        <section>
          <h3 className={css['heading']}>Definition</h3>
          <Code label="Definition" language="json" value={JSON.stringify(trigger, null, 2)} />
        </section>
      </div>
      {/* While the trigger goes, its events are not asked for. */}
      {!isDeleting && (
        <>
          <section className={css['part']}>
            <h3 className={css['heading']}>Missed and failed ticks</h3>
            <ScheduledEvents
              args={{ type: 'cron', trigger_name: name, status: ['error', 'dead'] }}
              none="Every tick was delivered. One that no server delivers within the trigger's tolerance is dead."
            />
          </section>
          <section className={css['part']}>
            <h3 className={css['heading']}>Ticks that wait</h3>
            <ScheduledEvents args={{ type: 'cron', trigger_name: name, status: ['locked', 'scheduled'] }} none="None" />
          </section>
        </>
      )}
    </Dialog>
  )
}
