import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useDebounced } from '../../../base/debounced.ts'
import { facts } from '../../../base/facts.ts'
import { formatCount, plural } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Failed } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import { asFailure } from '../../../requests/failure.ts'
import { identity } from '../../../requests/identity.ts'
import { tableLabel } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import { queries, useCanTry } from '../../../server/queries.ts'
import { variablesIn } from '../rules/variables.ts'
import type { TableInfo } from '../table-info.ts'
import css from './permissions.module.css'
import { type RuleTrial, type SuggestedIndex, trialQuery } from './trial.ts'

interface PreviewProps {
  readonly info: TableInfo
  readonly role: string
  /** The rule of the metadata; null: the role has no permission yet. */
  readonly old: unknown
  readonly rule: unknown
  readonly canEdit: boolean
}

/** Milliseconds that the typing has to rest before the rule is tried. */
const restMillis = 400

/** The rows that a rule lets through, and those that a change of it gives and takes. */
export function Preview({ info, role, old, rule, canEdit }: PreviewProps) {
  const { variables } = useStore(identity)
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({})
  const values = useMemo(() => ({ ...lowered(variables), ...given }), [variables, given])
  const names = useMemo(() => [...new Set([...variablesIn(rule), ...variablesIn(old)])], [rule, old])
  const missing = names.filter((name) => !values[name])
  const asked = useMemo(
    () => ({ rule, variables: Object.fromEntries(names.map((name) => [name, values[name] ?? ''])) }),
    [rule, names, values],
  )
  const rested = useDebounced(asked, restMillis)
  const canTry = useCanTry()
  const trial = useQuery({
    ...trialQuery({ info, old, ...rested }),
    enabled: canTry && missing.length === 0,
    placeholderData: (before) => before,
  })
  if (!canTry) return null
  const isChanged = old !== null && JSON.stringify(old) !== JSON.stringify(rule)
  return (
    <div className={css['preview']}>
      {names.map((name) => (
        <Field
          key={name}
          label={`Try with ${facts.variablePrefix}${name}`}
          value={values[name] ?? ''}
          onChange={({ target }) => setGiven({ ...given, [name]: target.value })}
        />
      ))}
      {missing.length > 0 && <p>A value shows how many rows {role} gets.</p>}
      {missing.length === 0 && trial.isError && <p className={css['fault']}>{asFailure(trial.error).message}</p>}
      {missing.length === 0 && trial.data && !trial.isError && (
        <Outcome
          {...{ role, canEdit }}
          trial={trial.data}
          isChanged={isChanged && !trial.isPlaceholderData && rested === asked}
        />
      )}
    </div>
  )
}

const number = (count: number | null): string => (count === null ? 'too many' : formatCount(count))

interface OutcomeProps {
  readonly role: string
  readonly trial: RuleTrial
  readonly isChanged: boolean
  readonly canEdit: boolean
}

function Outcome({ role, trial, isChanged, canEdit }: OutcomeProps) {
  const { all, seen, before, examples, hidden, gained, lost } = trial
  return (
    <div className={css['outcome']} role="status">
      <p>
        {role} gets <strong>{number(seen)}</strong> of {number(all)} rows.
      </p>
      {isChanged && gained === null && (
        <p>Before: {number(before)} rows. The table is too large to list the difference.</p>
      )}
      {isChanged && gained && lost && (
        <>
          <Examples rows={gained} words={<Mark state="good">gains {plural(gained.length, 'row')}</Mark>} />
          <Examples rows={lost} words={<Mark state="bad">loses {plural(lost.length, 'row')}</Mark>} />
        </>
      )}
      {trial.indexes.map((index) => (
        <IndexAdvice key={index.ddl} index={index} canEdit={canEdit} />
      ))}
      {examples && <Examples rows={examples} words="rows that it gets" />}
      {hidden && <Examples rows={hidden} words="rows that it does not get" />}
    </div>
  )
}

/** A lookup that no index serves, with the statement that makes one. */
function IndexAdvice({ index, canEdit }: { readonly index: SuggestedIndex; readonly canEdit: boolean }) {
  const { isBusy, error, attempt } = useAttempt()
  const make = () =>
    attempt(async () => {
      await run('run_sql', { sql: index.ddl })
      toast('Created the index')
      await queries.invalidateQueries({ queryKey: ['simulation'] })
    })
  return (
    <div className={css['advice']}>
      <Mark state="waiting">
        no index serves {tableLabel(index.table)} ({index.columns.join(', ')})
      </Mark>
      <code>{index.ddl}</code>
      {canEdit && (
        <Button isBusy={isBusy} onClick={() => void make()}>
          Create this index
        </Button>
      )}
      {error !== null && <Failed error={error} />}
    </div>
  )
}

/** Examples that are shown. */
const shownExamples = 10

const Examples = ({ rows, words }: { readonly rows: readonly string[]; readonly words: React.ReactNode }) =>
  rows.length === 0 ? (
    <p className={css['examples']}>{typeof words === 'string' ? null : words}</p>
  ) : (
    <details className={css['examples']}>
      <summary>{words}</summary>
      <ul>
        {rows.slice(0, shownExamples).map((row, at) => (
          <li key={`${at} ${row}`}>{row}</li>
        ))}
        {rows.length > shownExamples && <li>and {formatCount(rows.length - shownExamples)} more</li>}
      </ul>
    </details>
  )

const lowered = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]))
