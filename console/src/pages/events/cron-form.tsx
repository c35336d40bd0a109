import { useDeferredValue, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { edit } from '../../server/edits.ts'
import css from './events.module.css'
import { Ticks } from './ticks.tsx'

/** A new cron trigger, with the ticks that its schedule gives. */
export function CronForm({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [webhook, setWebhook] = useState('')
  const [schedule, setSchedule] = useState('0 2 * * *')
  const [zone, setZone] = useState('UTC')
  const [payload, setPayload] = useState('{}')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const shownSchedule = useDeferredValue(schedule)
  const shownZone = useDeferredValue(zone)
  const create = async () => {
    setBusy(true)
    setError(null)
    try {
      const args = {
        ...{ name, webhook, schedule, include_in_metadata: true, payload: JSON.parse(payload) },
        ...(zone !== 'UTC' && zone !== '' && { timezone: zone }),
      }
      if ((await edit({ title: `Create ${name}`, operations: [{ type: 'create_cron_trigger', args }] })) === null)
        return
      toast(`Created ${name}`)
      onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      isWide
      title="Create a cron trigger"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" isBusy={isBusy} disabled={name === '' || webhook === ''} onClick={() => void create()}>
            Create cron trigger
          </Button>
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      <div className={css['columns']}>
        <div className={css['fields']}>
          <Field label="Name" value={name} onChange={(event) => setName(event.target.value)} />
          <Field label="Webhook" isCode value={webhook} onChange={(event) => setWebhook(event.target.value)} />
          <Field
            label="Schedule"
            isCode
            help="minute, hour, day of month, month, day of week"
            value={schedule}
            onChange={(event) => setSchedule(event.target.value)}
          />
          <Field label="Time zone" value={zone} onChange={(event) => setZone(event.target.value)} />
          <div>
            <span className={css['label']}>Payload</span>
            <Code label="Payload" language="json" value={payload} onChange={setPayload} />
          </div>
        </div>
        <Ticks schedule={shownSchedule} zone={shownZone} />
      </div>
    </Dialog>
  )
}
