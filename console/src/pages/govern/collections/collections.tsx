import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { plural } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Section, Space, Toolbar } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { useEdit } from '../../../parts/use-edit.ts'
import { readOnly } from '../../../requests/mode.ts'
import { type Metadata, metadataQuery, useConfig } from '../../../server/queries.ts'
import { useUrlState } from '../../../shell/navigation.tsx'
import css from '../govern.module.css'
import { AllowDialog } from './allow-dialog.tsx'
import { allowedOf, allowedWords, type Collection, collectionsOf } from './collections-model.ts'
import { DropCollectionDialog } from './drop-dialog.tsx'
import { DryRun } from './dry-run.tsx'
import { QueryDialog } from './query-dialog.tsx'

/** Collections of queries, with the allow-list, which can be tried on recent operations. */
export function CollectionsSection() {
  const metadata = useQuery(metadataQuery)
  if (metadata.isPending) return <Loading label="Reading the collections" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  return <Collections metadata={metadata.data} />
}

type Asked =
  | { readonly kind: 'query'; readonly collection: string; readonly query?: string }
  | { readonly kind: 'allow' | 'drop'; readonly collection: Collection }

function Collections({ metadata }: { readonly metadata: Metadata }) {
  const canEdit = useStore(readOnly) === null
  const [view, setView] = useUrlState('view')
  const [asked, setAsked] = useState<Asked | null>(null)
  const isEnforced = useConfig()?.is_allow_list_enabled === true
  const collections = collectionsOf(metadata)
  const isTrying = view === 'recent'
  return (
    <>
      <Toolbar label="Collections">
        <span className={css['beside']}>
          <Mark state={isEnforced ? 'good' : 'off'}>
            {isEnforced ? 'the allow-list is enforced' : 'the allow-list is not enforced'}
          </Mark>
        </span>
        <Space />
        <Button aria-pressed={isTrying} onClick={() => setView(isTrying ? '' : 'recent')}>
          {isTrying ? 'Show collections' : 'Try on recent operations'}
        </Button>
        {canEdit && (
          <Button
            look="main"
            icon={<Plus aria-hidden />}
            onClick={() => setAsked({ kind: 'query', collection: collections[0]?.name ?? '' })}
          >
            Add query
          </Button>
        )}
      </Toolbar>
      {isTrying ? (
        <DryRun
          metadata={metadata}
          isEnforced={isEnforced}
          onAdd={(query) => setAsked({ kind: 'query', collection: collections[0]?.name ?? '', query })}
        />
      ) : collections.length === 0 ? (
        <Empty title="There is no collection yet">
          A collection has named GraphQL queries: for REST endpoints, and for the allow-list, which lets roles send
          these queries alone.
        </Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
        <section className={css['scroll']} aria-label="Collections, scrolls" tabIndex={0}>
          {collections.map((collection) => (
            <OneCollection key={collection.name} {...{ collection, metadata, canEdit }} onAsk={setAsked} />
          ))}
        </section>
      )}
      {asked?.kind === 'query' && <QueryDialog {...{ metadata }} {...asked} onClose={() => setAsked(null)} />}
      {asked?.kind === 'allow' && (
        <AllowDialog {...{ metadata }} collection={asked.collection} onClose={() => setAsked(null)} />
      )}
      {asked?.kind === 'drop' && (
        <DropCollectionDialog {...{ metadata }} collection={asked.collection} onClose={() => setAsked(null)} />
      )}
    </>
  )
}

interface OneProps {
  readonly collection: Collection
  readonly metadata: Metadata
  readonly canEdit: boolean
  onAsk(asked: Asked): void
}

function OneCollection({ collection, metadata, canEdit, onAsk }: OneProps) {
  const { error, save } = useEdit()
  const { name, comment, definition } = collection
  const allowed = allowedOf(metadata, name)
  const drop = (query: string) =>
    save({
      ...{ title: `Remove ${query} from ${name}`, base: metadata, done: `Removed ${query}` },
      operations: [{ type: 'drop_query_from_collection', args: { collection_name: name, query_name: query } }],
    })
  return (
    <Section
      title={name}
      actions={
        canEdit && (
          <span className={css['line']}>
            <Button look="quiet" onClick={() => onAsk({ kind: 'query', collection: name })}>
              Add query
            </Button>
            <Button look="quiet" onClick={() => onAsk({ kind: 'allow', collection })}>
              Allow
            </Button>
            <Button look="quiet" onClick={() => onAsk({ kind: 'drop', collection })}>
              Remove
            </Button>
          </span>
        )
      }
    >
      {comment && <p>{comment}</p>}
      <Mark state={allowed === 'nobody' ? 'off' : 'good'}>
        {allowedWords(allowed)}, {plural(definition.queries.length, 'query', 'queries')}
      </Mark>
      {error !== null && <Failed error={error} />}
      <ul>
        {definition.queries.map((each) => (
          <li key={each.name} className={css['stored']}>
            <details>
              <summary>{each.name}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
              <pre className={css['code']} tabIndex={0}>
                {each.query}
              </pre>
            </details>
            {canEdit && (
              <IconButton
                label={`Remove ${each.name} from ${name}`}
                icon={<X aria-hidden />}
                onClick={() => void drop(each.name)}
              />
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
