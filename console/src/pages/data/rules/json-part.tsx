import { X } from 'lucide-react'
import { useState } from 'react'
import { parseExactly } from '../../../base/json.ts'
import { IconButton } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { useBuilder } from './builder-context.ts'
import css from './rule-builder.module.css'

interface JsonPartProps {
  /** Null: it has no name. */
  readonly name: string | null
  readonly value: unknown
  onChange(value: unknown): void
  onRemove?(): void
}

/** A part that the builder does not know: its JSON, which stays as it is until it is edited. */
export function JsonPart({ name, value, onChange, onRemove }: JsonPartProps) {
  const { canEdit } = useBuilder()
  const [draft, setDraft] = useState<string | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const label = name ?? 'rule'
  const take = (text: string) => {
    setDraft(text)
    try {
      onChange(parseExactly(text))
      setFault(null)
    } catch (error) {
      setFault(`not taken over: ${(error as Error).message}`)
    }
  }
  return (
    <div className={css['json']}>
      {name !== null && <code>{name}</code>}
      <Field
        label={`JSON of ${label}`}
        isLabelHidden
        isCode
        disabled={!canEdit}
        error={fault}
        value={draft ?? JSON.stringify(value) ?? ''}
        onBlur={() => fault === null && setDraft(null)}
        onChange={({ target }) => take(target.value)}
      />
      {canEdit && onRemove && <IconButton label={`Remove ${label}`} icon={<X aria-hidden />} onClick={onRemove} />}
    </div>
  )
}
