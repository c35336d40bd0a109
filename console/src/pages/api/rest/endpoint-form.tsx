import { useState } from 'react'
import { Checkbox, Field, Select } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import type { Metadata } from '../../../server/queries.ts'
import { collectionsOf } from '../../govern/collections/collections-model.ts'
import css from '../api.module.css'
import { type Method, methods } from './rest-request.ts'

/** Makes an endpoint of a query of a collection. */
export function EndpointForm({ metadata, onClose }: { readonly metadata: Metadata; onClose(): void }) {
  const queries = collectionsOf(metadata).flatMap(({ name, definition }) =>
    definition.queries.map((query) => ({ collection_name: name, query_name: query.name })),
  )
  const [chosen, setChosen] = useState('0')
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [taken, setTaken] = useState<ReadonlySet<Method>>(new Set(['GET']))
  const { isBusy, error, save } = useEdit()
  const query = queries[Number(chosen)]
  const create = async () => {
    const args = { name, url, methods: methods.filter((each) => taken.has(each)), definition: { query } }
    const operations = [{ type: 'create_rest_endpoint', args }]
    if (await save({ title: `Create ${name}`, base: metadata, operations, done: `Created ${name}` })) onClose()
  }
  const toggle = (method: Method) =>
    setTaken((before) => new Set(methods.filter((each) => before.has(each) !== (each === method))))
  return (
    <FormDialog
      title="Create a REST endpoint"
      onClose={onClose}
      submit="Create endpoint"
      isBusy={isBusy}
      disabled={name.trim() === '' || url.trim() === '' || taken.size === 0 || !query}
      onSubmit={create}
      error={error}
    >
      <Select
        label="Query"
        value={chosen}
        options={queries.map(({ collection_name, query_name }, index) => ({
          value: String(index),
          label: `${collection_name} / ${query_name}`,
        }))}
        onChange={setChosen}
      />
      <Field label="Name" placeholder="album" value={name} onChange={({ target }) => setName(target.value)} />
      <Field
        label="Path below api/rest"
        isCode
        placeholder="albums/:id"
        help="A part that begins with a colon is a variable of the query."
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <fieldset className={css['methods']}>
        <legend>Methods</legend>
        {methods.map((method) => (
          <Checkbox key={method} label={method} checked={taken.has(method)} onChange={() => toggle(method)} />
        ))}
      </fieldset>
    </FormDialog>
  )
}
