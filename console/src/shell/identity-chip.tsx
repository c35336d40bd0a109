import { Popover } from '@base-ui/react/popover'
import { useQuery } from '@tanstack/react-query'
import { Eye, Plus, X } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { facts } from '../base/facts.ts'
import { useStore } from '../base/store.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { admin, type Identity, identity, identityText } from '../requests/identity.ts'
import { metadataQuery, rolesOf } from '../server/queries.ts'
import css from './identity-chip.module.css'

/** As whom rows are read, and the form that changes it. */
export function IdentityChip() {
  const current = useStore(identity)
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        className={css['chip']}
        data-role={current.role ?? undefined}
        aria-label={`As ${identityText(current)}`}
      >
        <Eye aria-hidden /> <span className={css['who']}>{identityText(current)}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className={css['positioner']}>
          <Popover.Popup className={css['popup']} aria-label="Identity">
            <Form current={current} onDone={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

type Pair = readonly [name: string, value: string]

function Form({ current, onDone }: { readonly current: Identity; onDone(): void }) {
  const roles = useQuery({ ...metadataQuery, select: rolesOf }).data ?? []
  const list = useId()
  const [role, setRole] = useState(current.role ?? '')
  const [pairs, setPairs] = useState<readonly Pair[]>(
    Object.entries(current.variables).length > 0 ? Object.entries(current.variables) : [['user-id', '']],
  )
  const change = (index: number, pair: Pair) => setPairs(pairs.map((each, at) => (at === index ? pair : each)))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const named = pairs.filter(([name, value]) => name.trim() !== '' && value !== '')
    const name = role.trim()
    identity.set(name === '' || name === 'admin' ? admin : { role: name, variables: Object.fromEntries(named) })
    onDone()
  }
  return (
    <form className={css['form']} onSubmit={submit}>
      <Field
        label="Role"
        list={list}
        value={role}
        placeholder="admin"
        onChange={(event) => setRole(event.target.value)}
        help="Rows and GraphQL are asked for as this role."
      />
      <datalist id={list}>
        {roles.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {pairs.map(([name, value], index) => (
        <div key={index} className={css['pair']}>
          <Field
            label={`Variable, ${facts.variablePrefix}`}
            value={name}
            onChange={(event) => change(index, [event.target.value, value])}
          />
          <Field label="Value" value={value} onChange={(event) => change(index, [name, event.target.value])} />
          <IconButton
            label={`Remove variable ${name}`}
            icon={<X aria-hidden />}
            onClick={() => setPairs(pairs.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div className={css['actions']}>
        <Button look="quiet" icon={<Plus aria-hidden />} onClick={() => setPairs([...pairs, ['', '']])}>
          Add variable
        </Button>
        {current.role !== null && (
          <Button
            onClick={() => {
              identity.set(admin)
              onDone()
            }}
          >
            Back to admin
          </Button>
        )}
        <Button type="submit" look="main">
          Apply
        </Button>
      </div>
    </form>
  )
}
