import { type FormEvent, useState } from 'react'
import { Field } from '../../../parts/field.tsx'
import { useUrlState } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import type { FilterFault } from './filter.ts'
import css from './rows.module.css'

/** The filter as text: Enter or leaving the field applies it. */
export function FilterBar({ info, fault }: { readonly info: TableInfo; readonly fault: FilterFault | null }) {
  const [applied, apply] = useUrlState('where')
  const [draft, setDraft] = useState({ of: applied, text: applied })
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
  )
}
