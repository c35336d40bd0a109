import { useQuery } from '@tanstack/react-query'
import { PartChanges } from '../../parts/change-view.tsx'
import { CodeList } from '../../parts/code-list.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { asFailure } from '../../requests/failure.ts'
import { simulate } from '../../server/simulate.ts'
import { dependentsOf, readable } from './running.ts'
import css from './sql.module.css'

interface EffectsProps {
  readonly text: string
  readonly hasCascade: boolean
}

/** The effects of a text on the metadata: the server runs it and takes it back. */
export function Effects({ text, hasCascade }: EffectsProps) {
  const key = ['simulation', 'sql', text, hasCascade]
  const tried = useQuery({
    ...{ queryKey: key, retry: false, gcTime: 0, staleTime: Number.POSITIVE_INFINITY },
    queryFn: ({ signal }) =>
      simulate({
        changes: [{ type: 'run_sql', version: 2, args: { sql: text, ...(hasCascade && { cascade: true }) } }],
        signal,
      }),
  })
  if (tried.isPending) return <Loading label="Trying the text" queryKey={key} />
  if (tried.isError) {
    const dependents = dependentsOf(tried.error)
    if (dependents.length === 0) return <Failed error={readable(asFailure(tried.error))} />
    return (
      <section className={css['changes']} aria-label="Effects on the metadata">
        <Mark state="bad">It is refused, as other objects of the metadata need what it drops:</Mark>
        <CodeList texts={dependents} />
      </section>
    )
  }
  const { patch, more_changes: hasMore, new_inconsistencies: broken } = tried.data
  return (
    <section className={css['changes']} aria-label="Effects on the metadata">
      {patch.length === 0 && broken.length === 0 ? (
        <Mark state="good">It runs, and leaves the metadata as it is.</Mark>
      ) : (
        <p>It runs, and the metadata changes with it:</p>
      )}
      <PartChanges label="Parts of the metadata" changes={patch} />
      {hasMore && <p>and more</p>}
      {broken.map(({ reason, type }) => (
        <p key={reason ?? type}>
          <Mark state="bad">{reason ?? `${type} becomes inconsistent`}</Mark>
        </p>
      ))}
    </section>
  )
}
