import { useEffect, useState } from 'react'
import { formatCount, formatMillis, plural } from '../../base/format.ts'
import { Button } from '../../parts/button.tsx'
import { CodeList } from '../../parts/code-list.tsx'
import { Select } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { PlanTree } from '../../parts/plan-tree.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { CopyButtons, ResultTable } from './result-table.tsx'
import { dependentsOf, mostRows, type Outcome, type Run, readable } from './running.ts'
import css from './sql.module.css'

interface OutcomeProps {
  readonly outcome: Outcome | undefined
  onRun(run: Run): void
}

/** The last run of a draft. */
export function OutcomeView({ outcome, onRun }: OutcomeProps) {
  if (!outcome) {
    return (
      <Empty title="Nothing ran yet">
        Ctrl+Enter runs the selection, or the statement at the cursor. Until changes are allowed, PostgreSQL refuses
        them.
      </Empty>
    )
  }
  if (outcome.state === 'running') return <Running cancel={outcome.cancel} />
  if (outcome.state === 'failed') return <Failure error={outcome.error} run={outcome.run} onRun={onRun} />
  if (outcome.state === 'plan') {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
      <section className={css['scroll']} aria-label="Plan, scrolls" tabIndex={0}>
        <PlanTree plan={outcome.plan} />
      </section>
    )
  }
  return <Done outcome={outcome} onRun={onRun} />
}

/** Seconds until a run can be cancelled. */
const cancelledAfter = 2

function Running({ cancel }: { cancel(): Promise<void> }) {
  const [seconds, setSeconds] = useState(0)
  const { isBusy, error, attempt } = useAttempt()
  useEffect(() => {
    const timer = setInterval(() => setSeconds((count) => count + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <div className={css['bar']} role="status" data-loading>
        <Mark state="waiting">running for {seconds} s</Mark>
        {seconds >= cancelledAfter && (
          <Button isBusy={isBusy} onClick={() => void attempt(cancel)}>
            Cancel statement
          </Button>
        )}
      </div>
      {error !== null && <Failed error={error} />}
    </>
  )
}

function Failure({ error, run, onRun }: { readonly error: unknown; readonly run: Run; onRun(run: Run): void }) {
  const dependents = dependentsOf(error)
  const [isAsked, setAsked] = useState(dependents.length > 0)
  return (
    <div className={css['scroll']}>
      <Failed error={readable(error)} onRetry={() => onRun(run)} />
      <FormDialog
        isOpen={isAsked}
        title={`${plural(dependents.length, 'object')} of the metadata would be removed, too`}
        description="Nothing has been changed yet."
        onClose={() => setAsked(false)}
        submit={`Run and remove ${plural(dependents.length, 'object')}`}
        destroys={String(dependents.length)}
        onSubmit={() => onRun({ ...run, hasCascade: true })}
      >
        <CodeList texts={dependents} />
      </FormDialog>
    </div>
  )
}

function Done({ outcome, onRun }: { readonly outcome: Outcome & { state: 'done' }; onRun(run: Run): void }) {
  const { results, notices, seconds, changes, run } = outcome
  const withRows = results.findLastIndex(({ rows }) => rows !== null)
  const [index, setIndex] = useState(withRows < 0 ? results.length - 1 : withRows)
  const result = results[Math.min(index, results.length - 1)]
  const limit = Math.min(run.limit * 10, mostRows)
  const count = result?.rows?.length ?? result?.row_count ?? null
  return (
    <>
      <div className={css['bar']} role="status">
        {results.length > 1 && (
          <div className={css['pick']}>
            <Select<string>
              label="Result"
              isLabelHidden
              value={String(index)}
              options={results.map(({ command }, at) => ({ value: String(at), label: `${at + 1}: ${command}` }))}
              onChange={(next) => setIndex(Number(next))}
            />
          </div>
        )}
        <Mark state="good">
          {result?.command ?? 'no statement'}
          {count !== null && `, ${plural(count, 'row')}`}
        </Mark>
        <span className={css['note']}>{formatMillis(seconds * 1000)}</span>
        {result?.has_more && (
          <>
            <Mark state="waiting">there are more</Mark>
            {!run.canWrite && limit > run.limit && (
              <Button onClick={() => onRun({ ...run, limit })}>Read {formatCount(limit)} rows</Button>
            )}
          </>
        )}
        <span className={css['space']} />
        {result?.rows && result.rows.length > 0 && <CopyButtons result={result} />}
      </div>
      {notices.length > 0 && (
        <section className={css['changes']} aria-label="Notices">
          <ul>
            {notices.map(({ severity, message }, at) => (
              <li key={`${at} ${message}`}>
                {severity}: {message}
              </li>
            ))}
          </ul>
        </section>
      )}
      {changes.length > 0 && (
        <section className={css['changes']} aria-label="Changes of the metadata">
          <p>The metadata changed:</p>
          <ul>
            {changes.map(({ key, title, before, after }) => (
              <li key={key}>
                {before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'}: {title}
              </li>
            ))}
          </ul>
        </section>
      )}
      {result?.rows && <ResultTable key={index} result={result} />}
    </>
  )
}
