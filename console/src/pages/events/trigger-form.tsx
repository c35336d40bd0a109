import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useState } from 'react'
import { useKeptForm } from '../../base/kept-form.ts'
import { type JsonObject, readObject, withMembers } from '../../base/objects.ts'
import { Checkbox, Field, Select } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { FormOrJson } from '../../parts/form-or-json.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { useOpened } from '../../parts/use-opened.ts'
import { type TableName, tableKey, tableLabel, tableName } from '../../server/names.ts'
import { entryOf, type Metadata, type TableEntry, tablesOf } from '../../server/queries.ts'
import { type TableInfo, tableInfoQuery } from '../data/table-info.ts'
import { type EventTrigger, eventTriggersOf } from './event-triggers.ts'
import css from './events.module.css'
import { OperationFields } from './operation-fields.tsx'
import { Retries } from './retries.tsx'
import { WebhookTest } from './webhook-test.tsx'

interface TriggerFormProps {
  readonly base: Metadata
  /** Absent: a new trigger. */
  readonly trigger?: EventTrigger
  /** The table of a new trigger, to begin with. */
  readonly on?: TableName
  onClose(): void
}

const shown = (definition: JsonObject): string => JSON.stringify(definition, null, 2)

const beginning: JsonObject = {
  insert: { columns: '*' },
  webhook: '',
  retry_conf: { num_retries: 3, interval_sec: 10, timeout_sec: 60 },
}

/** Creates or replaces an event trigger: as a form, and as the JSON that is saved. Nothing that the form does not know is lost. */
export function TriggerForm({ base: current, trigger, on, onClose }: TriggerFormProps) {
  const base = useOpened(current)
  const given = trigger?.table ?? on
  const { values, change, draft } = useKeptForm(`event trigger ${trigger?.name ?? ''} ${on ? tableKey(on) : ''}`, {
    name: trigger?.name ?? '',
    label: given ? tableLabel(given) : '',
    text: shown(trigger?.definition ?? beginning),
  })
  const { name, label, text } = values
  const [hasFault, setFault] = useState(false)
  const { isBusy, error, save } = useEdit()
  const list = useId()
  const tables = tablesOf(base).map(({ table }) => tableName(table))
  const table = tables.find((each) => tableLabel(each) === label.trim()) ?? null
  const definition = readObject(text)
  const part = (now: Metadata) => eventTriggersOf(now).find((each) => each.name === name.trim())
  const submit = async () => {
    const operations = (now: Metadata, isOnTop: boolean) => {
      const old = isOnTop ? part(now) : trigger
      const isMoved = old !== undefined && table !== null && tableKey(old.table) !== tableKey(table)
      const args = { ...definition, name: name.trim(), table, ...(old && !isMoved && { replace: true }) }
      const create = { type: 'create_event_trigger', args }
      return isMoved ? [{ type: 'delete_event_trigger', args: { name: name.trim() } }, create] : [create]
    }
    const title = `${trigger ? 'Replace' : 'Create'} the event trigger ${name.trim()}`
    const done = `${trigger ? 'Changed' : 'Created'} ${name.trim()}`
    if (!(await save({ title, base, part, done, operations }))) return
    draft.forget()
    onClose()
  }
  return (
    <FormDialog
      isWide
      title={trigger ? `Change ${trigger.name}` : 'Create an event trigger'}
      description="It sends changes of a table to a webhook. Events that wait already stay as they are."
      onClose={onClose}
      submit={trigger ? 'Save trigger' : 'Create event trigger'}
      isBusy={isBusy}
      disabled={!definition || !table || name.trim() === '' || hasFault}
      onSubmit={submit}
      draft={draft}
      error={error}
    >
      <div className={css['columns']}>
        <Field
          label="Name"
          value={name}
          disabled={!!trigger}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Field
          label="Table"
          list={list}
          value={label}
          disabled={!!trigger}
          error={label.trim() !== '' && !table ? 'No tracked table has this name.' : null}
          onChange={({ target }) => change({ label: target.value })}
        />
        <datalist id={list}>
          {tables.map((each) => (
            <option key={JSON.stringify(each)} value={tableLabel(each)} />
          ))}
        </datalist>
      </div>
      <FormOrJson
        label="View of the trigger"
        textLabel="Definition"
        text={text}
        onChange={(next) => change({ text: next })}
        form={(object) =>
          table === null ? (
            <p className={css['note']}>Choose a table to see the rest of the form.</p>
          ) : (
            <Form
              {...{ table, definition: object }}
              entry={entryOf(base, table)}
              name={name.trim()}
              onChange={(next) => change({ text: shown(next) })}
              onFault={setFault}
            />
          )
        }
      />
    </FormDialog>
  )
}

