import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCount, plural } from '../../../base/format.ts'
import { memberOf } from '../../../base/members.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Failed, Loading } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toast.tsx'
import { useAttempt } from '../../../parts/use-attempt.ts'
import type { Identity } from '../../../requests/identity.ts'
import { tableLabel } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import type { Condition } from './filter.ts'
import type { GridColumn, GridRow } from './model.ts'
import css from './rows.module.css'
import { argumentOf } from './save.ts'

/** Rows that are named. */
const namedRows = 10

interface DeleteProps {
  readonly info: TableInfo
  readonly as: Identity
  readonly rows: readonly GridRow[]
  readonly columns: readonly GridColumn[]
  /** The filter; null: all rows of the table match. */
  readonly condition: Condition | null
  /** Whether rows match that are not among the chosen ones. */
  readonly hasOthers: boolean
  /** Stages that the chosen rows go. */
  onStage(): void
  /** Called when all that match are deleted. */
  onDeleted(): void
  onClose(): void
}

/** Deleting rows: it names them, and those of other tables that their foreign keys take with them. */
export function DeleteDialog(props: DeleteProps) {
  const [isAll, setAll] = useState(false)
  const { rows, hasOthers, onStage, onClose } = props
  if (isAll) return <DeleteAll {...props} />
  return (
    <Dialog
      isOpen
      title={`Delete ${plural(rows.length, 'row')}`}
      description={`${rows.length === 1 ? 'It is marked now, and deleted' : 'They are marked now, and deleted'} when you save.`}
      onClose={onClose}
      actions={
        <>
          {hasOthers && (
            <Button look="quiet" onClick={() => setAll(true)}>
              Delete all that match
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" onClick={onStage}>
            Mark {plural(rows.length, 'row')}
          </Button>
        </>
      }
    >
      <ul className={css['named']}>
        {rows.slice(0, namedRows).map((row) => (
          <li key={row.reactKey}>{nameOf(row, props.columns)}</li>
        ))}
        {rows.length > namedRows && <li>and {formatCount(rows.length - namedRows)} more</li>}
      </ul>
      <Dependents {...props} />
    </Dialog>
  )
}

/** A row by its key and its first other text. */
function nameOf({ key, cells }: GridRow, columns: readonly GridColumn[]): string {
  const label = columns.find(({ type, isKey }) => !isKey && (type === 'text' || type === 'varchar'))
  const text = label && memberOf(cells, label.name)
  const keyed = Object.entries(key).map(([name, value]) => `${name} ${value ?? 'NULL'}`)
  return [keyed.join(', '), ...(text ? [text] : [])].join(': ')
}

const effects: Readonly<Record<string, string>> = {
  cascade: 'deleted, too',
  'set null': 'kept, and their column becomes NULL',
  'set default': 'kept, and their column gets its default',
  restrict: 'in the way: PostgreSQL refuses',
  'no action': 'in the way: PostgreSQL refuses',
}

/** The rows of other tables that lead to the chosen ones, with the effect of the deletion on them. */
function Dependents({ info, as, rows }: DeleteProps) {
  const types = typesOf(info)
  const ways = info.referenced_by.flatMap((reference) => {
    const pairs = Object.entries(reference.column_mapping)
    const keys = rows.flatMap(({ cells, key }) => {
      const values = pairs.map(
        ([from, to]) => [from, memberOf(cells, to) ?? memberOf(key, to) ?? null, types.get(to)] as const,
      )
      if (values.some(([, value]) => value === null)) return []
      return [{ _and: values.map(([from, value, type]) => ({ [from]: { _eq: argumentOf(value, type) } })) }]
    })
    return keys.length === 0 ? [] : [{ reference, where: { _or: keys } }]
  })
  const key = ['rows', 'dependents', ways, as]
  const counts = useQuery({
    ...{ queryKey: key, enabled: ways.length > 0, gcTime: 0 },
    queryFn: ({ signal }) =>
      run<readonly ({ readonly count: number } | { readonly error: string })[]>(
        'bulk_keep_going',
        ways.map(({ reference: { table }, where }) => ({ type: 'count', args: { table, where } })),
        { as, signal },
      ),
  })
  if (ways.length === 0) return <p className={css['type']}>No foreign key leads to this table.</p>
  if (counts.isPending) return <Loading label="Counting the rows that lead here" queryKey={key} />
  if (counts.isError) return <Failed error={counts.error} onRetry={() => void counts.refetch()} />
  const found = ways.flatMap(({ reference }, index) => {
    const answer = counts.data[index]
    return answer && (!('count' in answer) || answer.count > 0) ? [{ reference, answer }] : []
  })
  if (found.length === 0) return <p className={css['type']}>No row of another table leads to them.</p>
  return (
    <ul className={css['named']}>
      {found.map(({ reference: { table, constraint, on_delete }, answer }) => (
        <li key={constraint}>
          <Mark state={on_delete === 'cascade' || !on_delete.startsWith('set') ? 'bad' : 'waiting'}>
            {'count' in answer
              ? `${plural(answer.count, 'row')} of ${tableLabel(table)}: ${effects[on_delete] ?? on_delete}`
              : `${tableLabel(table)}: ${answer.error}`}
          </Mark>
        </li>
      ))}
    </ul>
  )
}

/** Deletes all rows that match at once. Their number is typed first. */
function DeleteAll({ info, as, condition, onDeleted, onClose }: DeleteProps) {
  const [typed, setTyped] = useState('')
  const { isBusy, error, attempt } = useAttempt()
  const table = info.name
  const where = condition ?? {}
  const key = ['rows', 'count', table, where, as]
  const counted = useQuery({
    ...{ queryKey: key, gcTime: 0, staleTime: 0 },
    queryFn: ({ signal }) => run<{ readonly count: number }>('count', { table, where }, { as, signal }),
  })
  const count = counted.data?.count
  const remove = () =>
    attempt(async () => {
      const { affected_rows: gone } = await run<{ readonly affected_rows: number }>('delete', { table, where }, { as })
      toast(`Deleted ${plural(gone, 'row')}`)
      onDeleted()
    })
  return (
    <Dialog
      isOpen
      title="Delete all that match"
      description={
        condition === null
          ? `All rows of ${tableLabel(table)} are deleted at once. This cannot be undone.`
          : 'All rows that match the filter are deleted at once, also those that are not shown. This cannot be undone.'
      }
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            isBusy={isBusy}
            disabled={count === undefined || typed.replaceAll(/[\s,]/g, '') !== String(count)}
            onClick={() => void remove()}
          >
            {count === undefined ? 'Delete rows' : `Delete ${plural(count, 'row')}`}
          </Button>
        </>
      }
    >
      {counted.isPending && <Loading label="Counting the rows" queryKey={key} />}
      {counted.isError && <Failed error={counted.error} onRetry={() => void counted.refetch()} />}
      {count !== undefined && (
        <Field
          label={`${formatCount(count)} rows match. Type their number to delete them`}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {info.referenced_by.length > 0 && (
        <p className={css['type']}>
          Foreign keys lead here:{' '}
          {info.referenced_by
            .map(({ table: from, on_delete }) => `${tableLabel(from)} (on delete ${on_delete})`)
            .join(', ')}
        </p>
      )}
      {error !== null && <Failed error={error} />}
    </Dialog>
  )
}
