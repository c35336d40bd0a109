import { useMemo, useState } from 'react'
import { useKeptText } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { CancelButton } from '../../../parts/cancel-button.tsx'
import { Code } from '../../../parts/code.tsx'
import { DestroyButton } from '../../../parts/destroy-button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { DraftNote } from '../../../parts/draft-note.tsx'
import { Checkbox, Field } from '../../../parts/field.tsx'
import { Failed } from '../../../parts/states.tsx'
import { Tabs } from '../../../parts/tabs.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
import { Warning } from '../../../parts/warning.tsx'
import { tableKey, tableLabel } from '../../../server/names.ts'
import { entryOf, type Metadata, type TableEntry } from '../../../server/queries.ts'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import css from './permissions.module.css'
import { Presets } from './presets.tsx'
import { Preview } from './preview.tsx'
import { RuleField } from './rule-field.tsx'
import { SavedChanges } from './saved-changes.tsx'
import { fullPermission, operationsOf, type Permission, permissionOf, type Verb } from './verbs.ts'
import { warningsOf } from './warnings.ts'

interface EditorProps {
  readonly info: TableInfo
  readonly entry: TableEntry
  readonly base: Metadata
  readonly role: string
  readonly verb: Verb
  readonly canEdit: boolean
  onClose(): void
}

const shown = (permission: Permission): string => JSON.stringify(permission, null, 2)

const readObject = (text: string): Permission | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Permission) : null
  } catch {
    return null
  }
}

