import { ListFilter, X } from 'lucide-react'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { useUrlState } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import type { Condition, FilterFault } from './filter.ts'
import { filterOfParts, filterParts, filterText } from './filter-text.ts'
import css from './rows.module.css'

const FilterConditions = lazy(() => import('./filter-conditions.tsx'))

interface FilterBarProps {
  readonly info: TableInfo
  readonly fault: FilterFault | null
  /** Null: all rows, or it cannot be read. */
  readonly filter: Condition | null
  readonly types: ReadonlyMap<string, string>
}

/** The filter as text, which Enter or leaving the field applies, and the way to its conditions. */
export function FilterBar({ info, fault, filter, types }: FilterBarProps) {
  const [applied, apply] = useUrlState('where')
  const [draft, setDraft] = useState({ of: applied, text: applied })
  const [isOpen, setOpen] = useState(false)
  // The address may change by itself, as by the browser's button for going back.
  const text = draft.of === applied ? draft.text : applied
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    setDraft({ of: text, text })
    if (text !== applied) apply(text)
  }
  const [first, second] = info.columns
  const example = `${first?.name ?? 'id'} > 5 and ${second?.name ?? 'name'} is not null`
  return (
    <>
      <form className={css['filter']} onSubmit={submit}>
        <Field
          label="Filter rows"
          isLabelHidden
          type="search"
          placeholder={`Filter rows, as ${example}`}
          data-filter
          isCode
          value={text}
          error={fault && `${fault.message}, at character ${fault.at + 1}`}
          onChange={(event) => setDraft({ of: applied, text: event.target.value })}
          onBlur={() => submit()}
        />
      </form>
      <Button
        isFolding
        title="Conditions of the filter"
        icon={<ListFilter aria-hidden />}
        disabled={fault !== null}
        onClick={() => setOpen(true)}
      >
        Conditions
      </Button>
      {isOpen && (
        <Suspense>
          <FilterConditions
            {...{ info, filter }}
            onApply={(next) => apply(filterText(next, types))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

interface FilterChipsProps {
  readonly filter: Condition | null
  readonly types: ReadonlyMap<string, string>
}

/** The parts of the filter, each of which can be taken away. One part alone stands in the field. */
export function FilterChips({ filter, types }: FilterChipsProps) {
  const [, apply] = useUrlState('where')
  const parts = filterParts(filter)
  if (parts.length < 2) return null
  return (
    <ul className={css['chips']} aria-label="Conditions">
      {parts.map((part, index) => {
        const text = filterText(part, types)
        const others = parts.filter((_, at) => at !== index)
        return (
          <li key={text} className={css['part']}>
            <code>{text}</code>
            <IconButton
              icon={<X aria-hidden />}
              label={`Remove ${text}`}
              onClick={() => apply(filterText(filterOfParts(others), types))}
            />
          </li>
        )
      })}
    </ul>
  )
}
