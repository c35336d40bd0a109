import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Select } from '../../../parts/field.tsx'
import { Group } from '../../../parts/group.tsx'
import { SuggestField } from '../../../parts/suggest-field.tsx'
import type { Suggestion } from '../../../parts/suggestion.ts'
import { ColumnPairs } from '../column-pairs.tsx'
import css from './create.module.css'
import { type KeyFaults, type Known, shownFault, type Target } from './faults.ts'
import { deleteActions, filledColumns, type NewForeignKey, type NewTable } from './new-table.ts'

interface ForeignKeysProps {
  readonly values: NewTable
  change(changes: Partial<NewTable>): void
  readonly known: Known
  readonly targets: readonly Suggestion[]
  readonly faults: readonly KeyFaults[]
  readonly isTried: boolean
}

const emptyKey: NewForeignKey = { table: '', pairs: [['', '']], onDelete: 'no action' }

/** The foreign keys of a new table. */
export function ForeignKeys({ values, change, known, targets, faults, isTried }: ForeignKeysProps) {
  const keys = values.foreignKeys
  return (
    <section aria-label="Foreign keys" className={css['part']}>
      <h3>Foreign keys</h3>
      {keys.map((key, at) => {
        const table = known.tableOf(key.table)
        return (
          <KeyFields
            key={at}
            {...{ values, targets, isTried }}
            foreignKey={key}
            target={table && known.targetOf(table)}
            faults={faults[at]}
            onChange={(next) => change({ foreignKeys: keys.map((each, index) => (index === at ? next : each)) })}
            onRemove={() => change({ foreignKeys: keys.filter((_, index) => index !== at) })}
          />
        )
      })}
      <div className={css['adds']}>
        <Button icon={<Plus aria-hidden />} onClick={() => change({ foreignKeys: [...keys, emptyKey] })}>
          Add foreign key
        </Button>
      </div>
    </section>
  )
}

interface KeyFieldsProps {
  readonly values: NewTable
  readonly foreignKey: NewForeignKey
  readonly target: Target | null
  readonly targets: readonly Suggestion[]
  readonly faults: KeyFaults | undefined
  readonly isTried: boolean
  onChange(key: NewForeignKey): void
  onRemove(): void
}

function KeyFields({ values, foreignKey, target, targets, faults, isTried, onChange, onRemove }: KeyFieldsProps) {
  const { table, pairs, onDelete } = foreignKey
  const own = filledColumns(values)
    .map(({ name }) => name.trim())
    .filter((name) => name !== '')
  const set = (changes: Partial<NewForeignKey>) => onChange({ ...foreignKey, ...changes })
  const fault = shownFault(faults?.pairs, isTried)
  return (
    <Group legend={table.trim() === '' ? 'Foreign key' : `To ${table.trim()}`}>
      <div className={css['target']}>
        <SuggestField
          label="Table"
          value={table}
          suggestions={targets}
          error={shownFault(faults?.table, isTried)}
          onChange={(next) => set({ table: next, pairs: pairs.map(([from]) => [from, ''] as const) })}
        />
        <Select<NewForeignKey['onDelete']>
          label="When that row is deleted"
          value={onDelete}
          options={deleteActions.map((action) => ({ value: action, label: action }))}
          onChange={(next) => set({ onDelete: next })}
        />
        <IconButton label="Remove this foreign key" icon={<X aria-hidden />} onClick={onRemove} />
      </div>
      {target && (
        <ColumnPairs
          pairs={pairs}
          here={{ label: 'Column here', columns: own }}
          there={{ label: `Column of ${table.trim()}`, columns: target.columns }}
          onChange={(next) => set({ pairs: next })}
        />
      )}
      {fault && (
        <p tabIndex={-1} data-fault className={css['fault']}>
          {fault}
        </p>
      )}
    </Group>
  )
}
