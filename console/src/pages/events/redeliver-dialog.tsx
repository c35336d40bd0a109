import { plural } from '../../base/format.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { run } from '../../server/operations.ts'
import { queries } from '../../server/queries.ts'

/** A part of the log, as its operations take it. */
export interface EventFilter {
  readonly status?: string
  readonly op?: string
  readonly from?: string
  readonly to?: string
  readonly where?: unknown
  readonly session?: unknown
}

interface RedeliverProps {
  readonly name: string
  readonly filter: EventFilter
  /** Null: all that match the filter. */
  readonly ids: readonly string[] | null
  onClose(): void
}

/** Delivers events once more; the receiver gets them again. */
export function RedeliverDialog({ name, filter, ids, onClose }: RedeliverProps) {
  const { isBusy, error, attempt } = useAttempt()
  const count = ids === null ? 'all matching events' : plural(ids.length, 'event')
  const redeliver = () =>
    attempt(async () => {
      const args = ids === null ? { name, ...filter } : { ids }
      const result = await run<{ redelivered: number; has_more: boolean }>('redeliver_events', args)
      await queries.invalidateQueries({ queryKey: ['events'] })
      const more = result.has_more ? '; there are more' : ''
      toast(`${plural(result.redelivered, 'event')} will be delivered again${more}`)
      onClose()
    })
  const described = Object.keys(filter).length === 0 ? 'no filter' : JSON.stringify(filter)
  return (
    <FormDialog
      title={`Redeliver ${count}`}
      description={
        ids === null
          ? `The oldest 1,000 events of ${name} that match (${described}) are sent once more, with all retries.`
          : 'They are sent once more, with all retries. The receiver gets the same ids again.'
      }
      onClose={onClose}
      submit={`Redeliver ${count}`}
      isBusy={isBusy}
      onSubmit={redeliver}
      error={error}
    />
  )
}
