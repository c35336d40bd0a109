import { useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Field } from '../../../parts/field.tsx'
import { type Condition, FilterFault } from '../rows/filter.ts'
import { ruleOf, ruleText } from '../rule-text.ts'
import css from './permissions.module.css'

interface RuleFieldProps {
  readonly label: string
  readonly value: unknown
  readonly types: ReadonlyMap<string, string>
  readonly canEdit: boolean
  /** An example; absent: one with a session variable. */
  readonly help?: string
  onChange(rule: Condition): void
  /** Whether the text is not a rule now. */
  onFault(hasFault: boolean): void
}

const example = 'As customer_id = X-Service-User-Id and invoice.total > 5. Nothing: all rows.'

/** A rule as a sentence, or as JSON where a sentence cannot hold it. */
export function RuleField({ label, value, types, canEdit, help = example, onChange, onFault }: RuleFieldProps) {
  const sentence = ruleText(value, types)
  const [isJson, setJson] = useState(sentence === null)
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
  const switchView = () => {
    setDraft(null)
    setFault(null)
    onFault(false)
    setJson(!isJson)
  }
  const json = draft ?? JSON.stringify(value, null, 2)
  return (
    <div className={css['rule']}>
      {isJson ? (
        <>
          <span className={css['label']}>{label}</span>
          <Code
            label={label}
            language="json"
            value={json}
            {...(canEdit && { onChange: (text) => take(text, () => readObject(text)) })}
          />
          {fault !== null && <p className={css['fault']}>{fault}</p>}
        </>
      ) : (
        <Field
          label={label}
          isCode
          placeholder="all rows"
          disabled={!canEdit}
          value={draft ?? sentence ?? ''}
          error={fault}
          help={help}
          onChange={({ target }) => take(target.value, () => ruleOf(target.value, types))}
        />
      )}
      <Button look="quiet" disabled={isJson ? sentence === null : fault !== null} onClick={switchView}>
        {isJson ? 'As a sentence' : 'As JSON'}
      </Button>
    </div>
  )
}

function readObject(text: string): Condition {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Condition
  throw new Error('a rule is an object')
}
