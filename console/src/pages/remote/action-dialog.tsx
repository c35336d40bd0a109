import { type ReactNode, useState } from 'react'
import { useKeptForm } from '../../base/kept-form.ts'
import { withMembers } from '../../base/objects.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DestroyButton } from '../../parts/destroy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DraftNote } from '../../parts/draft-note.tsx'
import { Checkbox, Field, Select } from '../../parts/field.tsx'
import { Failed } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { useOpened } from '../../parts/use-opened.ts'
import type { Operation } from '../../server/operations.ts'
import { type Metadata, rolesOf } from '../../server/queries.ts'
import { ActionTry } from './action-try.tsx'
import type { Action } from './action-types.ts'
import { actionsOf } from './actions.ts'
import css from './remote.module.css'
import { readSignature, type Signature, signatureSdl } from './sdl.ts'

interface ActionDialogProps {
  /** Null: a new one. */
  readonly action: Action | null
  readonly base: Metadata
  readonly canEdit: boolean
  onClose(): void
}

const beginning = 'type Mutation {\n  greet(name: String!): String\n}\n'

interface Values {
  readonly sdl: string
  readonly definition: Readonly<Record<string, unknown>>
  readonly roles: readonly string[]
}

const rolesIn = (action: Action | null): readonly string[] => (action?.permissions ?? []).map(({ role }) => role)

type View = 'definition' | 'try'

/** One action: its signature and handler, the roles that may call it, and a way to try it. */
export function ActionDialog({ action, base: current, canEdit, onClose }: ActionDialogProps) {
  const base = useOpened(current)
  const [view, setView] = useState<View>('definition')
  const { values, change, draft } = useKeptForm<Values>(`action ${action?.name ?? ''}`, {
    sdl: action ? signatureSdl(action) : beginning,
    definition: action?.definition ?? { handler: '', kind: 'synchronous' },
    roles: rolesIn(action),
  })
  const { sdl, definition, roles } = values
  const [isAsked, setAsked] = useState(false)
  const { isBusy, error, setError, save } = useEdit()
  const ask = (isNow: boolean) => {
    setError(null)
    setAsked(isNow)
  }
  const { signature, fault } = signatureOf(sdl, action)
  const part = (now: Metadata) => actionsOf(now).find(({ name }) => name === (action ?? signature)?.name)
  const end = () => {
    draft.forget()
    onClose()
  }
  const submit = async () => {
    if (!signature) return
    const words = `${action ? 'Changed' : 'Created'} ${signature.name}`
    const title = `${action ? 'Change' : 'Create'} the action ${signature.name}`
    const operations = (now: Metadata, isOnTop: boolean) =>
      operationsFor({ action: isOnTop ? (part(now) ?? null) : action, signature, definition, roles })
    if (await save({ title, base, part, operations, done: words })) end()
  }
  const remove = async () => {
    if (!action) return
    const operations = [{ type: 'drop_action', args: { name: action.name, clear_data: false } }]
    const title = `Remove the action ${action.name}`
    if (await save({ title, base, part, operations, done: `Removed ${action.name}` })) end()
  }
  const footer: ReactNode = isAsked ? (
    <>
      <Button onClick={() => ask(false)}>Cancel</Button>
      <DestroyButton name={action?.name ?? ''} isBusy={isBusy} onClick={() => void remove()}>
        Remove {action?.name}
      </DestroyButton>
    </>
  ) : (
    <>
      {canEdit && action && (
        <Button look="danger" onClick={() => ask(true)}>
          Remove
        </Button>
      )}
      <Button onClick={end}>{canEdit ? 'Cancel' : 'Close'}</Button>
      {canEdit && view === 'definition' && (
        <Button look="main" isBusy={isBusy} disabled={!signature} onClick={() => void submit()}>
          {action ? 'Save action' : 'Create action'}
        </Button>
      )}
    </>
  )
  const editor = (
    <div className={css['form']}>
      <DraftNote draft={draft} />
      <Code
        label="Signature"
        language="graphql"
        value={sdl}
        {...(canEdit && { onChange: (next: string) => change({ sdl: next }) })}
      />
      {fault !== null && <p className={css['fault']}>{fault}</p>}
      <DefinitionFields {...{ definition, canEdit }} onChange={(next) => change({ definition: next })} />
      <Roles roles={rolesOf(base)} chosen={roles} canEdit={canEdit} onChange={(next) => change({ roles: next })} />
    </div>
  )
  return (
    <Dialog
      isOpen
      isWide
      title={action?.name ?? 'Create an action'}
      description={
        isAsked
          ? 'Clients can no longer call it. Results of calls that were made stay.'
          : (action?.comment ?? undefined)
      }
      onClose={onClose}
      actions={footer}
    >
      {error !== null && <Failed error={error} />}
      {action && !isAsked ? (
        <Tabs<View>
          label="Action"
          value={view}
          tabs={[
            { value: 'definition', label: 'Definition' },
            { value: 'try', label: 'Try' },
          ]}
          onChange={setView}
        >
          {view === 'definition' ? editor : <ActionTry action={action} base={base} />}
        </Tabs>
      ) : (
        !isAsked && editor
      )}
    </Dialog>
  )
}

