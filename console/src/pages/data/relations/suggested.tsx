import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { plural } from '../../../base/format.ts'
import { useKeptForm } from '../../../base/kept-form.ts'
import { memberOf } from '../../../base/members.ts'
import { Button } from '../../../parts/button.tsx'
import { DraftNote } from '../../../parts/draft-note.tsx'
import { Field } from '../../../parts/field.tsx'
import { Section } from '../../../parts/page.tsx'
import { Failed } from '../../../parts/states.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { type TableName, tableKey, tableLabel } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import { entryOf, type Metadata } from '../../../server/queries.ts'
import type { ColumnPair } from '../column-pair.ts'
import { Item } from './item.tsx'
import css from './relations.module.css'
import { pairsText } from './relationships.ts'
import { replacing } from './replacing.ts'

interface Answer {
  readonly relationships: readonly {
    readonly type: 'object' | 'array'
    readonly name: string
    readonly from: { readonly columns: readonly string[] }
    readonly to: { readonly table: TableName; readonly columns: readonly string[] }
  }[]
  readonly operations: readonly {
    readonly type: string
    readonly args: { readonly name: string; readonly table: TableName } & Record<string, unknown>
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

const noNames: { readonly names: Readonly<Record<string, string>> } = { names: {} }

/** Relationships that foreign keys suggest: each with a name to edit. */
export function Suggested({ suggestions, canEdit, base, table, example }: SuggestedProps) {
  const { values, change, draft } = useKeptForm(`suggested names of ${tableKey(table)}`, noNames, { follows: true })
  const { names } = values
  const { isBusy, error, save } = useEdit()
  const all = suggestions.data ?? []
  if (suggestions.isError) return <Failed error={suggestions.error} onRetry={() => void suggestions.refetch()} />
  if (all.length === 0) return null
  const nameOf = ({ name }: Suggestion) => memberOf(names, name) ?? name
  const add = async (chosen: readonly Suggestion[]) => {
    const creations = chosen.map((each) => ({
      type: each.operation.type,
      args: { ...each.operation.args, name: nameOf(each) },
    }))
    const operations = (now: Metadata, isOnTop: boolean) =>
      creations.flatMap((each) => replacing(each, isOnTop ? now : null))
    const [only] = chosen
    const words = chosen.length === 1 && only ? nameOf(only) : plural(chosen.length, 'relationship')
    const title = `Add ${words} to ${tableLabel(table)}`
    const part = (now: Metadata) => entryOf(now, table)
    if (!(await save({ title, part, operations, mine: creations, base, done: `Added ${words}` }))) return
    const added = new Set(chosen.map(({ name }) => name))
    const left = Object.entries(names).filter(([name]) => !added.has(name))
    if (left.length === 0) draft.forget()
    else change({ names: Object.fromEntries(left) })
  }
  return (
    <Section
      title="Suggested by foreign keys"
      actions={
        canEdit &&
        all.length > 1 && (
          <Button isBusy={isBusy} onClick={() => void add(all)}>
            Add all {all.length}
          </Button>
        )
      }
    >
      {error !== null && <Failed error={error} />}
      <DraftNote draft={draft} />
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
                onChange={({ target }) => change({ names: { ...names, [each.name]: target.value } })}
              />
            }
            kind={each.kind === 'array' ? 'many' : 'one'}
            to={tableLabel(each.to)}
            note={pairsText(each.columns)}
            example={example(index)}
            actions={
              canEdit && (
                <Button isBusy={isBusy} disabled={nameOf(each).trim() === ''} onClick={() => void add([each])}>
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
