import { useKeptForm } from '../../../base/kept-form.ts'
import { Checkbox, Field, Select } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
import type { Metadata } from '../../../server/queries.ts'
import { collectionsOf } from '../../govern/collections/collections-model.ts'
import css from '../api.module.css'
import { endpointsOf } from './rest-model.ts'
import { type Method, methods } from './rest-request.ts'

interface Values {
  /** The query, as JSON; empty: the first. */
  readonly chosen: string
  readonly name: string
  readonly url: string
  readonly taken: readonly Method[]
}

const beginning: Values = { chosen: '', name: '', url: '', taken: ['GET'] }

/** Makes an endpoint of a query of a collection. */
export function EndpointForm({ metadata: current, onClose }: { readonly metadata: Metadata; onClose(): void }) {
  const metadata = useOpened(current)
  const queries = collectionsOf(metadata).flatMap(({ name, definition }) =>
    definition.queries.map((query) => ({ collection_name: name, query_name: query.name })),
  )
  const { values, change, draft } = useKeptForm('REST endpoint', beginning)
  const { chosen, name, url, taken } = values
  const { isBusy, error, save } = useEdit()
  const query = queries.find((each) => JSON.stringify(each) === chosen) ?? queries[0]
  const create = async () => {
    const create = { type: 'create_rest_endpoint', args: { name, url, methods: taken, definition: { query } } }
    const part = (now: Metadata) => endpointsOf(now).find((each) => each.name === name)
    const operations = (now: Metadata, isOnTop: boolean) => [
      ...(isOnTop && part(now) ? [{ type: 'drop_rest_endpoint', args: { name } }] : []),
      create,
    ]
    if (!(await save({ title: `Create ${name}`, base: metadata, part, operations, done: `Created ${name}` }))) return
    draft.forget()
    onClose()
  }
  const toggle = (method: Method) =>
    change({ taken: methods.filter((each) => taken.includes(each) !== (each === method)) })
  return (
    <FormDialog
      title="Create a REST endpoint"
      onClose={onClose}
      submit="Create endpoint"
      isBusy={isBusy}
      disabled={name.trim() === '' || url.trim() === '' || taken.length === 0 || !query}
      onSubmit={create}
      draft={draft}
      error={error}
    >
      <Select
        label="Query"
        value={JSON.stringify(query)}
        options={queries.map((each) => ({
          value: JSON.stringify(each),
          label: `${each.collection_name} / ${each.query_name}`,
        }))}
        onChange={(next) => change({ chosen: next })}
      />
      <Field label="Name" placeholder="album" value={name} onChange={({ target }) => change({ name: target.value })} />
      <Field
        label="Path below api/rest"
        isCode
        placeholder="albums/:id"
        help="A part that begins with a colon is a variable of the query."
        value={url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <fieldset className={css['methods']}>
        <legend>Methods</legend>
        {methods.map((method) => (
          <Checkbox key={method} label={method} checked={taken.includes(method)} onChange={() => toggle(method)} />
        ))}
      </fieldset>
    </FormDialog>
  )
}
