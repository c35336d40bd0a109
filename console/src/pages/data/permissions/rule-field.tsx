import { useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Field } from '../../../parts/field.tsx'
import type { TableEntry } from '../../../server/queries.ts'
import { type Condition, FilterFault } from '../rows/filter.ts'
import { ruleOf, ruleText } from '../rule-text.ts'
import { RuleBuilder } from '../rules/rule-builder.tsx'
import { RuleSql } from '../rules/rule-sql.tsx'
import css from './permissions.module.css'

interface RuleFieldProps {
  readonly label: string
  readonly value: unknown
  readonly types: ReadonlyMap<string, string>
  readonly canEdit: boolean
  /** An example; absent: one with a session variable. */
  readonly help?: string
  /** The table that the rule is about; absent: the rule has no conditions to choose, and no SQL. */
  readonly entry?: TableEntry
  onChange(rule: Condition): void
  /** Whether the text is not a rule now. */
  onFault(hasFault: boolean): void
}

type View = 'sentence' | 'json' | 'sql'

const example =
  'For example: customer_id = X-Service-User-Id and invoice.total > 5. An empty rule lets through all rows.'

const viewWords: Readonly<Record<View, string>> = { sentence: 'Sentence', json: 'JSON', sql: 'SQL' }

/** A rule as a sentence, which is typed or built of conditions; as JSON; and as the SQL that it becomes. */
export function RuleField({ label, value, types, canEdit, help = example, entry, onChange, onFault }: RuleFieldProps) {
  const sentence = ruleText(value, types)
  const [view, setView] = useState<View>(sentence === null && !entry ? 'json' : 'sentence')
  const [draft, setDraft] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const take = (text: string, read: () => Condition) => {
    setDraft(text)
    try {
      onChange(read())
      setFault(null)
      onFault(false)
    } catch (error) {
      const place = error instanceof FilterFault ? `, at character ${error.at + 1}` : ''
      setFault((error as Error).message + place)
      onFault(true)
    }
  }
  const reset = () => {
    setDraft(null)
    setFault(null)
    onFault(false)
  }
  const views: readonly View[] = entry ? ['sentence', 'json', 'sql'] : ['sentence', 'json']
  const isSaid = sentence !== null || draft !== null
  const isWithoutSentence = sentence === null && !entry
  return (
    <div className={css['rule']}>
      <div className={css['ruleHead']}>
        <span className={css['label']}>{label}</span>
        <div role="group" aria-label={`View of: ${label}`} className={css['views']}>
          {views.map((each) => (
            <Button
              key={each}
              look="quiet"
              aria-pressed={view === each}
              disabled={view !== each && (fault !== null || (each === 'sentence' && isWithoutSentence))}
              onClick={() => {
                reset()
                setView(each)
              }}
            >
              {viewWords[each]}
            </Button>
          ))}
        </div>
      </div>
      {view === 'json' && (
        <>
          <Code
            label={label}
            language="json"
            value={draft ?? JSON.stringify(value, null, 2)}
            {...(canEdit && { onChange: (text) => take(text, () => readObject(text)) })}
          />
          {fault !== null && <p className={css['fault']}>{fault}</p>}
        </>
      )}
      {view === 'sentence' && (
        <Field
          label={label}
          isLabelHidden
          isCode
          placeholder={isSaid ? 'all rows' : 'no sentence says all of this rule'}
          disabled={!canEdit || !isSaid}
          value={draft ?? sentence ?? ''}
          error={fault}
          help={help}
          onChange={({ target }) => take(target.value, () => ruleOf(target.value, types))}
        />
      )}
      {view === 'sentence' && entry && (
        <RuleBuilder
          {...{ label, value }}
          table={entry.table}
          // A sentence that cannot be read yet is not the rule that is built.
          canEdit={canEdit && fault === null}
          onChange={(rule) => {
            reset()
            onChange(rule)
          }}
        />
      )}
      {view === 'sql' && entry && <RuleSql {...{ label, entry }} rule={value} />}
    </div>
  )
}

function readObject(text: string): Condition {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Condition
  throw new Error('a rule is an object')
}
