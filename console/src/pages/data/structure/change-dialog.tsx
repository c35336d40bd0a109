import { useKeptForm } from '../../../base/kept-form.ts'
import { Checkbox, Field, Select } from '../../../parts/field.tsx'
import { tableKey } from '../../../server/names.ts'
import type { TableInfo } from '../table-info.ts'
import type { Change, ChangeField, ChangeValues } from './changes.ts'
import { SqlDialog } from './sql-dialog.tsx'
import css from './structure.module.css'

interface ChangeDialogProps {
  readonly info: TableInfo
  readonly change: Change
  onClose(): void
}

/** Asks for the fields of a change of the structure, which becomes SQL. */
export function ChangeDialog({ info, change, onClose }: ChangeDialogProps) {
  const { title, isDestructive = false, fields, goesTo } = change
  const { values, change: set, draft } = useKeptForm<ChangeValues>(`${title} of ${tableKey(info.name)}`, change.values)
  const shown = { title, isDestructive, draft, onClose, ...(goesTo && { goesTo }) }
  return (
    <SqlDialog {...shown} table={info.name} sql={change.sql(values)}>
      {fields.length === 0
        ? undefined
        : fields.map((field) => (
            <Input
              key={field.name}
              {...{ field, info }}
              value={values[field.name] ?? ''}
              onChange={(value) => set({ [field.name]: value })}
            />
          ))}
    </SqlDialog>
  )
}

interface InputProps {
  readonly field: ChangeField
  readonly info: ChangeDialogProps['info']
  readonly value: string
  onChange(value: string): void
}

function Input({ field: { label, kind, choices = [], help }, info, value, onChange }: InputProps) {
  if (kind === 'tick') {
    return (
      <Checkbox
        label={label}
        checked={value !== ''}
        onChange={(event) => onChange(event.target.checked ? 'yes' : '')}
      />
    )
  }
  if (kind === 'choice') {
    const options = choices.map((choice) => ({ value: choice, label: choice }))
    return <Select label={label} value={value} options={options} onChange={onChange} />
  }
  if (kind === 'columns') return <Columns {...{ label, info, value, onChange }} />
  return (
    <Field
      label={label}
      value={value}
      help={help}
      isCode={kind === 'code'}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Columns in the order in which they are ticked. */
function Columns({ label, info, value, onChange }: Omit<InputProps, 'field'> & { readonly label: string }) {
  const chosen = value === '' ? [] : value.split(', ')
  return (
    <fieldset className={css['choices']}>
      <legend className={css['legend']}>
        {label}
        {chosen.length > 1 && `: ${value}`}
      </legend>
      {info.columns.map(({ name }) => (
        <Checkbox
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={() =>
            onChange((chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name]).join(', '))
          }
        />
      ))}
    </fieldset>
  )
}
