import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { facts } from '../../../base/facts.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { Space, Toolbar } from '../../../parts/page.tsx'
import type { Identity } from '../../../requests/identity.ts'
import { type Metadata, rolesOf } from '../../../server/queries.ts'
import css from './look-as.module.css'

interface LookBarProps {
  readonly look: Identity
  readonly metadata: Metadata
  /** Session variables that the role's rule needs. */
  readonly names: readonly string[]
  readonly actions: ReactNode
  onLook(look: Identity): void
}

/** As whom the right side is read. */
export function LookBar({ look, metadata, names, actions, onLook }: LookBarProps) {
  const list = useId()
  const [role, setRole] = useState(look.role ?? '')
  const [values, setValues] = useState(look.variables)
  const shown = [...new Set([...names, ...Object.keys(look.variables)])]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = Object.entries(values).filter(([, value]) => value !== '')
    onLook({ role: role.trim() === '' ? null : role.trim(), variables: Object.fromEntries(given) })
  }
  return (
    <form className={css['bar']} onSubmit={submit}>
      <Toolbar label="Look as">
        <div className={css['field']}>
          <Field label="Look as role" list={list} value={role} onChange={({ target }) => setRole(target.value)} />
        </div>
        <datalist id={list}>
          {rolesOf(metadata).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {shown.map((name) => (
          <div key={name} className={css['field']}>
            <Field
              label={facts.variablePrefix + name}
              value={values[name] ?? ''}
              onChange={({ target }) => setValues({ ...values, [name]: target.value })}
            />
          </div>
        ))}
        <Button type="submit">Look</Button>
        <Space />
        {actions}
      </Toolbar>
    </form>
  )
}
