import { useDebounced } from '../../../base/debounced.ts'
import { useKeptText } from '../../../base/kept-form.ts'
import { Field } from '../../../parts/field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { Touched } from '../../../parts/touched.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { type TableName, tableKey, tableLabel } from '../../../server/names.ts'
import { entryOf, type Metadata, rolesOn, type TableEntry } from '../../../server/queries.ts'
import css from './relations.module.css'

interface RenameDialogProps {
  readonly table: TableName
  readonly entry: TableEntry
  readonly name: string
  readonly base: Metadata
  onClose(): void
}

interface StoredQuery {
  readonly collection: string
  readonly name: string
}

/** The stored queries with a word in them: the server does not change them. */
function storedQueries({ metadata }: Metadata, word: string): readonly StoredQuery[] {
  const collections = (metadata['query_collections'] ?? []) as readonly {
    readonly name: string
    readonly definition?: { readonly queries?: readonly { readonly name: string; readonly query: string }[] }
  }[]
  return collections.flatMap(({ name: collection, definition }) =>
    (definition?.queries ?? [])
      .filter(({ query }) => query.split(/\W+/).includes(word))
      .map(({ name }) => ({ collection, name })),
  )
}

/** Milliseconds that the typing has to rest before the new name is tried. */
const restMillis = 400

/** Renames a relationship, and lists first all that it touches. */
export function RenameDialog({ table, entry, name, base, onClose }: RenameDialogProps) {
  const { text: next, change: setNext, draft } = useKeptText(`name of ${name} of ${tableKey(table)}`, name)
  const tried = useDebounced(next.trim(), restMillis)
  const { isBusy, error, save } = useEdit()
  const operationFor = (newName: string) => ({
    type: 'rename_relationship',
    args: { table, name, new_name: newName },
  })
  const rename = async () => {
    const title = `Rename ${name} of ${tableLabel(table)} to ${next.trim()}`
    const done = `Renamed ${name} to ${next.trim()}`
    const operations = [operationFor(next.trim())]
    if (!(await save({ title, part: (now) => entryOf(now, table), base, done, operations }))) return
    draft.forget()
    onClose()
  }
  const stored = storedQueries(base, name)
  return (
    <FormDialog
      isWide
      title={`Rename ${name} of ${tableLabel(table)}`}
      description="Rules that use it are changed, too. Clients have to ask for the new name."
      onClose={onClose}
      submit="Rename relationship"
      isBusy={isBusy}
      disabled={next.trim() === '' || next.trim() === name}
      onSubmit={rename}
      draft={draft}
      error={error}
    >
      <Field label="New name" value={next} onChange={({ target }) => setNext(target.value)} />
      {stored.length > 0 && (
        <section aria-label="Stored queries">
          <p>
            <strong>Stored queries with this word</strong>, which stay as they are
          </p>
          <ul className={css['plain']}>
            {stored.map(({ collection, name: query }) => (
              <li key={`${collection} ${query}`}>
                {collection}: {query}
              </li>
            ))}
          </ul>
        </section>
      )}
      {tried !== '' && tried !== name && <Touched operations={[operationFor(tried)]} roles={rolesOn(entry)} />}
    </FormDialog>
  )
}
