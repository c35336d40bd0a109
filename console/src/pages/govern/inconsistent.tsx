import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatTime, plural } from '../../base/format.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Space, Toolbar } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { Touched } from '../../parts/touched.tsx'
import { useAttempt } from '../../parts/use-attempt.ts'
import { readOnly } from '../../requests/mode.ts'
import { edit } from '../../server/edits.ts'
import { authorOf, type Place, type Version } from '../../server/history.ts'
import { type GivenTable, tableLabel, tableName } from '../../server/names.ts'
import { type Operation, run, runAll } from '../../server/operations.ts'
import { queries, refreshMetadata, type SourceTable, sourceTablesQuery, usePlugin } from '../../server/queries.ts'
import { To } from '../../shell/navigation.tsx'
import css from './govern.module.css'

interface Broken {
  readonly type?: string
  readonly definition?: unknown
  readonly reason: string
  /** Objects that claim the same name. */
  readonly objects?: readonly { readonly type: string; readonly definition: unknown }[]
}

type Answer = readonly Broken[] | { readonly inconsistent_objects: readonly Broken[] }

const key = ['inconsistent']

const listOf = (answer: Answer): readonly Broken[] =>
  'inconsistent_objects' in answer ? answer.inconsistent_objects : answer

interface Definition {
  readonly table?: GivenTable
  readonly name?: string
  readonly role?: string
}

/** The operation that removes one object; null: only all of them can be removed together. */
function removalOf({ type, definition }: Broken): Operation | null {
  const { table, name, role } = (typeof definition === 'object' && definition !== null ? definition : {}) as Definition
  if (type === 'table') return { type: 'untrack_table', args: { table: definition, cascade: true } }
  if (table !== undefined && name !== undefined && /^(?:object|array)_relation$/.test(type ?? '')) {
    return { type: 'drop_relationship', args: { table, relationship: name } }
  }
  if (table !== undefined && role !== undefined && /_permission$/.test(type ?? '')) {
    return { type: `drop_${type}`, args: { table, role } }
  }
  return type === 'event_trigger' && name !== undefined ? { type: 'delete_event_trigger', args: { name } } : null
}

const titleOf = ({ type = 'objects of one name', definition, objects }: Broken): string => {
  if (objects) return `${type}: ${objects.map((each) => each.type.replaceAll('_', ' ')).join(', ')}`
  const given = definition as Definition | string | undefined
  if (type === 'table') return `table ${tableLabel(definition as GivenTable)}`
  const named = typeof given === 'object' ? [given?.role, given?.name].find((each) => typeof each === 'string') : given
  const of = typeof given === 'object' && given?.table ? ` of ${tableLabel(given.table)}` : ''
  return `${type.replaceAll('_', ' ')} ${named ?? ''}${of}`
}

/** Letters that differ at most between similar names. */
const similarWithin = 3

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** Objects of the metadata that the database does not have any more, with ways out of each. */
export function InconsistentSection() {
  const found = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => listOf(await run<Answer>('get_inconsistent_metadata', {}, { signal })),
  })
  if (found.isPending) return <Loading label="Reading the inconsistent objects" queryKey={key} />
  if (!found.data) return <Failed error={found.error} onRetry={() => void found.refetch()} />
  if (found.data.length === 0) {
    return (
      <Empty title="Everything is consistent">
        An object whose table, column or variable disappears is listed here with its reason. All others are served on.
      </Empty>
    )
  }
  return <Objects objects={found.data} />
}

