import { useQuery } from '@tanstack/react-query'
import { parseExactly } from '../../base/json.ts'
import { useKeptText } from '../../base/kept-form.ts'
import { Code } from '../../parts/code.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { run } from '../../server/operations.ts'
import { metadataQuery, queries } from '../../server/queries.ts'
import { pathOf, useGo } from '../../shell/navigation.tsx'
import { eventTriggersOf } from './event-triggers.ts'

interface InvokeProps {
  readonly name: string
  /** The payload to begin with. */
  readonly payload: unknown
  onClose(): void
}

/** Sends a payload through a trigger as a new event, and leads to it. */
export function InvokeDialog({ name, payload, onClose }: InvokeProps) {
  const go = useGo()
  const { data } = useQuery(metadataQuery)
  const trigger = data && eventTriggersOf(data).find((each) => each.name === name)
  const isRefused = trigger !== undefined && trigger.definition['enable_manual'] !== true
  const { text, change: setText, draft } = useKeptText(`payload of ${name}`, JSON.stringify(payload, null, 2))
  const { isBusy, error, attempt } = useAttempt()
  const send = () =>
    attempt(async () => {
      const { event_id } = await run<{ event_id: string }>('invoke_event_trigger', {
        name,
        payload: parseExactly(text),
      })
      await queries.invalidateQueries({ queryKey: ['events'] })
      draft.forget()
      toast(`Sent a payload through ${name}`)
      onClose()
      go(pathOf('events', 'log', event_id))
    })
  return (
    <FormDialog
      isWide
      title="Edit and send again"
      description={
        isRefused
          ? `${name} takes no payloads by hand: change it to have enable_manual first.`
          : `A new event of ${name} with the operation MANUAL; the receiver gets this as its data.`
      }
      onClose={onClose}
      submit="Send new event"
      isBusy={isBusy}
      disabled={isRefused}
      onSubmit={send}
      draft={draft}
      error={error}
    >
      <Code label="Payload" language="json" value={text} onChange={setText} />
    </FormDialog>
  )
}