interface Read {
  readonly signature: Signature | null
  readonly fault: string | null
}

function signatureOf(sdl: string, action: Action | null): Read {
  try {
    const signature = readSignature(sdl)
    if (action && signature.name !== action.name) {
      return { signature: null, fault: `The name stays ${action.name}: create another action, and remove this one.` }
    }
    return { signature, fault: null }
  } catch (error) {
    return { signature: null, fault: (error as Error).message }
  }
}

interface Wanted {
  readonly action: Action | null
  readonly signature: Signature
  readonly definition: Readonly<Record<string, unknown>>
  readonly roles: readonly string[]
}

/** The operations that make an action so, in one edit. */
function operationsFor({ action, signature, definition, roles }: Wanted): readonly Operation[] {
  const { name, comment, type, ...members } = signature
  const { type: _, kind, ...others } = definition
  // A query is answered at once.
  const whole = { ...others, ...members, type, ...(type === 'mutation' && kind !== undefined && { kind }) }
  const old = rolesIn(action)
  return [
    {
      type: action ? 'update_action' : 'create_action',
      args: { name, definition: whole, ...(comment !== undefined && { comment }) },
    },
    ...old
      .filter((role) => !roles.includes(role))
      .map((role) => ({ type: 'drop_action_permission', args: { action: name, role } })),
    ...roles
      .filter((role) => !old.includes(role))
      .map((role) => ({ type: 'create_action_permission', args: { action: name, role } })),
  ]
}

interface DefinitionFieldsProps {
  readonly definition: Readonly<Record<string, unknown>>
  readonly canEdit: boolean
  onChange(definition: Readonly<Record<string, unknown>>): void
}

function DefinitionFields({ definition, canEdit, onChange }: DefinitionFieldsProps) {
  const { handler, kind, timeout, forward_client_headers: forwards } = definition
  const change = (changes: Readonly<Record<string, unknown>>) => onChange(withMembers(definition, changes))
  return (
    <>
      {typeof handler === 'string' ? (
        <Field
          label="Handler: the URL of the webhook"
          isCode
          disabled={!canEdit}
          placeholder="https://shop.example.com/place-order"
          value={handler}
          onChange={({ target }) => change({ handler: target.value })}
        />
      ) : (
        <p className={css['note']}>
          Handler: <code>{JSON.stringify(handler)}</code>
        </p>
      )}
      <div className={css['fields']}>
        <Select<'synchronous' | 'asynchronous'>
          label="Calls of a mutation are answered"
          disabled={!canEdit}
          value={kind === 'asynchronous' ? 'asynchronous' : 'synchronous'}
          options={[
            { value: 'synchronous', label: 'at once' },
            { value: 'asynchronous', label: 'later, by an id' },
          ]}
          onChange={(next) => change({ kind: next })}
        />
        <Field
          label="Seconds that the handler has"
          inputMode="numeric"
          placeholder="30"
          disabled={!canEdit}
          value={typeof timeout === 'number' ? String(timeout) : ''}
          onChange={({ target }) =>
            change({ timeout: /^\d{1,6}$/.test(target.value) ? Number(target.value) : undefined })
          }
        />
      </div>
      <Checkbox
        label="Send the client's headers on"
        disabled={!canEdit}
        checked={forwards === true}
        onChange={({ target }) => change({ forward_client_headers: target.checked || undefined })}
      />
    </>
  )
}

interface RolesProps {
  readonly roles: readonly string[]
  readonly chosen: readonly string[]
  readonly canEdit: boolean
  onChange(roles: readonly string[]): void
}

function Roles({ roles, chosen, canEdit, onChange }: RolesProps) {
  const [another, setAnother] = useState('')
  const all = [...new Set([...roles, ...chosen])].sort()
  return (
    <fieldset className={css['type']} disabled={!canEdit}>
      <legend>Roles that may call it, beside admin</legend>
      {all.map((role) => (
        <div key={role}>
          <Checkbox
            label={role}
            checked={chosen.includes(role)}
            onChange={() =>
              onChange(chosen.includes(role) ? chosen.filter((each) => each !== role) : [...chosen, role])
            }
          />
        </div>
      ))}
      {canEdit && (
        <div className={css['join']}>
          <Field label="Another role" value={another} onChange={({ target }) => setAnother(target.value)} />
          <Button
            disabled={another.trim() === '' || all.includes(another.trim())}
            onClick={() => {
              onChange([...chosen, another.trim()])
              setAnother('')
            }}
          >
            Add role
          </Button>
        </div>
      )}
    </fieldset>
  )
}