/** One permission: as a form, and as the JSON that is saved. Nothing that the form does not know is lost. */
export function Editor({ info, role, verb, canEdit, onClose, ...current }: EditorProps) {
  const { base, entry } = useOpened({ base: current.base, entry: current.entry })
  const old = permissionOf(entry, role, verb)
  const saved = shown(old ?? fullPermission(verb))
  const { text, change: setText, draft } = useKeptText(`${verb} ${role} ${tableKey(info.name)}`, saved)
  const [view, setView] = useState<'form' | 'json'>('form')
  const [hasFault, setFault] = useState(false)
  const { isBusy, error, save } = useEdit()
  const permission = readObject(text)
  const change = (changes: Permission) =>
    setText(
      shown(
        Object.fromEntries(Object.entries({ ...permission, ...changes }).filter(([, value]) => value !== undefined)),
      ),
    )
  const submit = async (next: Permission | null) => {
    const title = `${next ? 'Save' : 'Remove'} ${verb} of ${role} on ${tableLabel(info.name)}`
    const part = (metadata: Metadata) => permissionOf(entryOf(metadata, info.name), role, verb)
    const operations = (now: Metadata) =>
      operationsOf({ ...{ entry: entryOf(now, info.name) ?? entry, role, verb }, permission: next })
    const done = `${next ? 'Saved' : 'Removed'} ${verb} of ${role}`
    if (!(await save({ ...{ title, operations, base, part, done }, mine: next }))) return
    draft.forget()
    onClose()
  }
  return (
    <Dialog
      isOpen
      isWide
      title={`${role} may ${verb} ${tableLabel(info.name)}`}
      description={old ? undefined : 'The role has no such permission yet: saving gives it.'}
      onClose={onClose}
      actions={
        <>
          {canEdit && old && (
            <DestroyButton name={role} isBusy={isBusy} onClick={() => void submit(null)}>
              Remove permission
            </DestroyButton>
          )}
          <CancelButton draft={draft} label={canEdit ? 'Cancel' : 'Close'} onClose={onClose} />
          {canEdit && (
            <Button
              look="main"
              isBusy={isBusy}
              disabled={!permission || hasFault || (old !== null && text === shown(old))}
              onClick={() => void submit(permission)}
            >
              Save permission
            </Button>
          )}
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      <DraftNote draft={draft} />
      <Tabs<'form' | 'json'>
        label="View of the permission"
        value={view}
        tabs={[
          { value: 'form', label: 'Form' },
          { value: 'json', label: 'JSON' },
        ]}
        onChange={setView}
      >
        <div className={css['editor']}>
          {view === 'json' && (
            <>
              <Code label="Permission" language="json" value={text} {...(canEdit && { onChange: setText })} />
              {!permission && <p className={css['fault']}>This is not a JSON object.</p>}
            </>
          )}
          {view === 'form' && !permission && (
            <p className={css['fault']}>The JSON is not an object: correct it there.</p>
          )}
          {view === 'form' && permission && (
            <Form
              {...{ info, entry, role, verb, permission, canEdit }}
              old={old && (old['filter'] ?? {})}
              onChange={change}
              onFault={setFault}
            />
          )}
        </div>
      </Tabs>
      {permission && !hasFault && (
        <SavedChanges role={role} operations={operationsOf({ entry, role, verb, permission })} />
      )}
    </Dialog>
  )
}

interface FormProps extends Pick<EditorProps, 'info' | 'entry' | 'role' | 'verb' | 'canEdit'> {
  readonly permission: Permission
  /** The rule of the metadata; null: the role has no permission yet. */
  readonly old: unknown
  /** Undefined removes a key. */
  onChange(changes: Permission): void
  onFault(hasFault: boolean): void
}

function Form({ info, entry, role, verb, permission, old, canEdit, onChange, onFault }: FormProps) {
  const types = useMemo(() => typesOf(info), [info])
  const rule = { types, entry, canEdit, onFault }
  return (
    <>
      {verb !== 'insert' && (
        <RuleField
          {...rule}
          label={`Rows that ${role} may ${verb}`}
          value={permission['filter'] ?? {}}
          onChange={(filter) => onChange({ filter })}
        />
      )}
      {verb !== 'insert' && <Preview {...{ info, role, old, canEdit }} rule={permission['filter'] ?? {}} />}
      {(verb === 'insert' || verb === 'update') && (
        <RuleField
          {...rule}
          label={verb === 'insert' ? 'Rule that new rows fulfil' : 'Rule that changed rows fulfil'}
          value={permission['check'] ?? {}}
          onChange={(check) =>
            onChange({ check: verb === 'update' && Object.keys(check).length === 0 ? undefined : check })
          }
        />
      )}
      {warningsOf({
        ...{ role, verb, permission, select: permissionOf(entry, role, 'select') },
        columns: info.columns.map(({ name }) => name),
      }).map(({ text, remedy }) => (
        <Warning
          key={text}
          action={canEdit && <Button onClick={() => onChange(remedy.changes)}>{remedy.title}</Button>}
        >
          {text}
        </Warning>
      ))}
      {verb !== 'delete' && <Columns {...{ info, permission, canEdit, onChange }} />}
      {(verb === 'insert' || verb === 'update') && <Presets {...{ info, permission, canEdit, onChange }} />}
      {verb === 'select' && (
        <>
          <Field
            label="Rows at once, at most"
            inputMode="numeric"
            placeholder="no limit"
            disabled={!canEdit}
            value={typeof permission['limit'] === 'number' ? String(permission['limit']) : ''}
            onChange={({ target }) =>
              onChange({ limit: /^\d{1,9}$/.test(target.value) ? Number(target.value) : undefined })
            }
          />
          <Checkbox
            label="Aggregates of the rows, such as their count"
            checked={permission['allow_aggregations'] === true}
            disabled={!canEdit}
            onChange={({ target }) => onChange({ allow_aggregations: target.checked || undefined })}
          />
        </>
      )}
    </>
  )
}

function Columns({
  info,
  permission,
  canEdit,
  onChange,
}: Pick<FormProps, 'info' | 'permission' | 'canEdit' | 'onChange'>) {
  const all = info.columns.map(({ name }) => name)
  const isAll = permission['columns'] === '*'
  const chosen = isAll ? all : ((permission['columns'] ?? []) as readonly string[])
  const toggle = (name: string) =>
    onChange({
      columns: chosen.includes(name)
        ? chosen.filter((each) => each !== name)
        : all.filter((each) => each === name || chosen.includes(each)),
    })
  return (
    <fieldset className={css['columns']} disabled={!canEdit}>
      <legend>Columns</legend>
      <Checkbox
        label="All, later ones too"
        checked={isAll}
        onChange={({ target }) => onChange({ columns: target.checked ? '*' : all })}
      />
      {all.map((name) => (
        <Checkbox key={name} label={name} checked={chosen.includes(name)} onChange={() => toggle(name)} />
      ))}
    </fieldset>
  )
}
