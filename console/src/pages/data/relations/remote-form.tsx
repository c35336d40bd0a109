import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useKeptForm } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { Field, Select } from '../../../parts/field.tsx'
import { Group } from '../../../parts/group.tsx'
import { Failed, Loading } from '../../../parts/states.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
import { tableKey, tableLabel } from '../../../server/names.ts'
import { entryOf, type Metadata } from '../../../server/queries.ts'
import { introspectionQuery, remoteSchemasOf } from '../../../server/remote-schemas.ts'
import { type Introspected, isLeaf, type RemoteField, referenceText } from '../../../server/remote-types.ts'
import type { TableInfo } from '../table-info.ts'
import css from './relations.module.css'
import { RelationshipForm } from './relationship-form.tsx'
import type { RemoteRelationship } from './relationships.ts'
import { choicesOf, columnsIn, fieldOf, fieldsOf, type Step, stepsOf } from './remote-steps.ts'
import { RemoteTry } from './remote-try.tsx'
import { remoteOf, replacing } from './replacing.ts'

interface RemoteFormProps {
  readonly info: TableInfo
  readonly base: Metadata
  /** Absent: a new one. */
  readonly changed?: RemoteRelationship
  onClose(): void
}

interface Values {
  readonly name: string
  readonly schemaName: string
  readonly steps: readonly Step[]
}

/** A relationship to a field of a remote schema: its arguments take values of the row. It is tried before it is saved. */
export function RemoteForm({ info, base: current, changed, onClose }: RemoteFormProps) {
  const base = useOpened(current)
  const schemas = remoteSchemasOf(base)
  const form = useKeptForm<Values>(`remote relationship ${changed?.name ?? ''} of ${tableKey(info.name)}`, {
    name: changed?.name ?? '',
    schemaName: changed?.remoteSchema ?? schemas[0]?.name ?? '',
    steps: changed ? stepsOf(changed.field) : [],
  })
  const { name, schemaName, steps } = form.values
  const { isBusy, error, save } = useEdit()
  const introspected = useQuery(introspectionQuery(schemaName))
  const field = fieldOf(steps, introspected.data)
  const isWhole = steps.length > 0 && steps.every((step) => step.field !== '')
  const submit = async () => {
    const args = {
      ...{ table: info.name, name: name.trim(), remote_schema: schemaName },
      ...{ lhs_fields: columnsIn(field), remote_field: field },
    }
    const title = `${changed ? 'Change' : 'Add'} ${name.trim()} of ${tableLabel(info.name)}`
    const create = { type: 'create_remote_relationship', args }
    const update = { type: 'update_remote_relationship', args }
    const operations = (now: Metadata, isOnTop: boolean) => {
      const isThere = isOnTop ? remoteOf(now, args) !== undefined : changed !== undefined
      return isThere ? [update] : replacing(create, isOnTop ? now : null)
    }
    const part = (now: Metadata) => entryOf(now, info.name)
    const done = `${changed ? 'Changed' : 'Added'} ${name.trim()}`
    if (!(await save({ title, part, base, operations, mine: args, done }))) return
    form.draft.forget()
    onClose()
  }
  return (
    <RelationshipForm
      submit={changed ? 'Save relationship' : 'Add relationship'}
      disabled={!isWhole || name.trim() === ''}
      draft={form.draft}
      onSubmit={() => void submit()}
      {...{ isBusy, error, onClose }}
    >
      <div className={css['fields']}>
        <Field
          label="Name"
          value={name}
          disabled={changed !== undefined}
          onChange={({ target }) => form.change({ name: target.value })}
        />
        <Select<string>
          label="Remote schema"
          value={schemaName}
          options={schemas.map((each) => ({ value: each.name, label: each.name }))}
          onChange={(next) => form.change({ schemaName: next, steps: [] })}
        />
      </div>
      {introspected.isPending && (
        <Loading label="Reading the remote schema" queryKey={introspectionQuery(schemaName).queryKey} />
      )}
      {introspected.isError && <Failed error={introspected.error} onRetry={() => void introspected.refetch()} />}
      {introspected.data && (
        <Steps schema={introspected.data} {...{ info, steps }} onChange={(next) => form.change({ steps: next })} />
      )}
      {introspected.data && isWhole && (
        <RemoteTry
          key={JSON.stringify([schemaName, field])}
          info={info}
          schema={schemas.find((each) => each.name === schemaName)}
          field={field as RemoteField}
        />
      )}
    </RelationshipForm>
  )
}

interface StepsProps {
  readonly schema: Introspected
  readonly info: TableInfo
  readonly steps: readonly Step[]
  onChange(steps: readonly Step[]): void
}

/** The fields from the query root to the value, with their arguments. */
function Steps({ schema, info, steps, onChange }: StepsProps) {
  const list = useId()
  const fields = fieldsOf(steps, schema)
  const last = fields.at(-1)
  const isOpen =
    steps.length === 0 || (fields.length === steps.length && last !== undefined && !isLeaf(schema, last.type))
  const shown = steps.length === 0 ? [{ field: '', args: {} }] : steps
  const choose = (at: number, field: string) => onChange([...steps.slice(0, at), { field, args: {} }])
  return (
    <>
      <datalist id={list}>
        {info.columns.map(({ name }) => (
          <option key={name} value={`$${name}`} />
        ))}
      </datalist>
      {shown.map((step, at) => {
        const known = fields[at]
        return (
          <Group
            key={at}
            legend={at === 0 ? 'Field of the query root' : `Field of ${referenceText(fields[at - 1]!.type)}`}
          >
            <Select<string>
              label={at === 0 ? 'Field' : 'Deeper field'}
              value={step.field}
              options={[
                ...(at > 0 ? [{ value: '', label: 'the value itself' }] : []),
                ...choicesOf(steps, at, schema).map(({ name, type }) => ({
                  value: name,
                  label: `${name}: ${referenceText(type)}`,
                })),
              ]}
              onChange={(next) => (next === '' ? onChange(steps.slice(0, at)) : choose(at, next))}
            />
            {known?.args.map(({ name, type }) => (
              <Field
                key={name}
                label={`${name}: ${referenceText(type)}`}
                isCode
                list={list}
                placeholder={type.kind === 'NON_NULL' ? '$column, or a value' : 'left to the request'}
                value={step.args[name] ?? ''}
                onChange={({ target }) =>
                  onChange(
                    steps.map((each, index) =>
                      index === at ? { ...each, args: { ...each.args, [name]: target.value } } : each,
                    ),
                  )
                }
              />
            ))}
          </Group>
        )
      })}
      {isOpen && steps.length > 0 && (
        <Button look="quiet" onClick={() => onChange([...steps, { field: '', args: {} }])}>
          Take a field of its value instead
        </Button>
      )}
    </>
  )
}
