import { useQuery } from '@tanstack/react-query'
import { plural } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Space } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { readOnly } from '../../../requests/mode.ts'
import { run } from '../../../server/operations.ts'
import { type Metadata, useApi, useConfig } from '../../../server/queries.ts'
import css from '../govern.module.css'
import { type SentQuery, verdictsOn } from './collections-model.ts'

interface DryRunProps {
  readonly metadata: Metadata
  readonly isEnforced: boolean
  onAdd(query: string): void
}

const key = ['recent-operations']

/** The allow-list tried on the operations that roles sent lately, as the server remembers them. */
export function DryRun({ metadata, isEnforced, onAdd }: DryRunProps) {
  const canEdit = useStore(readOnly) === null
  const isOpen = useApi('developer')
  const enabled = useConfig()?.apis.enabled ?? []
  const verdicts = useQuery({
    queryKey: [...key, metadata.resource_version],
    enabled: isOpen,
    queryFn: async ({ signal }) => {
      const [{ operations }, { sameDocument }] = await Promise.all([
        run<{ operations: readonly SentQuery[] }>('get_recent_operations', {}, { signal }),
        import('./same-document.ts'),
      ])
      return verdictsOn(operations, metadata, sameDocument)
    },
  })
  if (!isOpen) {
    return (
      <Empty title="The API developer is closed">
        It has the operations that roles sent lately. Start the server with{' '}
        <code>--enabled-apis {[...enabled, 'developer'].join(',')}</code>.
      </Empty>
    )
  }
  if (verdicts.isPending) return <Loading label="Reading recent operations" queryKey={key} />
  if (!verdicts.data) return <Failed error={verdicts.error} onRetry={() => void verdicts.refetch()} />
  if (verdicts.data.length === 0) {
    return (
      <Empty title="No role has sent an operation lately">
        The server remembers the last operations until it stops. Those of the administrator are always allowed.
      </Empty>
    )
  }
  const refused = verdicts.data.filter(({ allowedBy }) => allowedBy.length === 0).length
  const would = isEnforced ? 'is' : 'would be'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['scroll']} aria-label="Recent operations, scrolls" tabIndex={0}>
      <p className={css['lead']}>
        {plural(verdicts.data.length, 'operation')} that roles sent lately, of which {refused} {would} refused.
      </p>
      <ul>
        {verdicts.data.map(({ role, query, allowedBy }) => (
          <li key={`${role} ${query}`} className={css['version']}>
            <div className={css['line']}>
              <Mark state={allowedBy.length > 0 ? 'good' : 'bad'}>
                <strong>{role}</strong>{' '}
                {allowedBy.length > 0 ? `allowed by ${allowedBy.join(', ')}` : `${would} refused`}
              </Mark>
              <Space />
              {canEdit && allowedBy.length === 0 && <Button onClick={() => onAdd(query)}>Add to a collection</Button>}
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
            <pre className={css['code']} tabIndex={0}>
              {query}
            </pre>
          </li>
        ))}
      </ul>
    </section>
  )
}
