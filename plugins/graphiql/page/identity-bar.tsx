// The bar above GraphiQL: role, session variables, token and admin secret. Typed text counts once a field is left or Enter
// is pressed, so that no half of a secret is sent.

import { type FormEvent, useState } from 'react'
import type { Identity, Names, Variable } from './identity.ts'

interface Props {
  readonly names: Names
  readonly identity: Identity
  /** Roles to choose from. */
  readonly roles: readonly string[]
  onAsk(identity: Identity): void
}

interface FieldProps {
  /** The text before it; absent: nothing. */
  readonly caption?: string
  readonly label: string
  readonly value: string
  readonly type?: string
  readonly placeholder?: string
  /** The id of a list of suggestions. */
  readonly list?: string
  onChange(value: string): void
}

function Field({ caption, label, onChange, ...rest }: FieldProps) {
  return (
    <label>
      {caption}
      <input
        {...rest}
        aria-label={label}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}

/** The bar. */
export function IdentityBar({ names, identity, roles, onAsk }: Props) {
  const [typed, setTyped] = useState(identity)
  const { adminSecret, token, role, variables } = typed
  const change = (part: Partial<Identity>) => setTyped({ ...typed, ...part })
  const ask = (next: Identity) => {
    if (JSON.stringify(next) !== JSON.stringify(identity)) onAsk(next)
  }
  const changeVariable = (changed: Variable, part: Partial<Variable>) =>
    change({ variables: variables.map((each) => (each === changed ? { ...each, ...part } : each)) })
  const add = () => {
    const id = Math.max(0, ...variables.map((each) => each.id)) + 1
    change({ variables: [...variables, { id, name: '', value: '' }] })
  }
  const remove = (removed: Variable) => {
    const rest = { ...typed, variables: variables.filter((each) => each !== removed) }
    setTyped(rest)
    ask(rest)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask(typed)
  }
  return (
    <form className="identity" aria-label="Who asks" onSubmit={submit} onBlur={() => ask(typed)}>
      <Field
        caption="Admin secret"
        label={names.adminSecretHeader}
        type="password"
        value={adminSecret}
        onChange={(adminSecret) => change({ adminSecret })}
      />
      <Field
        caption="Token"
        label="authorization"
        type="password"
        placeholder="eyJ…"
        value={token}
        onChange={(token) => change({ token: token.trim() })}
      />
      <Field caption="Role" label={names.roleHeader} list="roles" value={role} onChange={(role) => change({ role })} />
      <datalist id="roles">
        {roles.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {variables.map((variable) => (
        <span className="variable" key={variable.id}>
          <span className="prefix">{names.variablePrefix}</span>
          <Field
            label="Name of the session variable"
            placeholder="user-id"
            value={variable.name}
            onChange={(name) => changeVariable(variable, { name })}
          />
          <Field
            label="Value of the session variable"
            value={variable.value}
            onChange={(value) => changeVariable(variable, { value })}
          />
          <button type="button" aria-label="Remove the session variable" onClick={() => remove(variable)}>
            ×
          </button>
        </span>
      ))}
      <button type="button" onClick={add}>
        + Session variable
      </button>
      <button type="submit" hidden />
    </form>
  )
}
