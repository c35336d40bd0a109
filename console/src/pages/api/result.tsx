import { Fragment, useMemo } from 'react'
import { copyText } from '../../base/clipboard.ts'
import { formatBytes, formatMillis } from '../../base/format.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Mark } from '../../parts/mark.tsx'
import { PlanTree } from '../../parts/plan-tree.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { useUrlState } from '../../shell/navigation.tsx'
import { AnswerTable, rowsIn } from './answer-table.tsx'
import css from './api.module.css'
import { Messages } from './messages.tsx'
import type { FieldPlan, Outcome } from './running.ts'

/** Characters of an answer that the page shows as text. */
const shownCharacters = 1_000_000

/** The last answer of a draft. */
export function ResultView({ outcome }: { readonly outcome: Outcome | undefined }) {
  if (!outcome) {
    return (
      <Empty title="No answer yet">
        Ctrl+Enter sends the operation as the identity at the top. Nothing is sent before.
      </Empty>
    )
  }
  if (outcome.state === 'running') {
    return (
      <>
        <div className={css['bar']} role="status">
          <Mark state="waiting">waiting for the answer</Mark>
          <Button onClick={outcome.cancel}>Cancel</Button>
        </div>
        <Loading label="Waiting for the answer" />
      </>
    )
  }
  if (outcome.state === 'failed') return <Failed error={outcome.error} onRetry={outcome.retry} />
  if (outcome.state === 'following') return <Messages outcome={outcome} />
  if (outcome.state === 'plans') return <Plans plans={outcome.plans} />
  return <Answer outcome={outcome} />
}

function Answer({ outcome }: { readonly outcome: Outcome & { state: 'done' } }) {
  const { body, text, millis, as, hasErrors } = outcome
  const [view, setView] = useUrlState('view')
  const isRaw = view === 'raw'
  const lists = useMemo(() => rowsIn(body), [body])
  const [list] = lists
  const isTable = view === 'table' && list !== undefined
  const indented = () => JSON.stringify(body, null, 2)
  return (
    <>
      <div className={css['bar']} role="status">
        <Mark state={hasErrors ? 'bad' : 'good'}>{hasErrors ? 'errors' : 'answered'}</Mark>
        <span className={css['note']}>
          {formatMillis(millis)}, {formatBytes(text.length)}, as {as.role ?? 'admin'}
        </span>
        <div className={css['views']}>
          <Button look="quiet" aria-pressed={!isRaw && !isTable} onClick={() => setView('')}>
            Tree
          </Button>
          {list && (
            <Button look="quiet" aria-pressed={isTable} onClick={() => setView('table')}>
              Table
            </Button>
          )}
          <Button look="quiet" aria-pressed={isRaw} onClick={() => setView('raw')}>
            Raw
          </Button>
          <Button look="quiet" onClick={() => void copyText(indented()).then(() => toast('Copied the answer'))}>
            Copy
          </Button>
        </div>
      </div>
      {isTable ? (
        lists.map((each) => (
          <Fragment key={each.name}>
            {lists.length > 1 && <h3 className={css['label']}>{each.name}</h3>}
            <AnswerTable {...each} />
          </Fragment>
        ))
      ) : isRaw ? (
        <Code label="Answer" language="json" fills value={indented().slice(0, shownCharacters)} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
        <section className={css['scroll']} aria-label="Answer, scrolls" tabIndex={0}>
          <JsonTree label="Answer" value={body} />
        </section>
      )}
    </>
  )
}

const Plans = ({ plans }: { readonly plans: readonly FieldPlan[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
  <section className={css['scroll']} aria-label="Plans, scrolls" tabIndex={0}>
    {plans.map(({ field, sql, plan }, index) => (
      <div key={field ?? index} className={css['plan']}>
        <h3 className={css['label']}>{field ?? 'Subscription'}</h3>
        {plan ? <PlanTree plan={plan.Plan} /> : <p className={css['note']}>It needs no database.</p>}
        {sql !== null && (
          <details>
            <summary>SQL</summary>
            <Code label={`SQL of ${field ?? 'the subscription'}`} language="sql" value={sql} />
          </details>
        )}
      </div>
    ))}
  </section>
)