function Objects({ objects }: { readonly objects: readonly Broken[] }) {
  const canEdit = useStore(readOnly) === null
  const [question, setQuestion] = useState<{ title: string; names: readonly string[]; operation: Operation } | null>(
    null,
  )
  const { error, attempt } = useAttempt()
  const act = (work: () => Promise<unknown>, done: string) => {
    setQuestion(null)
    void attempt(async () => {
      if ((await work()) === null) return
      await refreshMetadata()
      toast(done)
    })
  }
  const names = objects.map(titleOf)
  return (
    <>
      {canEdit && (
        <Toolbar label="All inconsistent objects">
          <Button onClick={() => act(() => run('reload_metadata', {}), 'Reloaded the metadata')}>
            Reload metadata
          </Button>
          <Button
            look="danger"
            onClick={() =>
              setQuestion({
                title: `Drop ${plural(objects.length, 'inconsistent object')}`,
                names,
                operation: { type: 'drop_inconsistent_metadata', args: {} },
              })
            }
          >
            Drop {plural(objects.length, 'object')}
          </Button>
        </Toolbar>
      )}
      {error !== null && <Failed error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard. */}
      <section className={css['scroll']} aria-label="Inconsistent objects, scrolls" tabIndex={0}>
        <ul>
          {objects.map((each) => {
            const removal = removalOf(each)
            return (
              <li key={`${titleOf(each)} ${each.reason}`} className={css['version']}>
                <div className={css['line']}>
                  <Mark state="bad">
                    <strong>{titleOf(each)}</strong>
                  </Mark>
                  <Space />
                  {canEdit && removal && (
                    <Button
                      aria-label={`Remove this object: ${titleOf(each)}`}
                      onClick={() =>
                        setQuestion({ title: `Remove ${titleOf(each)}`, names: [titleOf(each)], operation: removal })
                      }
                    >
                      Remove this object
                    </Button>
                  )}
                </div>
                <p>{each.reason}</p>
                <Since object={each} />
                <Similar object={each} canEdit={canEdit} onRename={(title, work) => act(work, title)} />
              </li>
            )
          })}
        </ul>
      </section>
      {question && (
        <FormDialog
          isWide
          title={question.title}
          description="It leaves the metadata, with its permissions and relationships. The data stays."
          onClose={() => setQuestion(null)}
          submit={`Remove ${plural(question.names.length, 'object')}`}
          destroys={question.names.length === 1 ? question.names[0]! : String(question.names.length)}
          onSubmit={() =>
            act(
              () => edit({ title: question.title, operations: [question.operation] }),
              `Removed ${plural(question.names.length, 'object')}`,
            )
          }
        >
          <ul>
            {question.names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
          <Touched operations={[question.operation]} />
        </FormDialog>
      )}
    </>
  )
}

/** The place of an object in the history; null: the history does not know such objects by their place. */
function placeOf({ type = '', definition }: Broken): Place | null {
  const { table, name, role } = (typeof definition === 'object' && definition !== null ? definition : {}) as Definition
  if (type === 'table') return { part: 'tables', table: tableName(definition as GivenTable) }
  if (table === undefined) return null
  const of = { part: 'tables', table: tableName(table) }
  if (/^(?:object|array)_relation$/.test(type) && name !== undefined) {
    return { ...of, member: `${type}ships`, name }
  }
  return /_permission$/.test(type) && role !== undefined ? { ...of, member: `${type}s`, name: role } : null
}

/** The last change of an object in the metadata; a later change of the database broke it. */
function Since({ object }: { readonly object: Broken }) {
  const place = placeOf(object)
  const hasHistory = usePlugin('history')
  const history = useQuery({
    queryKey: ['metadata-history', 'last', place],
    enabled: hasHistory && place !== null,
    queryFn: ({ signal }) =>
      run<{ readonly versions: readonly Version[] }>('get_metadata_history', { object: place, limit: 1 }, { signal }),
  })
  const [last] = history.data?.versions ?? []
  if (!hasHistory || place === null || history.isPending) return null
  return (
    <p className={css['note']}>
      {last
        ? `Its metadata last changed in version ${last.version}, ${formatTime(last.at)}, by ${authorOf(last)}. `
        : 'The history has no change of its metadata. '}
      The database changed since then. <To path="govern/history">See the history</To>
    </p>
  )
}

interface SimilarProps {
  readonly object: Broken
  readonly canEdit: boolean
  onRename(done: string, work: () => Promise<unknown>): void
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Untracked tables whose names resemble the missing one: it may have been renamed, and can be named back. */
function Similar({ object: { type, definition }, canEdit, onRename }: SimilarProps) {
  const isTable = type === 'table'
  const tables = useQuery({ ...sourceTablesQuery, enabled: isTable }, queries)
  if (!isTable) return null
  const missing = tableName(definition as GivenTable)
  const isSimilar = ({ name, is_tracked }: SourceTable) => !is_tracked && distance(name, missing.name) <= similarWithin
  const similar = (tables.data ?? []).filter(isSimilar)
  if (similar.length === 0) return null
  return (
    <div className={css['line']}>
      <p className={css['note']}>
        The database has {similar.map((table) => tableLabel(table)).join(', ')}. A table that was renamed in the page
        SQL keeps its metadata; elsewhere it does not.
      </p>
      {canEdit &&
        similar
          .filter(({ schema, kind }) => schema === missing.schema && kind === 'table')
          .map((table) => (
            <Button
              key={table.name}
              onClick={() => {
                const sql = `alter table ${quoted(table.schema)}.${quoted(table.name)} rename to ${quoted(missing.name)}`
                const work = () =>
                  runAll([
                    { type: 'run_sql', args: { sql, check_metadata_consistency: false } },
                    { type: 'reload_metadata', args: {} },
                  ])
                onRename(`Renamed ${tableLabel(table)}`, work)
              }}
            >
              Rename {tableLabel(table)} to {missing.name}
            </Button>
          ))}
    </div>
  )
}
