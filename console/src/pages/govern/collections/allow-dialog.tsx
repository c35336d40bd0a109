import { useState } from 'react'
import { Checkbox, Select } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
import { type Metadata, rolesOf } from '../../../server/queries.ts'
import css from '../govern.module.css'
import { type Allowed, allowedOf, allowedWords, allowOperation, type Collection } from './collections-model.ts'

interface AllowProps {
  readonly collection: Collection
  readonly metadata: Metadata
  onClose(): void
}

type Choice = 'nobody' | 'everyone' | 'some'

/** For whom the allow-list has a collection. */
export function AllowDialog({ collection: { name }, metadata: current, onClose }: AllowProps) {
  const metadata = useOpened(current)
  const before = allowedOf(metadata, name)
  const [choice, setChoice] = useState<Choice>(typeof before === 'string' ? before : 'some')
  const [roles, setRoles] = useState<readonly string[]>(typeof before === 'string' ? [] : before)
  const { isBusy, error, save } = useEdit()
  const after: Allowed = choice === 'some' ? roles : choice
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  const known = [...new Set([...rolesOf(metadata), ...roles])]
  const apply = async () => {
    const done = `${name} is ${allowedWords(after)}`
    const part = (now: Metadata) => allowedOf(now, name)
    const operations = (now: Metadata) => [allowOperation(name, part(now), after)]
    if (await save({ title: `Allow ${name}`, base: metadata, part, operations, done })) onClose()
  }
  return (
    <FormDialog
      title={`Allow ${name}`}
      onClose={onClose}
      submit="Save"
      isBusy={isBusy}
      disabled={isSame || (choice === 'some' && roles.length === 0)}
      onSubmit={apply}
      error={error}
    >
      <Select<Choice>
        label="Who may send its queries while the allow-list is enforced"
        value={choice}
        options={[
          { value: 'nobody', label: 'nobody: not in the allow-list' },
          { value: 'everyone', label: 'every role' },
          { value: 'some', label: 'some roles' },
        ]}
        onChange={setChoice}
      />
      {choice === 'some' && (
        <fieldset className={css['choices']}>
          <legend>Roles</legend>
          {known.map((role) => (
            <Checkbox
              key={role}
              label={role}
              checked={roles.includes(role)}
              onChange={() => setRoles(roles.includes(role) ? roles.filter((each) => each !== role) : [...roles, role])}
            />
          ))}
          {known.length === 0 && <p className={css['note']}>No role has a permission yet.</p>}
        </fieldset>
      )}
    </FormDialog>
  )
}
