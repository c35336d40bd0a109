import { useMemo } from 'react'
import { type JsonObject, withMembers } from '../../base/objects.ts'
import { Checkbox } from '../../parts/field.tsx'
import { Group } from '../../parts/group.tsx'
import type { TableEntry } from '../../server/queries.ts'
import { RuleField } from '../data/permissions/rule-field.tsx'
import type { TableInfo } from '../data/table-info.ts'
import { typesOf } from '../data/types.ts'
import css from './events.module.css'

interface OperationFieldsProps {
  readonly info: TableInfo
  /** The table's entry in the metadata, whose relationships conditions may follow. */
  readonly entry: TableEntry | undefined
  readonly operation: 'insert' | 'update' | 'delete'
  /** Null: the operation makes no events. */
  readonly value: JsonObject | null
  onChange(value: JsonObject | null): void
  onFault(hasFault: boolean): void
}

const sides = { insert: ['new'], update: ['old', 'new'], delete: ['old'] } as const

const words = { old: 'The row before', new: 'The row after' } as const

/** Which changes of one operation make events, and which columns they have. */
export function OperationFields({ info, entry, operation, value, onChange, onFault }: OperationFieldsProps) {
  const types = useMemo(() => typesOf(info), [info])
  const names = info.columns.map(({ name }) => name)
  const columns = value?.['columns'] ?? '*'
  const chosen = Array.isArray(columns) ? (columns as readonly string[]) : names
  const when = (value?.['when'] ?? {}) as JsonObject
  // Conditions that join both sides are written as JSON.
  const isSimple = Object.keys(when).every((key) => key === 'old' || key === 'new')
  const change = (changes: JsonObject) => onChange(withMembers(value, changes))
  const setRule = (side: 'old' | 'new', rule: JsonObject) => {
    const { [side]: _, ...others } = when
    const next = Object.keys(rule).length === 0 ? others : { ...others, [side]: rule }
    change({ when: Object.keys(next).length === 0 ? undefined : next })
  }
  return (
    <Group
      isDense
      legend={
        <Checkbox
          label={operation}
          checked={value !== null}
          onChange={({ target }) => onChange(target.checked ? { columns: '*' } : null)}
        />
      }
    >
      {value !== null && operation === 'update' && (
        <div className={css['names']} role="group" aria-label="Columns whose change makes an event">
          <Checkbox
            label="any column"
            checked={!Array.isArray(columns)}
            onChange={({ target }) => change({ columns: target.checked ? '*' : names })}
          />
          {Array.isArray(columns) &&
            names.map((name) => (
              <Checkbox
                key={name}
                label={name}
                checked={chosen.includes(name)}
                onChange={() =>
                  change({
                    columns: chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name],
                  })
                }
              />
            ))}
        </div>
      )}
      {value !== null &&
        (isSimple ? (
          sides[operation].map((side) => (
            <RuleField
              key={side}
              {...{ types, onFault, entry }}
              canEdit
              help={`For example: ${names[0]} > 5 and ${names.at(-1)} is not null. An empty condition holds for all rows.`}
              label={`${words[side]} fulfils`}
              value={when[side] ?? {}}
              onChange={(rule) => setRule(side, rule)}
            />
          ))
        ) : (
          <p className={css['note']}>
            Only when <code>{JSON.stringify(when)}</code>, which the JSON changes.
          </p>
        ))}
    </Group>
  )
}
