import { type FormEvent, useState } from 'react'
import { useKeptText } from '../../base/kept-form.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DestroyButton } from '../../parts/destroy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DraftNote } from '../../parts/draft-note.tsx'
import { Checkbox, Field } from '../../parts/field.tsx'
import { Body } from '../../parts/page.tsx'
import { Failed } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Touched } from '../../parts/touched.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { type Metadata, rolesOf } from '../../server/queries.ts'
import { type RemoteSchema, remoteSchemasOf } from '../../server/remote-schemas.ts'
import { type Introspected, type RemoteType, referenceText } from '../../server/remote-types.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import css from './remote.module.css'
import {
  isSayable,
  membersOf,
  orderedTypes,
  permissionSdl,
  readTicks,
  type Ticks,
  tickOf,
  toggleTick,
} from './remote-permission.ts'

interface RemotePermissionsProps {
  readonly schema: RemoteSchema
  readonly introspected: Introspected
  readonly base: Metadata
  readonly canEdit: boolean
}

/** The roles with the part of the schema that each sees. */
export function RemotePermissions({ schema, introspected, base, canEdit }: RemotePermissionsProps) {
  const [edited, setEdited] = useUrlState('role')
  const [draft, setDraft] = useState('')
  const given = schema.permissions ?? []
  const roles = [...new Set([...rolesOf(base), ...given.map(({ role }) => role)])].sort()
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (draft.trim() !== '' && draft.trim() !== 'admin') setEdited(draft.trim())
  }
  const partOf = (role: string): string => {
    const sdl = given.find((each) => each.role === role)?.definition.schema
    if (sdl === undefined) return 'nothing'
    if (sdl.trim() === '*') return 'all of it'
    try {
      const fields = [...readTicks(sdl, introspected).keys()].filter((key) => !key.endsWith(')'))
      return `${fields.length} members`
    } catch {
      return 'a part'
    }
  }
  return (
    <Body>
      <p className={css['note']}>
        A server without <code>--enable-remote-schema-permissions</code> takes no permissions: every role sees all of
        the schema there.
      </p>
      <ul className={css['list']} aria-label="Roles">
        {roles.map((role) => (
          <li key={role} className={css['role']}>
            <strong>{role}</strong>
            <span className={css['note']}>{partOf(role)}</span>
            <Button
              look="quiet"
              aria-label={`${canEdit ? 'Edit' : 'Show'} the permission of ${role}`}
              onClick={() => setEdited(role)}
            >
              {canEdit ? 'Edit' : 'Show'}
            </Button>
          </li>
        ))}
      </ul>
      {canEdit && (
        <form className={css['join']} onSubmit={add}>
          <Field label="Another role" value={draft} onChange={({ target }) => setDraft(target.value)} />
          <Button type="submit" disabled={draft.trim() === ''}>
            Add role
          </Button>
        </form>
      )}
      {edited !== '' && (
        <PermissionDialog
          key={edited}
          {...{ schema, introspected, base, canEdit }}
          role={edited}
          onClose={() => setEdited('')}
        />
      )}
    </Body>
  )
}

interface PermissionDialogProps extends RemotePermissionsProps {
  readonly role: string
  onClose(): void
}

