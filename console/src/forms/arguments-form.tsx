import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Checkbox, Field, Select } from '../parts/field.tsx'
import { tableLabel } from '../server/names.ts'
import { metadataQuery, rolesOf, sourceTablesQuery } from '../server/queries.ts'
import { type ArgumentField, argumentFrom, textOf } from './field-kinds.ts'
import css from './forms.module.css'

/** The arguments of an operation by their names. */
export type Arguments = Readonly<Record<string, unknown>>

interface ArgumentsFormProps {
  readonly fields: readonly ArgumentField[]
  readonly value: Arguments
  onChange(value: Arguments): void
}

const notGiven = 'not given'

/** A field for each argument. Names of tables, columns and roles are completed. */
export function ArgumentsForm({ fields, value, onChange }: ArgumentsFormProps) {
  const id = useId()
  const tables = useQuery(sourceTablesQuery).data ?? []
  const metadata = useQuery(metadataQuery).data
  const change = (name: string, next: unknown) => {
    const others = Object.entries(value).filter(([key]) => key !== name)
    onChange(Object.fromEntries(next === undefined ? others : [...others, [name, next]]))
  }
  const listOf = ({ name, kind }: ArgumentField) =>
    kind === 'table' ? `${id}-tables` : /^roles?(?:_name)?$/.test(name) ? `${id}-roles` : undefined
  return (
    <div className={css['fields']}>
      <datalist id={`${id}-tables`}>
        {tables.map((table) => (
          <option key={tableLabel(table)} value={tableLabel(table)} />
        ))}
      </datalist>
      <datalist id={`${id}-roles`}>
        {metadata && rolesOf(metadata).map((role) => <option key={role} value={role} />)}
      </datalist>
      {fields.map((field) => (
        <Argument
          key={field.name}
          field={field}
          list={listOf(field)}
          value={value[field.name]}
          onChange={(next) => change(field.name, next)}
        />
      ))}
    </div>
  )
}

interface ArgumentProps {
  readonly field: ArgumentField
  readonly list: string | undefined
  readonly value: unknown
  onChange(value: unknown): void
}

function Argument({ field: { name, kind, isRequired, description, choices }, list, value, onChange }: ArgumentProps) {
  // A text that is not JSON yet stays here.
  const [typed, setTyped] = useState<string | null>(null)
  const label = isRequired ? name : `${name} (optional)`
  if (kind === 'flag') {
    return (
      <Checkbox
        label={label}
        checked={value === true}
        onChange={({ target }) => onChange(target.checked || undefined)}
      />
    )
  }
  if (kind === 'choice') {
    const options = choices.map((choice) => ({ value: choice, label: choice }))
    return (
      <Select
        label={label}
        value={typeof value === 'string' ? value : notGiven}
        options={isRequired ? options : [{ value: notGiven, label: notGiven }, ...options]}
        onChange={(next) => onChange(next === notGiven ? undefined : next)}
      />
    )
  }
  return (
    <Field
      label={label}
      isCode={kind !== 'text'}
      help={description}
      list={list}
      error={typed === null ? null : 'This is not JSON yet.'}
      value={typed ?? textOf(kind, value)}
      onChange={({ target }) => {
        try {
          onChange(argumentFrom(kind, target.value))
          setTyped(null)
        } catch {
          setTyped(target.value)
        }
      }}
    />
  )
}
