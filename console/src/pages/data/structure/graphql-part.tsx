import { useState } from 'react'
import { useKeptForm } from '../../../base/kept-form.ts'
import { Button } from '../../../parts/button.tsx'
import { Checkbox, Field } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Section } from '../../../parts/page.tsx'
import { Failed } from '../../../parts/states.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
import { tableKey } from '../../../server/names.ts'
import type { Operation } from '../../../server/operations.ts'
import { entryOf, type Metadata, type TableEntry } from '../../../server/queries.ts'
import type { TableInfo } from '../table-info.ts'
import { FederationSwitch } from './federation-switch.tsx'
import { List, RowActions } from './list.tsx'
import { columnNamesOf, configurationOf, NamesDialog, namelessText } from './names-dialog.tsx'
import css from './structure.module.css'

interface PartProps {
  readonly info: TableInfo
  readonly entry: TableEntry
  readonly base: Metadata
  readonly canEdit: boolean
}

interface ComputedField {
  readonly name: string
  readonly comment?: string
  readonly definition?: { readonly function?: unknown }
}

const computedFieldsOf = (entry: TableEntry | undefined): readonly ComputedField[] =>
  (entry?.['computed_fields'] ?? []) as readonly ComputedField[]

/** The part of the metadata that gives the table its shape in GraphQL: names, enum, computed fields. */
export function GraphqlPart({ info, entry, base, canEdit }: PartProps) {
  const [opened, setOpened] = useState<'names' | 'computed' | null>(null)
  const { error, save } = useEdit()
  const settings = configurationOf(entry)
  const names = Object.entries(columnNamesOf(settings))
  const nameless = namelessText(entry)
  const computed = computedFieldsOf(entry)
  const table = info.name
  const part = (now: Metadata) => entryOf(now, table)
  const send = (title: string, operation: Operation, done: string) =>
    void save({ title, part, operations: [operation], mine: operation, base, done })
  const dropComputed = (name: string) => {
    const isThere = (now: Metadata) => computedFieldsOf(part(now)).some((each) => each.name === name)
    const drop = { type: 'drop_computed_field', args: { table, name } }
    const operations = (now: Metadata) => (isThere(now) ? [drop] : [])
    void save({ title: `Drop ${name}`, part, operations, mine: drop, base, done: `Dropped ${name}` })
  }
  const parts = { info, entry, base, onClose: () => setOpened(null) }
  return (
    <Section
      title="In GraphQL"
      actions={
        canEdit && (
          <div className={css['actions']}>
            <Button look="quiet" onClick={() => setOpened('computed')}>
              Add computed field
            </Button>
            <Button look="quiet" onClick={() => setOpened('names')}>
              Change names
            </Button>
          </div>
        )
      }
    >
      {error !== null && <Failed error={error} />}
      {nameless !== null && <Mark state="waiting">{nameless}</Mark>}
      <p>
        {settings.custom_name === undefined ? 'The table has its own name' : `The table is ${settings.custom_name}`}
        {names.length === 0
          ? ', and so have its columns.'
          : `; ${names.map(([column, name]) => `${column} is ${name}`).join(', ')}.`}
      </p>
      <Checkbox
        label="Enum: the key of each row is a value of an enum type"
        checked={entry.is_enum === true}
        disabled={!canEdit}
        onChange={(event) => {
          const isEnum = event.target.checked
          const done = isEnum ? 'It is an enum now' : 'It is no enum any more'
          send('Enum', { type: 'set_table_is_enum', args: { table, is_enum: isEnum } }, done)
        }}
      />
      <FederationSwitch
        {...{ info, entry, canEdit }}
        onChange={(isEntity) => {
          const done = isEntity ? 'Its rows are entities now' : 'Its rows are no entities any more'
          const args = { table, apollo_federation_config: isEntity ? { enable: 'v1' } : null }
          send('Entity of Apollo Federation', { type: 'pg_set_apollo_federation_config', args }, done)
        }}
      />
      {computed.length > 0 && (
        <List
          label="Computed fields"
          heads={['Computed field', 'Function', 'Comment']}
          rows={computed.map(({ name, definition, comment }) => ({
            key: name,
            cells: [<strong key="name">{name}</strong>, functionText(definition?.function), comment],
            ...(canEdit && {
              actions: <RowActions name={name} onDrop={() => dropComputed(name)} />,
            }),
          }))}
        />
      )}
      {opened === 'names' && <NamesDialog {...parts} />}
      {opened === 'computed' && <ComputedDialog {...parts} />}
    </Section>
  )
}

/** The name of a function as the metadata has it. */
const functionText = (given: unknown): string => {
  if (typeof given === 'string') return given
  const { schema, name } = (given ?? {}) as { readonly schema?: string; readonly name?: string }
  return schema === undefined || schema === 'public' ? (name ?? '') : `${schema}.${name}`
}

/** Adds a computed field: a function of the table's row. */
function ComputedDialog({ info, base: current, onClose }: Omit<PartProps, 'canEdit'> & { onClose(): void }) {
  const base = useOpened(current)
  const { values, change, draft } = useKeptForm(`computed field of ${tableKey(info.name)}`, { name: '', given: '' })
  const { name, given } = values
  const { isBusy, error, save } = useEdit()
  const submit = async () => {
    const [schema, called] = given.includes('.') ? given.split('.', 2) : ['public', given]
    const definition = { function: { schema, name: called } }
    const part = (now: Metadata) => computedFieldsOf(entryOf(now, info.name)).find((each) => each.name === name)
    const operations = (now: Metadata, isOnTop: boolean) => [
      ...(isOnTop && part(now) ? [{ type: 'drop_computed_field', args: { table: info.name, name } }] : []),
      { type: 'add_computed_field', args: { table: info.name, name, definition } },
    ]
    if (!(await save({ title: `Add ${name}`, part, operations, base, done: `Added ${name}` }))) return
    draft.forget()
    onClose()
  }
  return (
    <FormDialog
      title="Add computed field"
      description="A function of the database that takes a row of this table becomes a field of it."
      onClose={onClose}
      submit="Add computed field"
      isBusy={isBusy}
      disabled={name === '' || given === ''}
      onSubmit={submit}
      draft={draft}
      error={error}
    >
      <Field label="Name" value={name} isCode onChange={(event) => change({ name: event.target.value })} />
      <Field
        label="Function"
        value={given}
        isCode
        help="with its schema, where that is not public"
        onChange={(event) => change({ given: event.target.value })}
      />
    </FormDialog>
  )
}