function PermissionDialog({ schema, introspected, base: current, canEdit, role, onClose }: PermissionDialogProps) {
  const base = useOpened(current)
  const old = schema.permissions?.find((each) => each.role === role) ?? null
  const {
    text: sdl,
    change: setSdl,
    draft,
  } = useKeptText(`permission of ${role} on ${schema.name}`, old?.definition.schema ?? '')
  const canTick = isSayable(sdl, introspected)
  const [view, setView] = useState<'ticks' | 'sdl'>(canTick ? 'ticks' : 'sdl')
  const [isTried, setTried] = useState(false)
  const { isBusy, error, save } = useEdit()
  const drop = { type: 'drop_remote_schema_permissions', args: { remote_schema: schema.name, role } }
  const create = {
    type: 'add_remote_schema_permissions',
    args: {
      remote_schema: schema.name,
      role,
      definition: { schema: sdl },
      ...(old?.comment && { comment: old.comment }),
    },
  }
  const part = (now: Metadata) =>
    remoteSchemasOf(now)
      .find(({ name }) => name === schema.name)
      ?.permissions?.find((each) => each.role === role)
  const end = () => {
    draft.forget()
    onClose()
  }
  const send = async (isRemoved: boolean) => {
    const operations = (now: Metadata, isOnTop: boolean) => [
      ...((isOnTop ? part(now) : old) ? [drop] : []),
      ...(isRemoved ? [] : [create]),
    ]
    const words = `${isRemoved ? 'Removed' : 'Saved'} the permission of ${role}`
    const title = `${isRemoved ? 'Remove' : 'Save'} the permission of ${role} on ${schema.name}`
    if (await save({ title, base, part, operations, done: words })) end()
  }
  return (
    <Dialog
      isOpen
      isWide
      title={`The part of ${schema.name} that ${role} sees`}
      onClose={onClose}
      actions={
        <>
          {canEdit && old && (
            <DestroyButton name={role} isBusy={isBusy} onClick={() => void send(true)}>
              Remove permission
            </DestroyButton>
          )}
          <Button onClick={end}>{canEdit ? 'Cancel' : 'Close'}</Button>
          {canEdit && (
            <>
              <Button disabled={sdl.trim() === ''} onClick={() => setTried(true)}>
                Try without saving
              </Button>
              <Button
                look="main"
                isBusy={isBusy}
                disabled={sdl.trim() === '' || sdl === old?.definition.schema}
                onClick={() => void send(false)}
              >
                Save permission
              </Button>
            </>
          )}
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      <DraftNote draft={draft} />
      <Tabs<'ticks' | 'sdl'>
        label="View of the permission"
        value={view}
        tabs={[
          { value: 'ticks', label: 'Ticks' },
          { value: 'sdl', label: 'SDL' },
        ]}
        onChange={setView}
      >
        <div className={css['form']}>
          {view === 'sdl' && (
            <Code
              label="Permission"
              language="graphql"
              value={sdl}
              {...(canEdit && {
                onChange: (text: string) => {
                  setSdl(text)
                  setTried(false)
                },
              })}
            />
          )}
          {view === 'ticks' && !canTick && (
            <p className={css['fault']}>Ticks cannot say all of this text. It stays as it is in the view SDL.</p>
          )}
          {view === 'ticks' && canTick && (
            <TickList
              schema={introspected}
              ticks={readTicks(sdl, introspected)}
              canEdit={canEdit}
              onChange={(ticks) => {
                setSdl(permissionSdl(ticks, introspected))
                setTried(false)
              }}
            />
          )}
        </div>
      </Tabs>
      {isTried && <Touched operations={[...(old ? [drop] : []), create]} roles={[role]} />}
    </Dialog>
  )
}

interface TickListProps {
  readonly schema: Introspected
  readonly ticks: Ticks
  readonly canEdit: boolean
  onChange(ticks: Ticks): void
}

/** Types that are listed at once. */
const listedTypes = 100

/** The types from the roots on, with a tick for each member. */
function TickList({ schema, ticks, canEdit, onChange }: TickListProps) {
  const [needle, setNeedle] = useState('')
  const text = needle.trim().toLowerCase()
  const types = orderedTypes(schema)
  const shown = types.filter(
    (type) =>
      type.name.toLowerCase().includes(text) || membersOf(type).some((member) => member.toLowerCase().includes(text)),
  )
  return (
    <>
      <Field
        label="Find a type or a member"
        type="search"
        value={needle}
        onChange={({ target }) => setNeedle(target.value)}
      />
      {shown.slice(0, listedTypes).map((type) => (
        <TypeTicks key={type.name} {...{ schema, type, ticks, canEdit, onChange }} />
      ))}
      {shown.length > listedTypes && <p className={css['note']}>and {shown.length - listedTypes} more types</p>}
    </>
  )
}

const kinds: Readonly<Record<string, string>> = {
  ...{ OBJECT: 'type', INTERFACE: 'interface', INPUT_OBJECT: 'input', ENUM: 'enum', UNION: 'union' },
}

function TypeTicks({ schema, type, ticks, canEdit, onChange }: TickListProps & { readonly type: RemoteType }) {
  const fieldOf = (member: string) => type.fields?.find(({ name }) => name === member)
  const toggle = (member: string, argument?: string) =>
    onChange(toggleTick(ticks, { type: type.name, member, ...(argument !== undefined && { argument }) }, schema))
  const preset = (key: string, text: string) => onChange(new Map(ticks).set(key, text))
  return (
    <fieldset className={css['type']} disabled={!canEdit}>
      <legend>
        {kinds[type.kind]} {type.name}
      </legend>
      {membersOf(type).map((member) => {
        const field = fieldOf(member)
        const input = type.inputFields?.find(({ name }) => name === member)
        const inner = field ?? input
        const isTicked = ticks.has(tickOf(type.name, member))
        return (
          <div key={member} className={css['member']}>
            <Checkbox
              label={
                <code>
                  {member}
                  {inner && <span className={css['note']}>: {referenceText(inner.type)}</span>}
                </code>
              }
              checked={isTicked}
              onChange={() => toggle(member)}
            />
            {input && isTicked && (
              <Preset label={member} tick={tickOf(type.name, member)} ticks={ticks} onChange={preset} />
            )}
            {isTicked &&
              field?.args.map((arg) => {
                const key = tickOf(type.name, member, arg.name)
                return (
                  <div key={arg.name} className={css['argument']}>
                    <Checkbox
                      label={
                        <code>
                          {arg.name}
                          <span className={css['note']}>: {referenceText(arg.type)}</span>
                        </code>
                      }
                      checked={ticks.has(key)}
                      onChange={() => toggle(member, arg.name)}
                    />
                    {ticks.has(key) && <Preset label={arg.name} tick={key} ticks={ticks} onChange={preset} />}
                  </div>
                )
              })}
          </div>
        )
      })}
    </fieldset>
  )
}

interface PresetProps {
  readonly label: string
  readonly tick: string
  readonly ticks: Ticks
  onChange(tick: string, directive: string): void
}

const presetValue = /^@preset\(value: "((?:[^"\\]|\\.)*)"\)$/

/** The value that the server sets instead of the client, as `x-service-user-id`. */
function Preset({ label, tick, ticks, onChange }: PresetProps) {
  const directive = ticks.get(tick) ?? ''
  const value = presetValue.exec(directive)?.[1]
  // Presets of another form are edited as SDL.
  if (directive !== '' && value === undefined) return <code className={css['note']}>{directive}</code>
  const text: string = value === undefined ? '' : JSON.parse(`"${value}"`)
  return (
    <Field
      label={`Preset of ${label}`}
      isLabelHidden
      isCode
      placeholder="given by the client"
      value={text}
      onChange={({ target }) =>
        onChange(tick, target.value === '' ? '' : `@preset(value: ${JSON.stringify(target.value)})`)
      }
    />
  )
}
