import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../parts/button.tsx'
import { Select } from '../../parts/field.tsx'
import type { ColumnPair } from './column-pair.ts'
import css from './column-pairs.module.css'

/** The columns of one side of the pairs. */
interface Side {
  readonly label: string
  readonly columns: readonly string[]
}

interface ColumnPairsProps {
  readonly pairs: readonly ColumnPair[]
  readonly here: Side
  readonly there: Side
  onChange(pairs: readonly ColumnPair[]): void
}

const optionsOf = ({ columns }: Side) => columns.map((name) => ({ value: name, label: name }))

/** Chooses the columns that are equal in two tables. */
export function ColumnPairs({ pairs, here, there, onChange }: ColumnPairsProps) {
  const set = (at: number, pair: ColumnPair) => onChange(pairs.map((each, index) => (index === at ? pair : each)))
  return (
    <>
      {pairs.map(([from, to], at) => (
        <div key={at} className={css['pair']}>
          <Select<string>
            label={here.label}
            value={from}
            options={optionsOf(here)}
            onChange={(next) => set(at, [next, to])}
          />
          <span aria-hidden>=</span>
          <Select<string>
            label={there.label}
            value={to}
            options={optionsOf(there)}
            onChange={(next) => set(at, [from, next])}
          />
          <IconButton
            label="Remove these columns"
            icon={<X aria-hidden />}
            disabled={pairs.length === 1}
            onClick={() => onChange(pairs.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <div className={css['add']}>
        <Button look="quiet" icon={<Plus aria-hidden />} onClick={() => onChange([...pairs, ['', '']])}>
          Add columns
        </Button>
      </div>
    </>
  )
}
