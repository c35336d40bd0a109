import { Download } from 'lucide-react'
import { useState } from 'react'
import { saveBlob } from '../../../base/files.ts'
import { formatBytes } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Pop } from '../../../parts/pop.tsx'
import { Failed } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import type { Identity } from '../../../requests/identity.ts'
import { download } from '../../../requests/send.ts'
import type { TableName } from '../../../server/names.ts'
import type { Condition } from './filter.ts'
import css from './rows.module.css'

interface ExportProps {
  readonly table: TableName
  readonly as: Identity
  readonly names: readonly string[]
  readonly order: readonly string[]
  readonly condition: Condition | null
}

type Format = 'csv' | 'ndjson'

function exportPath({ table, as, names, order, condition }: ExportProps, format: Format): string {
  const query = new URLSearchParams({ table: table.name, schema: table.schema })
  // A role gets the columns that it may read.
  if (as.role === null) for (const name of names) query.append('columns', name)
  for (const name of order) query.append('order_by', name)
  if (condition !== null) query.set('where', JSON.stringify(condition))
  return `v1alpha1/rows.${format}?${query}`
}

/** Saves all rows that match as a file, as the chosen identity reads them. */
export function Export(props: ExportProps) {
  const { table, as } = props
  const [isOpen, setOpen] = useState(false)
  const [busy, setBusy] = useState<Format | null>(null)
  const [error, setError] = useState<unknown>(null)
  const save = async (format: Format) => {
    setBusy(format)
    setError(null)
    try {
      const file = await download({ name: `rows.${format}`, path: exportPath(props, format), as })
      saveBlob(`${table.name}.${format}`, file)
      toast(`Saved ${table.name}.${format}, ${formatBytes(file.size)}`)
      setOpen(false)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(null)
    }
  }
  return (
    <Pop label="Export" title="Export rows" icon={<Download aria-hidden />} isOpen={isOpen} onOpen={setOpen}>
      <p className={css['type']}>
        All rows that match, in this order
        {as.role === null ? '. Columns that are hidden are left out.' : `, with all columns that ${as.role} may read.`}
      </p>
      <div className={css['choices']}>
        <Button isBusy={busy === 'csv'} onClick={() => void save('csv')}>
          Save as CSV
        </Button>
        <Button isBusy={busy === 'ndjson'} onClick={() => void save('ndjson')}>
          Save as NDJSON
        </Button>
      </div>
      {error !== null && <Failed error={error} />}
    </Pop>
  )
}
