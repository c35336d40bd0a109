// The field that narrows a list. The key `/` leads to it.

import { Field } from './field.tsx'

export interface FilterFieldProps {
  /** Also shown in the empty field, with its key. */
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
}

export const FilterField = ({ label, value, onChange }: FilterFieldProps) => (
  <Field
    label={label}
    isLabelHidden
    placeholder={`${label}  /`}
    type="search"
    data-filter
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
