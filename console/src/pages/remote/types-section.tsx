import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useKeptForm } from '../../base/kept-form.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DraftNote } from '../../parts/draft-note.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Touched } from '../../parts/touched.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { readOnly } from '../../requests/mode.ts'
import { type Metadata, metadataQuery } from '../../server/queries.ts'
import type { CustomTypes } from './action-types.ts'
import { customTypesOf } from './actions.ts'
import css from './remote.module.css'
import { lostRelationships, readTypes, typesSdl } from './sdl.ts'

/** The custom types, as SDL. */
export function TypesSection() {
  const metadata = useQuery(metadataQuery)
  if (metadata.isPending) return <Loading label="Reading the types" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  return <Types base={metadata.data} />
}

interface Read {
  readonly types: CustomTypes | null
  readonly fault: string | null
}

function read(sdl: string, old: CustomTypes): Read {
  try {
    return { types: readTypes(sdl, old), fault: null }
  } catch (error) {
    return { types: null, fault: (error as Error).message }
  }
}

function Types({ base: current }: { readonly base: Metadata }) {
  const old = customTypesOf(current)
  // The metadata when the typing began.
  const [base, setBase] = useState(current)
  const canEdit = useStore(readOnly) === null
  const saved = typesSdl(old)
  const { values, change, draft } = useKeptForm('types', { sdl: saved }, { follows: true })
  const [isReviewing, setReviewing] = useState(false)
  const { isBusy, error, save } = useEdit()
  const { sdl } = values
  const { types, fault } = read(sdl, old)
  const operations = [{ type: 'set_custom_types', args: types }]
  const lost = types ? lostRelationships(types, old) : []
  const submit = async () => {
    const part = (now: Metadata) => customTypesOf(now)
    if (!(await save({ title: 'Save the types', base, part, operations, done: 'Saved the types' }))) return
    draft.forget()
    setReviewing(false)
  }
  return (
    <>
      <div className={css['editor']}>
        <p className={css['note']}>
          The types of arguments and results of actions. The text does not have the relationships of objects, which
          stay.
        </p>
        <DraftNote draft={draft} />
        <Code
          label="Types"
          language="graphql"
          fills
          value={sdl}
          placeholder="type Order { id: Int! }"
          {...(canEdit && {
            onChange: (next: string) => {
              if (sdl === saved) setBase(current)
              change({ sdl: next })
            },
          })}
        />
        {fault !== null && (
          <p role="alert" className={css['fault']}>
            {fault}
          </p>
        )}
      </div>
      {canEdit && (
        <footer className={css['foot']}>
          <Button disabled={sdl === saved} onClick={draft.forget}>
            Discard changes
          </Button>
          <Button look="main" disabled={types === null || sdl === saved} onClick={() => setReviewing(true)}>
            Review types
          </Button>
        </footer>
      )}
      {isReviewing && (
        <FormDialog
          isWide
          title="Save the types"
          description="All custom types are replaced by these."
          onClose={() => setReviewing(false)}
          submit="Save types"
          isBusy={isBusy}
          onSubmit={submit}
          error={error}
        >
          {lost.length > 0 && <p className={css['fault']}>Relationships go with {lost.join(', ')}.</p>}
          <Touched operations={operations} roles={['admin']} />
        </FormDialog>
      )}
    </>
  )
}
