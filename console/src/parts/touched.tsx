import { useQuery } from '@tanstack/react-query'
import type { Operation } from '../server/operations.ts'
import { useCanTry } from '../server/queries.ts'
import { simulate } from '../server/simulate.ts'
import { PartChanges } from './change-view.tsx'
import { Mark } from './mark.tsx'
import { Failed, Loading } from './states.tsx'
import css from './touched.module.css'

interface TouchedProps {
  readonly operations: readonly Operation[]
  /** Roles whose GraphQL schemas are compared. */
  readonly roles?: readonly string[]
}

/** All that an edit would change, which the server tries and takes back. */
export function Touched({ operations, roles = [] }: TouchedProps) {
  const key = ['simulation', operations, roles]
  const canTry = useCanTry()
  const tried = useQuery({
    ...{ queryKey: key, enabled: canTry, retry: false, gcTime: 0 },
    queryFn: ({ signal }) => simulate({ changes: operations, roles, signal }),
    placeholderData: (before) => before,
  })
  if (!canTry) return null
  if (tried.isPending) return <Loading label="Trying the change" queryKey={key} />
  if (!tried.data || tried.isError) return <Failed error={tried.error} onRetry={() => void tried.refetch()} />
  const { patch, schemas, new_inconsistencies: broken, more_changes: hasMore } = tried.data
  const differing = schemas.filter(
    ({ only_a, only_b, differing: changed }) => only_a.length + only_b.length + changed.length > 0,
  )
  return (
    <div className={css['touched']}>
      <section aria-label="Metadata that changes">
        <h3 className={css['title']}>Metadata</h3>
        {patch.length === 0 ? (
          <p className={css['note']}>Nothing changes.</p>
        ) : (
          <PartChanges label="Parts" changes={patch} />
        )}
        {hasMore && <p className={css['note']}>and more</p>}
      </section>
      {broken.map(({ reason, type }) => (
        <p key={reason ?? type}>
          <Mark state="bad">{reason ?? `${type} becomes inconsistent`}</Mark>
        </p>
      ))}
      {differing.map(({ role, only_a: gone, only_b: added, differing: changed, more }) => (
        <section key={role} aria-label={`GraphQL schema of ${role}`}>
          <h3 className={css['title']}>GraphQL schema of {role}</h3>
          <ul>
            {gone.map((path) => (
              <li key={path}>
                <Mark state="bad">
                  <code>{path}</code> removed
                </Mark>
              </li>
            ))}
            {added.map((path) => (
              <li key={path}>
                <Mark state="good">
                  <code>{path}</code> added
                </Mark>
              </li>
            ))}
            {changed.map(({ path, a, b }) => (
              <li key={path}>
                <Mark state="waiting">
                  <code>
                    {path}: {a} → {b}
                  </code>
                </Mark>
              </li>
            ))}
          </ul>
          {more && <p className={css['note']}>and more</p>}
        </section>
      ))}
    </div>
  )
}
