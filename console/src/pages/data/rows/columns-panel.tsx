import { Pin } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Checkbox, Field } from '../../../parts/field.tsx'
import { useUrlChange } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import { listText } from './address.ts'
import css from './rows.module.css'

interface ColumnsPanelProps {
  readonly info: TableInfo
  readonly names: readonly string[]
  readonly pinned: readonly string[]
  onClose(): void
}

/** Which columns are shown, and which stay at the left: the choice is part of the address. */
export function ColumnsPanel({ info, names, pinned, onClose }: ColumnsPanelProps) {
  const change = useUrlChange()
  const [needle, setNeedle] = useState('')
  const all = info.columns.map(({ name }) => name)
  const choose = (next: readonly string[]) => {
    const ordered = all.filter((name) => next.includes(name))
    change({ cols: ordered.length === all.length || ordered.length === 0 ? '' : listText(ordered) })
  }
  const pin = (name: string) =>
    change({ pin: listText(pinned.includes(name) ? pinned.filter((each) => each !== name) : [...pinned, name]) })
  const shown = info.columns.filter(({ name }) => name.toLowerCase().includes(needle.toLowerCase()))
  const found = shown.map(({ name }) => name)
  return (
    <Dialog
      isOpen
      title="Columns"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => choose([])}>Show all</Button>
          {needle !== '' && found.length > 0 && (
            <Button onClick={() => choose(found)}>
              Show only {found.length === 1 ? found[0] : `these ${found.length}`}
            </Button>
          )}
          <Button look="main" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <Field label="Find a column" value={needle} onChange={(event) => setNeedle(event.target.value)} />
      <ul className={css['columns']}>
        {shown.map(({ name, type }) => (
          <li key={name} className={css['column']}>
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
            {names.includes(name) && (
              <IconButton
                icon={<Pin aria-hidden />}
                label={`Pin ${name}`}
                isPressed={pinned.includes(name)}
                onClick={() => pin(name)}
              />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
