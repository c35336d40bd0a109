import { useQuery } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { useMemo, useState } from 'react'
import { saveFile } from '../../base/files.ts'
import { plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { readOnly } from '../../requests/mode.ts'
import { flatDocument, nameIn } from '../../server/metadata-diff.ts'
import { run } from '../../server/operations.ts'
import { type Metadata, metadataQuery, queries, refreshMetadata } from '../../server/queries.ts'
import { useUrlState } from '../../shell/navigation.tsx'
import css from './govern.module.css'
import { ImportDialog } from './import.tsx'

/** An object of the document that can be shown alone. */
interface Part {
  readonly key: string
  readonly name: string
  readonly kind: string
  readonly value: unknown
}

const isEmpty = (value: object | null): boolean => Object.keys(value ?? {}).length === 0

function partsOf({ metadata }: Metadata): readonly Part[] {
  return Object.entries(flatDocument(metadata)).flatMap(([member, value]) => {
    if (member === 'version' || member === 'sources' || typeof value !== 'object' || isEmpty(value)) return []
    const kind = member.replaceAll('_', ' ')
    const list = Array.isArray(value) ? value : []
    const named = list.flatMap((each) => {
      const name = nameIn(each)
      return name === null ? [] : [{ key: JSON.stringify([member, name]), name, kind, value: each as unknown }]
    })
    return named.length > 0 ? named : [{ key: member, name: kind, kind: '', value }]
  })
}

const textOf = (value: unknown): string => JSON.stringify(value, null, 2)

/** Saves a document as a folder of YAML, in an archive. */
async function saveFolder(document: Metadata['metadata']): Promise<void> {
  const [{ folderOf }, { packTar }] = await Promise.all([import('./folder/folder.ts'), import('./folder/tar.ts')])
  const files = [...folderOf(document)].map(([name, text]) => [`metadata/${name}`, text] as const)
  saveFile('metadata.tar', packTar(new Map(files)), 'application/x-tar')
}

/** The document: as a list of its objects, and as text. */
export function MetadataSection() {
  const metadata = useQuery(metadataQuery)
  if (metadata.isPending) return <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  return <Document metadata={metadata.data} />
}

function Document({ metadata }: { readonly metadata: Metadata }) {
  const canEdit = useStore(readOnly) === null
  const [filter, setFilter] = useUrlState('filter')
  const [chosen, setChosen] = useUrlState('object')
  const [isImporting, setImporting] = useState(false)
  const { error, attempt } = useAttempt()
  const parts = useMemo(() => partsOf(metadata), [metadata])
  const needle = filter.toLowerCase()
  const shown = parts.filter(({ name, kind }) => `${name} ${kind}`.toLowerCase().includes(needle))
  const part = parts.find(({ key }) => key === chosen)
  // The document that is shown may be older than the server's.
  const save = (write: (document: Metadata['metadata']) => Promise<void> | void) =>
    attempt(async () => write((await queries.fetchQuery({ ...metadataQuery, staleTime: 0 })).metadata))
  const reload = () =>
    attempt(async () => {
      await run('reload_metadata', {})
      await refreshMetadata()
      toast('Reloaded the metadata')
    })
  return (
    <>
      <Toolbar label="Metadata">
        <div className={css['filter']}>
          <FilterField label="Filter objects" value={filter} onChange={setFilter} />
        </div>
        <Space />
        <Button
          icon={<Download aria-hidden />}
          onClick={() => void save((document) => saveFile('metadata.json', textOf(document), 'application/json'))}
        >
          Export as JSON
        </Button>
        <Button icon={<Download aria-hidden />} onClick={() => void save(saveFolder)}>
          Export as YAML
        </Button>
        {canEdit && (
          <>
            <Button onClick={() => void reload()}>Reload metadata</Button>
            <Button look="main" icon={<Upload aria-hidden />} onClick={() => setImporting(true)}>
              Import a document
            </Button>
          </>
        )}
      </Toolbar>
      {error !== null && <Failed error={error} />}
      {parts.length === 0 ? (
        <Empty title="The metadata is empty">Track tables on the page Data, or import a document.</Empty>
      ) : (
        <div className={css['halves']}>
          <div className={css['objects']}>
            <Table<Part>
              label="Objects"
              rows={shown}
              rowKey={({ key }) => key}
              isSelected={({ key }) => key === chosen}
              onOpen={({ key }) => setChosen(key === chosen ? '' : key)}
              columns={[
                {
                  key: 'name',
                  title: plural(shown.length, 'object'),
                  width: 'minmax(96px, 1fr)',
                  cell: ({ name }) => <span title={name}>{name}</span>,
                },
                {
                  ...{ key: 'kind', title: 'Part', width: '120px' },
                  cell: ({ kind }) => <span className={css['note']}>{kind}</span>,
                },
              ]}
            />
          </div>
          <div className={css['text']}>
            <Code
              key={chosen}
              label={part ? part.name : 'The whole document'}
              language="json"
              fills
              value={textOf(part ? part.value : metadata.metadata)}
            />
          </div>
        </div>
      )}
      {isImporting && <ImportDialog base={metadata} onClose={() => setImporting(false)} />}
    </>
  )
}
