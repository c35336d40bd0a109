import { useState } from 'react'
import { Field } from '../../parts/field.tsx'
import {
  type Introspected,
  innerName,
  isLeaf,
  type RemoteInput,
  type RemoteTypeField,
  referenceText,
  typeNamed,
} from '../../server/remote-types.ts'
import css from './remote.module.css'

/** Fields that are shown at once. */
const shownFields = 200

/** The schema from its roots: each field opens the type of its value. */
export function SchemaTree({ schema }: { readonly schema: Introspected }) {
  const [needle, setNeedle] = useState('')
  const text = needle.trim().toLowerCase()
  const roots = [schema.queryType, schema.mutationType, schema.subscriptionType].flatMap((root) =>
    root ? [root.name] : [],
  )
  const found = text === '' ? [] : matches(schema, text)
  return (
    <>
      <div className={css['search']}>
        <Field
          label="Find a field or a type"
          type="search"
          data-filter
          value={needle}
          onChange={({ target }) => setNeedle(target.value)}
        />
      </div>
      {text === '' ? (
        <ul className={css['tree']} aria-label="Schema">
          {roots.map((name) => (
            <li key={name}>
              <strong>{name}</strong>
              <Fields schema={schema} type={name} />
            </li>
          ))}
        </ul>
      ) : (
        <ul className={css['tree']} aria-label="Matches">
          {found.slice(0, shownFields).map(({ type, field }) => (
            <FieldNode key={`${type}.${field.name}`} schema={schema} field={field} prefix={`${type}.`} />
          ))}
          {found.length === 0 && <li className={css['note']}>Nothing has this in its name.</li>}
        </ul>
      )}
    </>
  )
}

const matches = ({ types }: Introspected, text: string) =>
  types
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(({ name, fields }) =>
      (fields ?? [])
        .filter((field) => `${name}.${field.name}`.toLowerCase().includes(text))
        .map((field) => ({ type: name, field })),
    )

const argumentsText = (args: readonly RemoteInput[]): string =>
  args.length === 0 ? '' : `(${args.map(({ name, type }) => `${name}: ${referenceText(type)}`).join(', ')})`

const Fields = ({ schema, type }: { readonly schema: Introspected; readonly type: string }) => {
  const known = typeNamed(schema, type)
  const fields = known?.fields ?? []
  return (
    <ul className={css['tree']}>
      {fields.slice(0, shownFields).map((field) => (
        <FieldNode key={field.name} schema={schema} field={field} />
      ))}
      {known?.possibleTypes?.map((possible) => (
        <li key={possible.name}>
          or <strong>{possible.name}</strong>
        </li>
      ))}
      {fields.length > shownFields && <li className={css['note']}>and {fields.length - shownFields} more</li>}
    </ul>
  )
}

interface FieldNodeProps {
  readonly schema: Introspected
  readonly field: RemoteTypeField
  readonly prefix?: string
}

function FieldNode({ schema, field, prefix = '' }: FieldNodeProps) {
  const [isOpen, setOpen] = useState(false)
  const { name, type, args, description } = field
  const words = (
    <>
      <code>
        {prefix}
        {name}
        <span className={css['note']}>
          {argumentsText(args)}: {referenceText(type)}
        </span>
      </code>
      {description && <span className={css['note']}>{description}</span>}
    </>
  )
  if (isLeaf(schema, type)) return <li className={css['leaf']}>{words}</li>
  return (
    <li>
      <button type="button" className={css['open']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden className={css['turn']}>
          {isOpen ? '▾' : '▸'}
        </span>
        {words}
      </button>
      {isOpen && <Fields schema={schema} type={innerName(type)} />}
    </li>
  )
}
