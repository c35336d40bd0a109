import { useState } from 'react'
import { Code } from '../../../parts/code.tsx'
import { Field } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import type { Metadata } from '../../../server/queries.ts'
import { collectionsOf } from './collections-model.ts'

interface QueryDialogProps {
  readonly metadata: Metadata
  /** The collection that is proposed. */
  readonly collection: string
  /** The text to begin with. */
  readonly query?: string
  onClose(): void
}

/** The name of the first operation in a text. */
const nameIn = (query: string): string => /\b(?:query|mutation|subscription)\s+([_A-Za-z]\w*)/.exec(query)?.[1] ?? ''

/** Adds a query to a collection, which is made where need be. */
export function QueryDialog({ metadata, collection: proposed, query: first = '', onClose }: QueryDialogProps) {
  const [collection, setCollection] = useState(proposed)
  const [query, setQuery] = useState(first)
  const [name, setName] = useState<string | null>(null)
  const { isBusy, error, save } = useEdit()
  const names = collectionsOf(metadata).map((each) => each.name)
  const shownName = name ?? nameIn(query)
  const add = async () => {
    const operation = names.includes(collection)
      ? { type: 'add_query_to_collection', args: { collection_name: collection, query_name: shownName, query } }
      : {
          type: 'create_query_collection',
          args: { name: collection, definition: { queries: [{ name: shownName, query }] } },
        }
    const title = `Add ${shownName} to ${collection}`
    if (await save({ title, base: metadata, operations: [operation], done: `Added ${shownName} to ${collection}` })) {
      onClose()
    }
  }
  return (
    <FormDialog
      isWide
      title="Add a query to a collection"
      onClose={onClose}
      submit="Add query"
      isBusy={isBusy}
      disabled={collection.trim() === '' || shownName === '' || query.trim() === ''}
      onSubmit={add}
      error={error}
    >
      <datalist id="query-collections">
        {names.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Field
        label="Collection"
        list="query-collections"
        value={collection}
        help={collection === '' || names.includes(collection) ? undefined : 'It is new, and will be made.'}
        onChange={({ target }) => setCollection(target.value)}
      />
      <Field label="Name of the query" value={shownName} onChange={({ target }) => setName(target.value)} />
      <Code label="Query" language="graphql" value={query} onChange={setQuery} placeholder="query albums { … }" />
    </FormDialog>
  )
}
