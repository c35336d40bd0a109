import { useState } from 'react'
import { useKeptForm } from '../../base/kept-form.ts'
import { readObject, withMembers } from '../../base/objects.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DraftNote } from '../../parts/draft-note.tsx'
import { Checkbox, Field, Select } from '../../parts/field.tsx'
import { FormOrJson } from '../../parts/form-or-json.tsx'
import { Failed } from '../../parts/states.tsx'
import { Touched } from '../../parts/touched.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { useOpened } from '../../parts/use-opened.ts'
import type { Operation } from '../../server/operations.ts'
import type { Metadata } from '../../server/queries.ts'
import { type RemoteSchema, remoteSchemasOf } from '../../server/remote-schemas.ts'
import css from './remote.module.css'

type Definition = RemoteSchema['definition']

/** Where a remote schema is: its URL, the variable that has it, or a part of this server. */
export function addressOf(definition: Definition): string {
  const { url, url_from_env: variable, plugin, stitch } = definition
  if (typeof url === 'string') return url
  if (typeof url === 'object' && url !== null && 'from_env' in url) return `variable ${String(url.from_env)}`
  if (typeof variable === 'string') return `variable ${variable}`
  if (typeof plugin === 'string') return `plugin ${plugin}`
  return stitch === undefined ? '' : 'stitched of others'
}

interface SchemaDialogProps {
  readonly base: Metadata
  /** Null: a new one. */
  readonly schema: RemoteSchema | null
  onClose(): void
}

const shown = (definition: Definition): string => JSON.stringify(definition, null, 2)

/** Adds or changes a remote schema: as a form, and as the JSON that is saved. */
export function SchemaDialog({ base: current, schema, onClose }: SchemaDialogProps) {
  const base = useOpened(current)
  const { values, change, draft } = useKeptForm(`remote schema ${schema?.name ?? ''}`, {
    name: schema?.name ?? '',
    comment: schema?.comment ?? '',
    text: shown(schema?.definition ?? { url: '', timeout_seconds: 60 }),
  })
  const { name, comment, text } = values
  const [tried, setTried] = useState<readonly Operation[] | null>(null)
  const { isBusy, error, save } = useEdit()
  const definition = readObject(text)
  const args = { name: name.trim(), definition, ...(comment.trim() !== '' && { comment: comment.trim() }) }
  const operationsOver = (old: unknown) => [{ type: old ? 'update_remote_schema' : 'add_remote_schema', args }]
  const part = (now: Metadata) => remoteSchemasOf(now).find((each) => each.name === name.trim())
  const end = () => {
    draft.forget()
    onClose()
  }
  const submit = async () => {
    const title = `${schema ? 'Change' : 'Add'} remote schema ${name.trim()}`
    const done = `${schema ? 'Changed' : 'Added'} ${name.trim()}`
    const operations = (now: Metadata, isOnTop: boolean) => operationsOver(isOnTop ? part(now) : schema)
    if (await save({ title, base, part, operations, done })) end()
  }
  const isReady = definition !== null && name.trim() !== ''
  return (
    <Dialog
      isOpen
      isWide
      title={schema ? `Change ${schema.name}` : 'Add a remote schema'}
      description="The server asks for the schema when this is saved. Its root fields are served beside those of the tables."
      onClose={onClose}
      actions={
        <>
          <Button onClick={end}>Cancel</Button>
          <Button disabled={!isReady} onClick={() => setTried(operationsOver(schema))}>
            Try without saving
          </Button>
          <Button look="main" isBusy={isBusy} disabled={!isReady} onClick={() => void submit()}>
            {schema ? 'Save remote schema' : 'Add remote schema'}
          </Button>
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      <DraftNote draft={draft} />
      <div className={css['fields']}>
        <Field
          label="Name"
          value={name}
          disabled={schema !== null}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Field label="Comment" value={comment} onChange={({ target }) => change({ comment: target.value })} />
      </div>
      <FormOrJson
        label="View of the definition"
        textLabel="Definition"
        text={text}
        onChange={(next) => change({ text: next })}
        form={(object) => <DefinitionForm definition={object} onChange={(next) => change({ text: shown(next) })} />}
      />
      {tried && <Touched operations={tried} roles={['admin']} />}
    </Dialog>
  )
}

interface DefinitionFormProps {
  readonly definition: Definition
  onChange(definition: Definition): void
}

function DefinitionForm({ definition, onChange }: DefinitionFormProps) {
  const isVariable = definition['url_from_env'] !== undefined
  const isUrl = typeof definition['url'] === 'string' || isVariable
  const without = ({ url: _, url_from_env: __, ...others }: Definition) => others
  const seconds = definition['timeout_seconds']
  const customization = (definition['customization'] ?? {}) as Readonly<Record<string, unknown>>
  const change = (changes: Definition) => onChange(withMembers(definition, changes))
  return (
    <>
      {isUrl ? (
        <div className={css['fields']}>
          <Select<'url' | 'url_from_env'>
            label="Address from"
            value={isVariable ? 'url_from_env' : 'url'}
            options={[
              { value: 'url', label: 'a URL' },
              { value: 'url_from_env', label: 'a variable of the environment' },
            ]}
            onChange={(member) => onChange({ [member]: '', ...without(definition) })}
          />
          <Field
            label={isVariable ? 'Variable' : 'URL'}
            isCode
            placeholder={isVariable ? 'CRM_URL' : 'https://crm.example.com/graphql'}
            value={String(definition['url_from_env'] ?? definition['url'])}
            onChange={({ target }) => change({ [isVariable ? 'url_from_env' : 'url']: target.value })}
          />
        </div>
      ) : (
        <p className={css['note']}>It is {addressOf(definition)}. The JSON has all of it.</p>
      )}
      <div className={css['fields']}>
        <Field
          label="Seconds until an answer must be complete"
          inputMode="numeric"
          placeholder="60"
          value={typeof seconds === 'number' ? String(seconds) : ''}
          onChange={({ target }) =>
            change({ timeout_seconds: /^\d{1,6}$/.test(target.value) ? Number(target.value) : undefined })
          }
        />
        <Field
          label="Namespace of its root fields"
          placeholder="none"
          value={String(customization['root_fields_namespace'] ?? '')}
          onChange={({ target }) => {
            const { root_fields_namespace: _, ...others } = customization
            const next = target.value === '' ? others : { ...others, root_fields_namespace: target.value }
            change({ customization: Object.keys(next).length === 0 ? undefined : next })
          }}
        />
      </div>
      <Checkbox
        label="Send the client's headers on"
        checked={definition['forward_client_headers'] === true}
        onChange={({ target }) => change({ forward_client_headers: target.checked || undefined })}
      />
      <p className={css['note']}>Headers of its own, other names and subscriptions are in the JSON.</p>
    </>
  )
}
