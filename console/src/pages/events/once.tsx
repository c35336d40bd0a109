import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { parseExactly } from '../../base/json.ts'
import { useKeptForm } from '../../base/kept-form.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { readOnly } from '../../requests/mode.ts'
import { run } from '../../server/operations.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import css from './events.module.css'
import { ScheduledEvents } from './scheduled-events.tsx'

/** One-off events. */
export function OnceSection() {
  const canEdit = useStore(readOnly) === null
  const [status, setStatus] = useUrlState('status')
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <Toolbar label="One-off events">
        <div className={css['choice']}>
          <Select<string>
            label="State"
            isLabelHidden
            value={status}
            options={[
              { value: '', label: 'All states' },
              ...['scheduled', 'locked', 'delivered', 'error', 'dead'].map((value) => ({ value, label: value })),
            ]}
            onChange={setStatus}
          />
        </div>
        <Space />
        {canEdit && (
          <Button look="main" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
            Schedule an event
          </Button>
        )}
      </Toolbar>
      <ScheduledEvents args={{ type: 'one_off', status: status === '' ? [] : [status] }} />
      {isCreating && <OnceForm onClose={() => setCreating(false)} />}
    </>
  )
}

function OnceForm({ onClose }: { onClose(): void }) {
  const client = useQueryClient()
  const { values, change, draft } = useKeptForm('one-off event', { webhook: '', at: '', payload: '{}' })
  const { webhook, at, payload } = values
  const { isBusy, error, attempt } = useAttempt()
  const create = () =>
    attempt(async () => {
      const schedule_at = new Date(at).toISOString()
      await run('create_scheduled_event', { webhook, schedule_at, payload: parseExactly(payload) })
      await client.invalidateQueries({ queryKey: ['scheduled-events'] })
      draft.forget()
      toast('Scheduled the event')
      onClose()
    })
  return (
    <FormDialog
      title="Schedule an event"
      description="The webhook is called once, at the given time of your zone."
      onClose={onClose}
      submit="Schedule event"
      isBusy={isBusy}
      disabled={webhook === '' || at === ''}
      onSubmit={create}
      draft={draft}
      error={error}
    >
      <Field label="Webhook" isCode value={webhook} onChange={(event) => change({ webhook: event.target.value })} />
      <Field label="Due" type="datetime-local" value={at} onChange={(event) => change({ at: event.target.value })} />
      <div>
        <span className={css['label']}>Payload</span>
        <Code label="Payload" language="json" value={payload} onChange={(next) => change({ payload: next })} />
      </div>
    </FormDialog>
  )
}
