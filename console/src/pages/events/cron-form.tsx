import { useDeferredValue, useState } from 'react'
import { parseExactly } from '../../base/json.ts'
import { Code } from '../../parts/code.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { edit } from '../../server/edits.ts'
import { queries } from '../../server/queries.ts'
import type { CronTrigger } from './cron-triggers.ts'
import { cronWords } from './cron-words.ts'
import css from './events.module.css'
import { Ticks } from './ticks.tsx'

interface CronFormProps {
  /** Absent: a new one. */
  readonly trigger?: CronTrigger
  onClose(): void
}

/** Creates or changes a cron trigger, with its schedule in words and the ticks that it gives. It keeps members that it has no field for. */
export function CronForm({ trigger, onClose }: CronFormProps) {
  const [name, setName] = useState(trigger?.name ?? '')
  const [webhook, setWebhook] = useState(typeof trigger?.webhook === 'string' ? trigger.webhook : '')
  const [comment, setComment] = useState(trigger?.comment ?? '')
  const [schedule, setSchedule] = useState(trigger?.schedule ?? '0 2 * * *')
  const [zone, setZone] = useState(trigger?.timezone ?? 'UTC')
  const [payload, setPayload] = useState(() => JSON.stringify(trigger?.payload ?? {}, null, 2))
  const { isBusy, error, attempt } = useAttempt()
  const shownSchedule = useDeferredValue(schedule)
  const shownZone = useDeferredValue(zone)
  const hasWebhook = trigger === undefined || typeof trigger.webhook === 'string'
  const save = () =>
    attempt(async () => {
      const { timezone: _, comment: __, ...kept } = trigger ?? { include_in_metadata: true }
      const args = {
        ...kept,
        ...{ name, schedule, payload: parseExactly(payload) },
        ...(hasWebhook && { webhook }),
        ...(zone !== 'UTC' && zone !== '' && { timezone: zone }),
        ...(comment !== '' && { comment }),
        ...(trigger && { replace: true }),
      }
      const title = `${trigger ? 'Change' : 'Create'} ${name}`
      if ((await edit({ title, operations: [{ type: 'create_cron_trigger', args }] })) === null) return
      await queries.invalidateQueries({ queryKey: ['cron-triggers'] })
      toast(`${trigger ? 'Changed' : 'Created'} ${name}`)
      onClose()
    })
  return (
    <FormDialog
      isWide
      title={trigger ? `Change ${trigger.name}` : 'Create a cron trigger'}
      onClose={onClose}
      submit={trigger ? 'Save cron trigger' : 'Create cron trigger'}
      isBusy={isBusy}
      disabled={name === '' || (hasWebhook && webhook === '')}
      onSubmit={save}
      error={error}
    >
      <div className={css['columns']}>
        <div className={css['fields']}>
          <Field
            label="Name"
            value={name}
            disabled={trigger !== undefined}
            onChange={(event) => setName(event.target.value)}
          />
          {hasWebhook && (
            <Field label="Webhook" isCode value={webhook} onChange={(event) => setWebhook(event.target.value)} />
          )}
          <Field
            label="Schedule"
            isCode
            help={cronWords(schedule) ?? 'minute, hour, day of month, month, day of week'}
            value={schedule}
            onChange={(event) => setSchedule(event.target.value)}
          />
          <Field label="Time zone" value={zone} onChange={(event) => setZone(event.target.value)} />
          <Field label="Comment" value={comment} onChange={(event) => setComment(event.target.value)} />
          <div>
            <span className={css['label']}>Payload</span>
            <Code label="Payload" language="json" value={payload} onChange={setPayload} />
          </div>
        </div>
        <Ticks schedule={shownSchedule} zone={shownZone} />
      </div>
    </FormDialog>
  )
}
