import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { plural } from '../../../base/format.ts'
import { memberOf } from '../../../base/members.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/field.tsx'
import { Section } from '../../../parts/page.tsx'
import { Failed } from '../../../parts/states.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { type TableName, tableLabel } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import { entryOf, type Metadata } from '../../../server/queries.ts'
import { Item } from './item.tsx'
import css from './relations.module.css'
import { type ColumnPair, pairsText } from './relationships.ts'

interface Answer {
  readonly relationships: readonly {
    readonly type: 'object' | 'array'
    readonly name: string
    readonly from: { readonly columns: readonly string[] }
    readonly to: { readonly table: TableName; readonly columns: readonly string[] }
  }[]
  readonly operations: readonly {
    readonly type: string
    readonly args: { readonly name: string } & Record<string, unknown>
  }[]
}

interface Suggestion {
  readonly name: string
  readonly kind: 'object' | 'array'
  readonly to: TableName
  readonly columns: readonly ColumnPair[]
  readonly operation: Answer['operations'][number]
}

/** The relationships that the foreign keys of a table suggest. */
export const useSuggestions = (table: TableName): UseQueryResult<readonly Suggestion[]> =>
  useQuery({
    queryKey: ['suggestions', table],
    queryFn: async ({ signal }) => {
      const { relationships, operations } = await run<Answer>('suggest_relationships', { tables: [table] }, { signal })
      return relationships.map(({ name, type, from, to }, index) => ({
        ...{ name, kind: type, to: to.table, operation: operations[index]! },
        columns: from.columns.map((column, at) => [column, to.columns[at]!] as const),
      }))
    },
  })

interface SuggestedProps {
  readonly suggestions: UseQueryResult<readonly Suggestion[]>
  readonly canEdit: boolean
  readonly base: Metadata
  readonly table: TableName
  example(index: number): ReactNode
}

/** Relationships that foreign keys suggest: each with a name to edit. */
export function Suggested({ suggestions, canEdit, base, table, example }: SuggestedProps) {
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const { isBusy, error, save } = useEdit()
  const all = suggestions.data ?? []
  if (suggestions.isError) return <Failed error={suggestions.error} onRetry={() => void suggestions.refetch()} />
  if (all.length === 0) return null
  const nameOf = ({ name }: Suggestion) => memberOf(names, name) ?? name
  const add = (chosen: readonly Suggestion[]) => {
    const operations = chosen.map((each) => ({
      type: each.operation.type,
      args: { ...each.operation.args, name: nameOf(each) },
    }))
    const [only] = chosen
    const words = chosen.length === 1 && only ? nameOf(only) : plural(chosen.length, 'relationship')
    void save({
      title: `Add ${words} to ${tableLabel(table)}`,
      part: (now) => entryOf(now, table),
      operations,
      base,
      done: `Added ${words}`,
    })
  }
  return (
    <Section
      title="Suggested by foreign keys"
      actions={
        canEdit &&
        all.length > 1 && (
          <Button isBusy={isBusy} onClick={() => add(all)}>
            Add all {all.length}
          </Button>
        )
      }
    >
      {error !== null && <Failed error={error} />}
      <ul className={css['list']} aria-label="Suggested relationships">
        {all.map((each, index) => (
          <Item
            key={each.name}
            name={
              <Field
                label={`Name of the relationship to ${tableLabel(each.to)}`}
                isLabelHidden
                disabled={!canEdit}
                value={nameOf(each)}
                onChange={({ target }) => setNames({ ...names, [each.name]: target.value })}
              />
            }
            kind={each.kind === 'array' ? 'many' : 'one'}
            to={tableLabel(each.to)}
            note={pairsText(each.columns)}
            example={example(index)}
            actions={
              canEdit && (
                <Button isBusy={isBusy} disabled={nameOf(each).trim() === ''} onClick={() => add([each])}>
                  Add {nameOf(each)}
                </Button>
              )
            }
          />
        ))}
      </ul>
    </Section>
  )
}
