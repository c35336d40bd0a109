import { useState } from 'react'
import { plural } from '../../base/format.ts'
import { isObject, type JsonObject } from '../../base/objects.ts'
import { Button } from '../../parts/button.tsx'
import { ChangeView } from '../../parts/change-view.tsx'
import { Code } from '../../parts/code.tsx'
import { DestroyButton } from '../../parts/destroy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Checkbox } from '../../parts/field.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { edit, undo } from '../../server/edits.ts'
import {
  diffDocuments,
  flatDocument,
  type ObjectChange,
  restoredDocument,
  withChanges,
} from '../../server/metadata-diff.ts'
import { run } from '../../server/operations.ts'
import type { Metadata } from '../../server/queries.ts'
import css from './govern.module.css'

interface DryRun {
  readonly is_consistent: boolean
  readonly inconsistent_objects: readonly { readonly type?: string; readonly reason: string }[]
}

/** Reads a document in JSON or YAML, or the answer of `export_metadata`, version 2. */
async function documentIn(text: string): Promise<JsonObject> {
  const isJson = /^\s*[{[]/.test(text)
  const parsed: unknown = isJson ? JSON.parse(text) : (await import('./folder/folder.ts')).documentIn(text)
  if (!isObject(parsed)) throw new Error('the document is not an object')
  return isObject(parsed['metadata']) ? parsed['metadata'] : parsed
}

/** The text of chosen files: a document, an archive of a folder, or the folder itself. */
async function textOf(files: readonly File[]): Promise<string> {
  const [only] = files
  if (only && files.length === 1 && !only.name.endsWith('.tar')) return only.text()
  const [{ documentOf }, { readTar }] = await Promise.all([import('./folder/folder.ts'), import('./folder/tar.ts')])
  const archive = only?.name.endsWith('.tar') ? readTar(new Uint8Array(await only.arrayBuffer())) : null
  const read = files
    .filter(({ name }) => /\.(?:ya?ml|graphql)$/.test(name))
    .map(async (file) => [file.webkitRelativePath || file.name, await file.text()] as const)
  return JSON.stringify(documentOf(archive ?? new Map(await Promise.all(read))), null, 2)
}

/** Imports a document: its differences, of which any can be taken, then a dry run, then one request. */
export function ImportDialog({ base, onClose }: { readonly base: Metadata; onClose(): void }) {
  const [text, setText] = useState('')
  const [changes, setChanges] = useState<readonly ObjectChange[] | null>(null)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const { isBusy, error, setError, attempt } = useAttempt()
  const [tried, setTried] = useState<DryRun | null>(null)
  const chosen = (changes ?? []).filter(({ key }) => !left.has(key))
  const start = (work: () => Promise<void>) => {
    setTried(null)
    void attempt(work)
  }
  const goBack = () => {
    setError(null)
    setTried(null)
    setChanges(null)
  }
  const compare = async () => {
    const document = await documentIn(text)
    setLeft(new Set())
    setChanges(diffDocuments(flatDocument(base.metadata), flatDocument(document)))
  }
  const removals = chosen.filter(({ after }) => after === undefined).length
  const Apply = removals > 0 ? DestroyButton : Button
  const mixed = () => restoredDocument(base.metadata, withChanges(flatDocument(base.metadata), chosen))
  const tryIt = async () => {
    setTried(await run<DryRun>('replace_metadata', { metadata: mixed(), dry_run: true }, { version: 2 }))
  }
  const apply = async () => {
    const title = `Import ${plural(chosen.length, 'change')}`
    const args = { metadata: mixed(), allow_inconsistent_metadata: false }
    const results = await edit({ title, operations: [{ type: 'replace_metadata', version: 2, args }], base })
    if (results === null) return
    toast(`Imported ${plural(chosen.length, 'change')}`, { undo: () => void undo(base) })
    onClose()
  }
  return (
    <Dialog
      isOpen
      isWide
      title="Import a document"
      description="The document is compared with the metadata first. Nothing changes before you apply it."
      onClose={onClose}
      actions={
        changes === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="main" disabled={text.trim() === ''} onClick={() => start(compare)}>
              Compare
            </Button>
          </>
        ) : (
          <>
            <Button onClick={goBack}>Back to the document</Button>
            <Button disabled={chosen.length === 0} isBusy={isBusy} onClick={() => start(tryIt)}>
              Try without saving
            </Button>
            <Apply
              look="main"
              name={String(removals)}
              disabled={chosen.length === 0}
              isBusy={isBusy}
              onClick={() => start(apply)}
            >
              Apply {plural(chosen.length, 'change')}
            </Apply>
          </>
        )
      }
    >
      {error !== null && <Failed error={error} />}
      {tried && <Tried result={tried} />}
      {changes === null ? (
        <Source text={text} onChange={setText} onFiles={(files) => start(async () => setText(await textOf(files)))} />
      ) : (
        <Changes
          changes={changes}
          left={left}
          onToggle={(key) => {
            const next = new Set(left)
            if (!next.delete(key)) next.add(key)
            setLeft(next)
            setTried(null)
          }}
        />
      )}
    </Dialog>
  )
}

interface SourceProps {
  readonly text: string
  onChange(text: string): void
  onFiles(files: readonly File[]): void
}

const Source = ({ text, onChange, onFiles }: SourceProps) => (
  <>
    <label className={css['file']}>
      <span>A file with JSON or YAML, or an archive (tar) of the folder; or paste a document below</span>
      <input
        type="file"
        accept=".json,.yaml,.yml,.tar,application/json"
        onChange={({ target }) => onFiles([...(target.files ?? [])])}
      />
    </label>
    <label className={css['file']}>
      <span>The folder metadata of a project</span>
      <input
        type="file"
        // The attribute of all browsers for folders; React's types do not have it.
        {...{ webkitdirectory: '' }}
        onChange={({ target }) => onFiles([...(target.files ?? [])])}
      />
    </label>
    <div className={css['paste']}>
      <Code
        label="Document"
        language="json"
        fills
        value={text}
        onChange={onChange}
        placeholder='{"version": 2, "tables": […]}'
      />
    </div>
  </>
)

const Tried = ({ result }: { readonly result: DryRun }) => (
  <div role="status">
    {result.is_consistent ? (
      <Mark state="good">The server would accept it: every object is consistent.</Mark>
    ) : (
      <>
        <Mark state="bad">{plural(result.inconsistent_objects.length, 'object')} would be inconsistent:</Mark>
        <ul className={css['reasons']}>
          {result.inconsistent_objects.map(({ type, reason }) => (
            <li key={`${type} ${reason}`}>{reason}</li>
          ))}
        </ul>
      </>
    )}
  </div>
)

interface ChangesProps {
  readonly changes: readonly ObjectChange[]
  readonly left: ReadonlySet<string>
  onToggle(key: string): void
}

const Changes = ({ changes, left, onToggle }: ChangesProps) => (
  <>
    {changes.length === 0 && <Empty title="Nothing differs">The document is equal to the metadata.</Empty>}
    <ul>
      {changes.map((change) => (
        <li key={change.key} className={css['change']}>
          <Checkbox label={change.title} checked={!left.has(change.key)} onChange={() => onToggle(change.key)} />
          <ChangeView change={change} />
        </li>
      ))}
    </ul>
  </>
)
