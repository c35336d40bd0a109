import { Autocomplete } from '@base-ui/react/autocomplete'
import { ChevronDown } from 'lucide-react'
import { useId, useState } from 'react'
import css from './field.module.css'
import own from './suggest-field.module.css'
import type { Suggestion } from './suggestion.ts'

interface SuggestFieldProps {
  readonly label: string
  readonly value: string
  readonly suggestions: readonly Suggestion[]
  /** An error that stands where it happened. */
  readonly error?: string | null
  readonly isCode?: boolean
  readonly placeholder?: string
  onChange(value: string): void
}

/** A text field that suggests frequent texts, and takes any other. */
export function SuggestField({
  label,
  value,
  suggestions,
  error,
  isCode = false,
  placeholder,
  onChange,
}: SuggestFieldProps) {
  const id = useId()
  const about = `${id}-about`
  // All are shown until the person types: the text of the field would leave itself alone.
  const [isTyped, setTyped] = useState(false)
  return (
    <div className={css['field']}>
      <label htmlFor={id} className={css['label']}>
        {label}
      </label>
      <Autocomplete.Root
        items={suggestions}
        itemToStringValue={(item: Suggestion) => item.value}
        mode={isTyped ? 'list' : 'none'}
        openOnInputClick
        value={value}
        onValueChange={(next, { reason }) => {
          setTyped(reason === 'input-change' && next !== '')
          onChange(next)
        }}
        onOpenChange={(opens) => !opens && setTyped(false)}
      >
        <div className={own['control']}>
          <Autocomplete.Input
            id={id}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            className={`${css['input']} ${isCode ? css['code'] : ''}`}
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? about : undefined}
          />
          {suggestions.length > 0 && (
            <Autocomplete.Trigger className={own['arrow']} tabIndex={-1} aria-label={`Suggestions for ${label}`}>
              <ChevronDown aria-hidden />
            </Autocomplete.Trigger>
          )}
        </div>
        <Autocomplete.Portal>
          <Autocomplete.Positioner align="start" sideOffset={4} className={css['positioner']}>
            <Autocomplete.Popup className={`${css['popup']} ${own['popup']}`}>
              <Autocomplete.List>
                {(item: Suggestion) => (
                  <Autocomplete.Item key={item.value} value={item} className={css['option']}>
                    <code>{item.value}</code>
                    {item.note !== undefined && <span className={own['note']}>{item.note}</span>}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
      {error && (
        <div id={about} className={css['error']}>
          {error}
        </div>
      )}
    </div>
  )
}
