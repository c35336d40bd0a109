import { useKeptForm } from '../../../base/kept-form.ts'
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

interface Values {
  readonly choice: Choice
  readonly roles: readonly string[]
}

const isEqual = (a: Allowed, b: Allowed): boolean => JSON.stringify(a) === JSON.stringify(b)

/** For whom the allow-list has a collection. */
export function AllowDialog({ collection: { name }, metadata: current, onClose }: AllowProps) {
  const metadata = useOpened(current)
  const before = allowedOf(metadata, name)
  const { values, change, draft } = useKeptForm<Values>(`allowed roles of ${name}`, {
    choice: typeof before === 'string' ? before : 'some',
    roles: typeof before === 'string' ? [] : before,
  })
  const { choice, roles } = values
  const { isBusy, error, save } = useEdit()
  const after: Allowed = choice === 'some' ? roles : choice
  const known = [...new Set([...rolesOf(metadata), ...roles])]
  const apply = async () => {
    const done = `${name} is ${allowedWords(after)}`
    const part = (now: Metadata) => allowedOf(now, name)
    const operations = (now: Metadata) => (isEqual(part(now), after) ? [] : [allowOperation(name, part(now), after)])
    if (!(await save({ title: `Allow ${name}`, base: metadata, part, operations, mine: after, done }))) return
    draft.forget()
    onClose()
  }
  return (
    <FormDialog
      title={`Allow ${name}`}
      onClose={onClose}
      submit="Save"
      isBusy={isBusy}
      disabled={isEqual(before, after) || (choice === 'some' && roles.length === 0)}
      onSubmit={apply}
      draft={draft}
      error={error}
    >
      <Select<Choice>
        label="Roles that may send its queries while the allow-list is enforced"
        value={choice}
        options={[
          { value: 'nobody', label: 'nobody: not in the allow-list' },
          { value: 'everyone', label: 'every role' },
          { value: 'some', label: 'some roles' },
        ]}
        onChange={(next) => change({ choice: next })}
      />
      {choice === 'some' && (
        <fieldset className={css['choices']}>
          <legend>Roles</legend>
          {known.map((role) => (
            <Checkbox
              key={role}
              label={role}
              checked={roles.includes(role)}
              onChange={() =>
                change({ roles: roles.includes(role) ? roles.filter((each) => each !== role) : [...roles, role] })
              }
            />
          ))}
          {known.length === 0 && <p className={css['note']}>No role has a permission yet.</p>}
        </fieldset>
      )}
    </FormDialog>
  )
}
