import { Plus, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Checkbox, Field } from '../../../parts/field.tsx'
import { SuggestField } from '../../../parts/suggest-field.tsx'
import css from './create.module.css'
import { type ColumnFaults, type Faults, shownFault } from './faults.ts'
import {
  emptyColumn,
  frequentColumns,
  isBlank,
  type NewColumn,
  type NewTable,
  withColumn,
  withoutColumn,
} from './new-table.ts'
import { type DatabaseType, defaultAfter, defaultSuggestions, typeSuggestions } from './suggestions.ts'

interface ColumnsProps {
  readonly values: NewTable
  change(changes: Partial<NewTable>): void
  readonly types: readonly DatabaseType[]
  readonly faults: Faults
  readonly isTried: boolean
}

/** The columns of a new table. */
export function Columns({ values, change, types, faults, isTried }: ColumnsProps) {
  const { columns } = values
  const list = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<number | null>(null)
  useEffect(() => {
    if (focused === null) return
    list.current?.children[focused]?.querySelector('input')?.focus()
    setFocused(null)
  }, [focused])
  const add = () => {
    change({ columns: [...columns, emptyColumn] })
    setFocused(columns.length)
  }
  /** Stands before the columns that are blank. */
  const addFrequent = (column: NewColumn) =>
    change({ columns: [...columns.filter((each) => !isBlank(each)), column, ...columns.filter(isBlank)] })
  const keyCount = columns.filter(({ isKey }) => isKey).length
  const whole = shownFault(faults.whole, isTried)
  return (
    <section aria-label="Columns" className={css['part']}>
      <h3>Columns</h3>
      {whole && (
        <p role="alert" tabIndex={-1} data-fault className={css['fault']}>
          {whole}
        </p>
      )}
      <div ref={list} className={css['columns']}>
        {columns.map((column, at) => (
          <ColumnFields
            key={at}
            {...{ column, at, types, isTried }}
            isOnlyKey={column.isKey && keyCount === 1}
            faults={faults.columns[at]}
            onChange={(next) => change(withColumn(values, at, next))}
            onRemove={() => {
              change(withoutColumn(values, at))
              setFocused(Math.max(0, at - 1))
            }}
          />
        ))}
      </div>
      <div className={css['adds']}>
        <Button icon={<Plus aria-hidden />} onClick={add}>
          Add column
        </Button>
        {frequentColumns
          .filter(({ name }) => columns.every((each) => each.name.trim() !== name))
          .map((column) => (
            <Button key={column.name} look="quiet" onClick={() => addFrequent(column)}>
              Add {column.name}
            </Button>
          ))}
      </div>
    </section>
  )
}

interface ColumnFieldsProps {
  readonly column: NewColumn
  readonly at: number
  readonly types: readonly DatabaseType[]
  readonly isOnlyKey: boolean
  readonly faults: ColumnFaults | undefined
  readonly isTried: boolean
  onChange(column: NewColumn): void
  onRemove(): void
}

function ColumnFields({ column, at, types, isOnlyKey, faults, isTried, onChange, onRemove }: ColumnFieldsProps) {
  const name = column.name.trim() || `column ${at + 1}`
  const set = (changes: Partial<NewColumn>) => onChange({ ...column, ...changes })
  const fault = (text: string | null | undefined) => shownFault(text, isTried)
  return (
    <div role="group" aria-label={name} className={css['column']}>
      <Field
        label="Name"
        value={column.name}
        error={fault(faults?.name)}
        onChange={(event) => set({ name: event.target.value })}
      />
      <SuggestField
        isCode
        label="Type"
        value={column.type}
        suggestions={typeSuggestions(types)}
        error={fault(faults?.type)}
        onChange={(type) => set({ type, default: defaultAfter(type, column.default) })}
      />
      <SuggestField
        isCode
        label="Default"
        value={column.default}
        suggestions={defaultSuggestions(column.type, types)}
        error={fault(faults?.default)}
        onChange={(expression) => set({ default: expression })}
      />
      <Field label="Comment" value={column.comment} onChange={(event) => set({ comment: event.target.value })} />
      <div className={css['ticks']}>
        <Checkbox
          label="Key"
          checked={column.isKey}
          onChange={(event) => set({ isKey: event.target.checked, ...(event.target.checked && { isNullable: false }) })}
        />
        <Checkbox
          label="Null"
          disabled={column.isKey}
          checked={column.isNullable && !column.isKey}
          onChange={(event) => set({ isNullable: event.target.checked })}
        />
        <Checkbox
          label="Unique"
          disabled={isOnlyKey}
          checked={column.isUnique || isOnlyKey}
          onChange={(event) => set({ isUnique: event.target.checked })}
        />
        <IconButton label={`Remove ${name}`} icon={<X aria-hidden />} onClick={onRemove} />
      </div>
    </div>
  )
}
