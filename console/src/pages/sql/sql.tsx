import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { titleOf } from '../../base/drafts.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DraftTabs } from '../../parts/draft-tabs.tsx'
import { Checkbox } from '../../parts/field.tsx'
import { HistoryDialog } from '../../parts/history-dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Page, Toolbar } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { readOnly } from '../../requests/mode.ts'
import { sourceTablesQuery, useCanTry, useIsProduction } from '../../server/queries.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import { DestroyDialog } from './destroy-dialog.tsx'
import { drafts } from './drafts.ts'
import { type SqlEditor, sqlEditor } from './editor.ts'
import { Effects } from './effects.tsx'
import { history } from './history.ts'
import { OutcomeView } from './outcome.tsx'
import { errorPosition, firstRows, type Outcome, type Run, touchesMetadata, useRuns } from './running.ts'
import css from './sql.module.css'
import { destroyedBy, indexOfPosition, isExplainable } from './statements.ts'

/** SQL: texts that are kept, and their results. */
export default function Sql() {
  const isReader = useStore(readOnly) === 'server'
  const [chosen, setChosen] = useUrlState('draft')
  const { outcomes, start } = useRuns()
  const [isHistoryOpen, setHistoryOpen] = useState(false)
  if (isReader) {
    return (
      <Page title="SQL">
        <Empty title="SQL is for administrators">The read secret runs no SQL. Sign in with the admin secret.</Empty>
      </Page>
    )
  }
  const open = (text: string) => setChosen(drafts.add(text))
  return (
    <Page
      title="SQL"
      note="Statements run as the administrator"
      actions={
        <Button look="quiet" icon={<History aria-hidden />} onClick={() => setHistoryOpen(true)}>
          History
        </Button>
      }
    >
      <DraftTabs {...{ drafts, chosen, titleOf }} onChoose={setChosen}>
        {(draft) => (
          <Draft
            key={draft.id}
            text={draft.text}
            outcome={outcomes[draft.id]}
            onChange={(text) => drafts.change(draft.id, { text })}
            onRun={(run) => void start(draft.id, run)}
          />
        )}
      </DraftTabs>
      {isHistoryOpen && (
        <HistoryDialog
          ran={history}
          onClose={() => setHistoryOpen(false)}
          onOpen={({ text }) => {
            setHistoryOpen(false)
            open(text)
          }}
        />
      )}
    </Page>
  )
}

/** Tables for completing: a tracked or untracked table of any schema, without its columns. */
function useNames() {
  const { data } = useQuery(sourceTablesQuery)
  return useMemo(() => {
    const bySchema = Object.groupBy(data ?? [], ({ schema }) => schema)
    const tables = Object.entries(bySchema).map(
      ([schema, list = []]) => [schema, Object.fromEntries(list.map(({ name }) => [name, []]))] as const,
    )
    return { ...Object.fromEntries(tables), ...Object.fromEntries(tables).public }
  }, [data])
}

interface DraftProps {
  readonly text: string
  readonly outcome: Outcome | undefined
  onChange(text: string): void
  onRun(run: Run): void
}

function Draft({ text, outcome, onChange, onRun }: DraftProps) {
  const mode = useStore(readOnly)
  const [wantsWrites, setWrites] = useState(false)
  const canWrite = wantsWrites && mode === null
  const [hasCascade, setCascade] = useState(false)
  const [tried, setTried] = useState<Pick<Run, 'text' | 'hasCascade'> | null>(null)
  const canTry = useCanTry()
  const names = useNames()
  const latest = useRef<(as?: Run['mode']) => void>(() => {})
  const [editor] = useState<SqlEditor>(() => sqlEditor(() => latest.current()))
  const isProduction = useIsProduction()
  const [destroying, setDestroying] = useState<{ readonly name: string; readonly run: Run } | null>(null)
  latest.current = (as = 'run') => {
    const chosen = editor.chosen()
    if (!chosen) return
    setTried(null)
    const run: Run = { text: chosen.text, from: chosen.from, mode: as, canWrite, hasCascade, limit: firstRows }
    const name = isProduction && canWrite && as === 'run' ? destroyedBy(chosen.text) : null
    if (name === null) onRun(run)
    else setDestroying({ name, run })
  }
  useEffect(() => {
    if (outcome?.state !== 'failed') return editor.mark(null)
    const position = errorPosition(outcome.error, outcome.run)
    editor.mark(position === null ? null : outcome.run.from + indexOfPosition(outcome.run.text, position))
  }, [outcome, editor])
  return (
    <>
      <div className={css['editor']}>
        <Code
          label="SQL"
          language="sql"
          fills
          value={text}
          placeholder="select * from …"
          names={names}
          extensions={editor.extension}
          onChange={(next) => {
            setTried(null)
            onChange(next)
          }}
        />
      </div>
      <Toolbar label="Run">
        <Button look="main" disabled={text.trim() === ''} onClick={() => latest.current()} title="Ctrl+Enter">
          Run statement
        </Button>
        <Button disabled={!isExplainable(text)} onClick={() => latest.current('explain')}>
          Explain
        </Button>
        <Button disabled={!isExplainable(text)} onClick={() => latest.current('analyze')}>
          Explain and measure
        </Button>
        {mode === null && (
          <button
            type="button"
            role="switch"
            aria-checked={canWrite}
            className={css['switch']}
            onClick={() => setWrites(!canWrite)}
          >
            {canWrite ? <Mark state="waiting">Changes are allowed</Mark> : <Mark state="good">Reads only</Mark>}
          </button>
        )}
        {canWrite && (
          <Checkbox
            label="remove dependent objects (cascade)"
            checked={hasCascade}
            onChange={(event) => setCascade(event.target.checked)}
          />
        )}
        {canWrite && canTry && touchesMetadata(text) && (
          <Button
            onClick={() => {
              const chosen = editor.chosen()
              if (chosen) setTried({ text: chosen.text, hasCascade })
            }}
          >
            Try without keeping
          </Button>
        )}
        {canWrite && touchesMetadata(text) && (
          <p className={css['effects']}>
            The metadata follows: renamed objects keep their permissions, and dropped ones leave it.{' '}
            {hasCascade ? 'Objects that need a dropped one are removed, too.' : 'Nothing that others need is dropped.'}
          </p>
        )}
      </Toolbar>
      {destroying && (
        <DestroyDialog
          {...destroying}
          onClose={() => setDestroying(null)}
          onRun={() => {
            setDestroying(null)
            onRun(destroying.run)
          }}
        />
      )}
      {tried ? <Effects {...tried} /> : <OutcomeView outcome={outcome} onRun={onRun} />}
    </>
  )
}
