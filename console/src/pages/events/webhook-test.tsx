import { useState } from 'react'
import { newId } from '../../base/ids.ts'
import { Button } from '../../parts/button.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Failed } from '../../parts/states.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { run } from '../../server/operations.ts'
import type { BrowsedRows } from '../data/rows/model.ts'
import type { TableInfo } from '../data/table-info.ts'
import css from './events.module.css'

interface WebhookTestProps {
  readonly url: string
  readonly info: TableInfo
  readonly name: string
}

interface Answer {
  readonly status: number | null
  readonly body: string | null
  readonly error: string | null
  readonly seconds: number
}

/** Sends a row of the table to the webhook, in the form of an event. Nothing is recorded. */
export function WebhookTest({ url, info, name }: WebhookTestProps) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { isBusy, error, attempt } = useAttempt()
  const send = () =>
    attempt(async () => {
      const { rows, columns } = await run<BrowsedRows>('browse_rows', { table: info.name, limit: 1 })
      const row = Object.fromEntries(columns.map((column, at) => [column.name, rows[0]?.[at] ?? null]))
      const payload = {
        ...{ id: newId(), created_at: new Date().toISOString(), trigger: { name }, table: info.name },
        event: { op: 'MANUAL', data: { old: null, new: row }, session_variables: null },
        delivery_info: { current_retry: 0, max_retries: 0 },
      }
      setAnswer(await run<Answer>('test_webhook', { url, payload }))
    })
  const isGood = answer?.status !== null && answer !== null && answer.status >= 200 && answer.status < 300
  return (
    <div>
      <Button isBusy={isBusy} onClick={() => void send()}>
        Send a test
      </Button>
      {error !== null && <Failed error={error} />}
      {answer && (
        <div role="status" className={css['tested']}>
          <Mark state={isGood ? 'good' : 'bad'}>
            {answer.error ?? `status ${answer.status}`}, {answer.seconds} s
          </Mark>
          {answer.body && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
            <pre className={css['value']} tabIndex={0}>
              {answer.body.slice(0, 2000)}
            </pre>
          )}
        </div>
      )}
    </div>
  )
}
