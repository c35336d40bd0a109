import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Field, Select } from '../../../parts/field.tsx'
import type { TableInfo } from '../table-info.ts'
import css from './permissions.module.css'
import type { Permission } from './verbs.ts'

interface PresetsProps {
  readonly info: TableInfo
  readonly permission: Permission
  readonly canEdit: boolean
  onChange(changes: Permission): void
}

/** Columns that the server sets by itself: to a value, or to a session variable. */
export function Presets({ info, permission, canEdit, onChange }: PresetsProps) {
  const set = (permission['set'] ?? {}) as Readonly<Record<string, unknown>>
  const free = info.columns.map(({ name }) => name).filter((name) => !Object.hasOwn(set, name))
  const replace = (next: Readonly<Record<string, unknown>>) =>
    onChange({ set: Object.keys(next).length === 0 ? undefined : next })
  const without = (name: string) => Object.fromEntries(Object.entries(set).filter(([each]) => each !== name))
  return (
    <fieldset className={css['presets']} disabled={!canEdit}>
      <legend>Presets</legend>
      {Object.entries(set).map(([name, value]) => (
        <div key={name} className={css['preset']}>
          <Select<string>
            label="Column"
            isLabelHidden
            value={name}
            options={[name, ...free].map((each) => ({ value: each, label: each }))}
            onChange={(next) => replace({ ...without(name), [next]: value })}
          />
          <Field
            label={`Value of ${name}`}
            isLabelHidden
            isCode
            placeholder="X-Service-User-Id, or a value"
            value={typeof value === 'string' ? value : JSON.stringify(value)}
            onChange={({ target }) => replace({ ...set, [name]: target.value })}
          />
          <IconButton label={`Remove preset ${name}`} icon={<X aria-hidden />} onClick={() => replace(without(name))} />
        </div>
      ))}
      {free.length > 0 && (
        <Button look="quiet" icon={<Plus aria-hidden />} onClick={() => replace({ ...set, [free[0]!]: '' })}>
          Add preset
        </Button>
      )}
    </fieldset>
  )
}
