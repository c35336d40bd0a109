import { useInfiniteQuery } from '@tanstack/react-query'
import { plural } from '../../../../base/format.ts'
import { Button } from '../../../../parts/button.tsx'
import { Failed, Loading } from '../../../../parts/states.tsx'
import type { Identity } from '../../../../requests/identity.ts'
import { tableLabel } from '../../../../server/names.ts'
import { pathOf, To } from '../../../../shell/navigation.tsx'
import type { Cells } from '../../labels.ts'
import { filterOf, type Link } from './links.ts'
import { allRowsQuery } from './reads.ts'
import { RowList } from './record.tsx'
import css from './related.module.css'

interface LinkRowsProps {
  readonly link: Link
  /** The row that they belong to. */
  readonly cells: Cells
  readonly where: object
  readonly as: Identity
  onChoose(key: readonly string[]): void
}

/** All rows of a link. */
export function LinkRows({ link, cells, where, as, onChoose }: LinkRowsProps) {
  const asked = allRowsQuery({ table: link.to, where, as })
  const rows = useInfiniteQuery(asked)
  const filter = filterOf(link, cells)
  const pages = rows.data?.pages ?? []
  const count = pages.reduce((sum, page) => sum + page.rows.length, 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['body']} aria-label={link.title} tabIndex={0}>
      {rows.isError && <Failed error={rows.error} onRetry={() => void rows.refetch()} />}
      {rows.isPending && <Loading label="Reading rows" queryKey={asked.queryKey} />}
      {rows.data && (
        <p className={css['note']}>
          {rows.hasNextPage ? `the first ${plural(count, 'row')}` : plural(count, 'row')} of {tableLabel(link.to)}
        </p>
      )}
      {filter !== null && (
        <To
          className={css['open']}
          path={`${pathOf('data', link.to.schema, link.to.name)}?where=${encodeURIComponent(filter)}`}
        >
          Open in {tableLabel(link.to)}
        </To>
      )}
      {pages.map((page) => (
        <RowList key={page.next ?? 'last'} rows={page} onChoose={onChoose} />
      ))}
      {rows.hasNextPage && (
        <Button look="quiet" isBusy={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
          Show more rows
        </Button>
      )}
    </section>
  )
}
