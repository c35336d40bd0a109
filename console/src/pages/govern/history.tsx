import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { PartChanges } from '../../parts/change-view.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Space } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { recordEdit } from '../../requests/log.ts'
import { readOnly } from '../../requests/mode.ts'
import { authorOf, historyQuery, sentenceOf, type Version } from '../../server/history.ts'
import { runAll } from '../../server/operations.ts'
import { metadataQuery, queries, refreshMetadata } from '../../server/queries.ts'
import css from './govern.module.css'

interface Question {
  readonly title: string
  readonly versions: readonly Version[]
}

/** Records the document instead of the revert: another server has other versions. */
async function recordDocument(): Promise<void> {
  const { metadata } = await queries.fetchQuery({ ...metadataQuery, staleTime: 0 })
  recordEdit({ type: 'replace_metadata', version: 2, args: { metadata, allow_inconsistent_metadata: true } })
}

/** The changes of the metadata with their authors and times, and the way back. */
export function HistorySection() {
  const query = historyQuery()
  const history = useInfiniteQuery(query)
  const canEdit = useStore(readOnly) === null
  const [question, setQuestion] = useState<Question | null>(null)
  if (history.isPending) return <Loading label="Reading the history" queryKey={query.queryKey} />
  if (!history.data) return <Failed error={history.error} onRetry={() => void history.refetch()} />
  const versions = history.data.pages.flatMap((page) => page.versions)
  if (versions.length === 0) {
    return (
      <Empty title="Nothing has changed yet">Each change of the metadata will be listed here with its author.</Empty>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['scroll']} aria-label="History, scrolls" tabIndex={0}>
      <ol>
        {versions.map((version, index) => (
          <li key={version.version} className={css['version']}>
            <div className={css['line']}>
              <strong>{sentenceOf(version)}</strong>
              <Space />
              {canEdit && version.patch && (
                <>
                  {index > 0 && (
                    <Button
                      look="quiet"
                      aria-label={`Go back to before this: ${sentenceOf(version)}`}
                      onClick={() =>
                        setQuestion({
                          title: `Go back to before version ${version.version}`,
                          versions: versions.slice(0, index + 1),
                        })
                      }
                    >
                      Go back to before this
                    </Button>
                  )}
                  <Button
                    aria-label={`Revert this change: ${sentenceOf(version)}`}
                    onClick={() => setQuestion({ title: `Revert version ${version.version}`, versions: [version] })}
                  >
                    Revert this change
                  </Button>
                </>
              )}
            </div>
            <p className={css['note']}>
              {formatTime(version.at)} by {authorOf(version)}, version {version.version}
              {version.request_id && <>, request {version.request_id}</>}
            </p>
            {version.patch ? (
              <PartChanges label={`Changes of version ${version.version}`} changes={version.patch} />
            ) : (
              // The words of the server's refusal to revert it.
              <Mark state="bad">the changes of version {version.version} were too large to be kept</Mark>
            )}
          </li>
        ))}
      </ol>
      {history.hasNextPage && (
        <Button isBusy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
          Show earlier changes
        </Button>
      )}
      {question && <RevertDialog {...question} onClose={() => setQuestion(null)} />}
    </section>
  )
}

function RevertDialog({ title, versions, onClose }: Question & { onClose(): void }) {
  const { isBusy, error, attempt } = useAttempt()
  const revert = () =>
    attempt(async () => {
      await runAll(versions.map(({ version }) => ({ type: 'revert_metadata', args: { version } })))
      await refreshMetadata()
      await recordDocument()
      toast(`Reverted ${plural(versions.length, 'version')}`)
      onClose()
    })
  return (
    <FormDialog
      isWide
      title={title}
      description="An edit of its own, which the history lists. The data and the tables stay as they are."
      onClose={onClose}
      submit={`Revert ${plural(versions.length, 'version')}`}
      isBusy={isBusy}
      onSubmit={revert}
      error={error}
    >
      <ul>
        {versions.map((version) => (
          <li key={version.version}>
            {version.version}: {sentenceOf(version)}
          </li>
        ))}
      </ul>
    </FormDialog>
  )
}
