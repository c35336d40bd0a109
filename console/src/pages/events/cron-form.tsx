import { useDeferredValue } from 'react'
import { parseExactly } from '../../base/json.ts'
import { useKeptForm } from '../../base/kept-form.ts'
import { listOfObjects } from '../../base/objects.ts'
import { Code } from '../../parts/code.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { edit } from '../../server/edits.ts'
import { type Metadata, metadataQuery, queries } from '../../server/queries.ts'
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
  const base = useOpened(queries.getQueryData(metadataQuery.queryKey))
  const { values, change, draft } = useKeptForm(`cron trigger ${trigger?.name ?? ''}`, {
    name: trigger?.name ?? '',
    webhook: typeof trigger?.webhook === 'string' ? trigger.webhook : '',
    comment: trigger?.comment ?? '',
    schedule: trigger?.schedule ?? '0 2 * * *',
    zone: trigger?.timezone ?? 'UTC',
    payload: JSON.stringify(trigger?.payload ?? {}, null, 2),
  })
  const { name, webhook, comment, schedule, zone, payload } = values
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
      }
      const title = `${trigger ? 'Change' : 'Create'} ${name}`
      const part = (now: Metadata) => listOfObjects(now.metadata['cron_triggers']).find((each) => each['name'] === name)
      const operations = (now: Metadata, isOnTop: boolean) => {
        const isThere = isOnTop ? part(now) !== undefined : trigger !== undefined
        return [{ type: 'create_cron_trigger', args: { ...args, ...(isThere && { replace: true }) } }]
      }
      if ((await edit({ title, part, operations, ...(base && { base }) })) === null) return
      draft.forget()
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
      draft={draft}
      error={error}
    >
      <div className={css['columns']}>
        <div className={css['fields']}>
          <Field
            label="Name"
            value={name}
            disabled={trigger !== undefined}
            onChange={(event) => change({ name: event.target.value })}
          />
          {hasWebhook && (
            <Field
              label="Webhook"
              isCode
              value={webhook}
              onChange={(event) => change({ webhook: event.target.value })}
            />
          )}
          <Field
            label="Schedule"
            isCode
            help={cronWords(schedule) ?? 'minute, hour, day of month, month, day of week'}
            value={schedule}
            onChange={(event) => change({ schedule: event.target.value })}
          />
          <Field label="Time zone" value={zone} onChange={(event) => change({ zone: event.target.value })} />
          <Field label="Comment" value={comment} onChange={(event) => change({ comment: event.target.value })} />
          <div>
            <span className={css['label']}>Payload</span>
            <Code label="Payload" language="json" value={payload} onChange={(next) => change({ payload: next })} />
          </div>
        </div>
        <Ticks schedule={shownSchedule} zone={shownZone} />
      </div>
    </FormDialog>
  )
}