interface FormProps {
  readonly table: TableName
  readonly entry: TableEntry | undefined
  readonly name: string
  readonly definition: JsonObject
  onChange(definition: JsonObject): void
  onFault(hasFault: boolean): void
}

function Form({ table, ...props }: FormProps) {
  const info = useQuery(tableInfoQuery(table))
  if (info.isPending) return <Loading label="Reading the table" queryKey={tableInfoQuery(table).queryKey} />
  if (!info.data) return <Failed error={info.error} onRetry={() => void info.refetch()} />
  return <Fields info={info.data} {...props} />
}

const listText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '')

const listOf = (text: string): readonly string[] | undefined => {
  const names = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  return names.length > 0 ? names : undefined
}

const numberOf = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

function Fields({
  info,
  entry,
  name,
  definition,
  onChange,
  onFault,
}: Omit<FormProps, 'table'> & { readonly info: TableInfo }) {
  const change = (changes: JsonObject) => onChange(withMembers(definition, changes))
  const isVariable = definition['webhook_from_env'] !== undefined
  const webhook = definition['webhook_from_env'] ?? definition['webhook'] ?? ''
  const ordering = useMemo(() => listText(definition['ordering_key']), [definition])
  const [order, setOrder] = useState(ordering)
  return (
    <>
      {(['insert', 'update', 'delete'] as const).map((operation) => (
        <OperationFields
          key={operation}
          {...{ info, entry, operation, onFault }}
          value={(definition[operation] ?? null) as JsonObject | null}
          onChange={(next) => change({ [operation]: next ?? undefined })}
        />
      ))}
      <Checkbox
        label="Payloads may be sent by hand"
        checked={definition['enable_manual'] !== false}
        onChange={({ target }) => change({ enable_manual: target.checked })}
      />
      {definition['handler'] === undefined ? (
        <div className={css['columns']}>
          <Select<'webhook' | 'webhook_from_env'>
            label="Webhook from"
            value={isVariable ? 'webhook_from_env' : 'webhook'}
            options={[
              { value: 'webhook', label: 'a URL' },
              { value: 'webhook_from_env', label: 'a variable of the environment' },
            ]}
            onChange={(member) => change({ webhook: undefined, webhook_from_env: undefined, [member]: '' })}
          />
          <Field
            label={isVariable ? 'Variable' : 'URL'}
            isCode
            placeholder={isVariable ? 'HOOK_URL' : 'https://hooks.example.com/invoices'}
            value={typeof webhook === 'string' ? webhook : JSON.stringify(webhook)}
            onChange={({ target }) => change({ [isVariable ? 'webhook_from_env' : 'webhook']: target.value })}
          />
        </div>
      ) : (
        <p className={css['note']}>Its events go to the function {String(definition['handler'])} of a plugin.</p>
      )}
      {!isVariable && typeof webhook === 'string' && /^https?:\/\//.test(webhook) && (
        <WebhookTest url={webhook} {...{ info, name }} />
      )}
      <Retries
        value={(definition['retry_conf'] ?? {}) as JsonObject}
        onChange={(retries) => change({ retry_conf: retries })}
      />
      <div className={css['columns']}>
        <Field
          label="Columns of the ordering key"
          placeholder="no order"
          value={order}
          help={`For example: ${info.primary_key?.join(', ') ?? info.columns[0]?.name}. Events of rows with the same values are delivered in order, one at a time.`}
          onChange={({ target }) => {
            setOrder(target.value)
            change({ ordering_key: listOf(target.value) })
          }}
        />
        <Field
          label="Events at once, at most"
          inputMode="numeric"
          placeholder="a share of the server's"
          value={typeof definition['concurrency'] === 'number' ? String(definition['concurrency']) : ''}
          onChange={({ target }) => change({ concurrency: numberOf(target.value) })}
        />
      </div>
      <p className={css['note']}>Headers, transforms and clean-up are in the JSON.</p>
    </>
  )
}
