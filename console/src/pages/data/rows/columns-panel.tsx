import { useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Checkbox, Field } from '../../../parts/field.tsx'
import { useUrlChange } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import css from './rows.module.css'

interface ColumnsPanelProps {
  readonly info: TableInfo
  readonly names: readonly string[]
  onClose(): void
}

/** Which columns are read: the choice is part of the address. */
export function ColumnsPanel({ info, names, onClose }: ColumnsPanelProps) {
  const change = useUrlChange()
  const [needle, setNeedle] = useState('')
  const all = info.columns.map(({ name }) => name)
  const choose = (next: readonly string[]) => {
    const ordered = all.filter((name) => next.includes(name))
    change({
      cols: ordered.length === all.length || ordered.length === 0 ? '' : ordered.map(encodeURIComponent).join(','),
    })
  }
  const shown = info.columns.filter(({ name }) => name.toLowerCase().includes(needle.toLowerCase()))
  return (
    <Dialog
      isOpen
      title="Columns"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => choose([])}>Show all</Button>
          <Button look="main" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <Field label="Find a column" value={needle} onChange={(event) => setNeedle(event.target.value)} />
      <ul className={css['columns']}>
        {shown.map(({ name, type }) => (
          <li key={name}>
            <Checkbox
              label={
                <>
                  {name} <span className={css['type']}>{type}</span>
                </>
              }
              checked={names.includes(name)}
              disabled={names.length === 1 && names.includes(name)}
              onChange={(event) =>
                choose(event.target.checked ? [...names, name] : names.filter((each) => each !== name))
              }
            />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
