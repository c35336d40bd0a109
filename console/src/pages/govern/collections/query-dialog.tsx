import { useKeptForm } from '../../../base/kept-form.ts'
import { Code } from '../../../parts/code.tsx'
import { Field } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { useOpened } from '../../../parts/use-opened.ts'
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

interface Values {
  readonly collection: string
  readonly query: string
  /** Null: that of its first operation. */
  readonly name: string | null
}

/** The name of the first operation in a text. */
const nameIn = (query: string): string => /\b(?:query|mutation|subscription)\s+([_A-Za-z]\w*)/.exec(query)?.[1] ?? ''

/** Adds a query to a collection, which is made where need be. */
export function QueryDialog({ metadata: current, collection: proposed, query: first = '', onClose }: QueryDialogProps) {
  const metadata = useOpened(current)
  // The proposals belong to the name: a draft of another query is not shown.
  const { values, change, draft } = useKeptForm<Values>(`query ${proposed} ${first}`, {
    ...{ collection: proposed, query: first, name: null },
  })
  const { collection, query, name } = values
  const { isBusy, error, save } = useEdit()
  const names = collectionsOf(metadata).map((each) => each.name)
  const shownName = name ?? nameIn(query)
  const add = async () => {
    const queriesIn = (now: Metadata) => collectionsOf(now).find((each) => each.name === collection)?.definition.queries
    const part = (now: Metadata) => queriesIn(now)?.find((each) => each.name === shownName)
    const query_name = shownName
    const operations = (now: Metadata, isOnTop: boolean) => {
      const definition = { queries: [{ name: shownName, query }] }
      if (!queriesIn(now)) return [{ type: 'create_query_collection', args: { name: collection, definition } }]
      const old = { type: 'drop_query_from_collection', args: { collection_name: collection, query_name } }
      const add = { type: 'add_query_to_collection', args: { collection_name: collection, query_name, query } }
      return [...(isOnTop && part(now) ? [old] : []), add]
    }
    const done = `Added ${shownName} to ${collection}`
    if (!(await save({ title: `Add ${shownName} to ${collection}`, base: metadata, part, operations, done }))) return
    draft.forget()
    onClose()
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
      draft={draft}
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
        help={collection === '' || names.includes(collection) ? undefined : 'It is new, and will be created.'}
        onChange={({ target }) => change({ collection: target.value })}
      />
      <Field label="Name of the query" value={shownName} onChange={({ target }) => change({ name: target.value })} />
      <Code
        label="Query"
        language="graphql"
        value={query}
        onChange={(next) => change({ query: next })}
        placeholder="query albums { … }"
      />
    </FormDialog>
  )
}
