import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { Button } from '../../../../parts/button.tsx'
import { Failed, Loading } from '../../../../parts/states.tsx'
import type { Identity } from '../../../../requests/identity.ts'
import { tableLabel } from '../../../../server/names.ts'
import { pathOf, To } from '../../../../shell/navigation.tsx'
import { type Cells, cellsOf, labelOf } from '../../labels.ts'
import { pairsText } from '../../relations/relationships.ts'
import type { TableInfo } from '../../table-info.ts'
import { typesOf } from '../../types.ts'
import { CellText } from '../cell.tsx'
import { filterFor } from '../filter.ts'
import type { BrowsedRows } from '../model.ts'
import type { Link } from './links.ts'
import { conditionOf, type FirstRows, firstRowsQuery } from './reads.ts'
import css from './related.module.css'

interface RecordProps {
  readonly row: BrowsedRows
  readonly cells: Cells
  readonly info: TableInfo
  readonly links: readonly Link[]
  readonly as: Identity
  /** Goes to a row of a link; null: to its only row, or to all of them. */
  onGo(link: Link, key: readonly string[] | null): void
}

/** A row: its cells, and the rows that it is related to. */
export function Record({ row, cells, info, links, as, onGo }: RecordProps) {
  const types = typesOf(info)
  const ways = links.map((link) => ({ link, where: conditionOf(link, cells, types) }))
  const leading = ways.flatMap(({ link, where }) => (where ? [{ link, where }] : []))
  const asked = firstRowsQuery(
    leading.map(({ link, where }) => ({ to: link.to, where })),
    as,
  )
  const first = useQuery(asked)
  const cut = new Map(row.truncated.map(({ column, bytes }) => [column, bytes]))
  const key = (row.key ?? []).map((name) => filterFor(name, cells.get(name) ?? null)).join(' and ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['body']} aria-label="Row" tabIndex={0}>
      <dl className={css['cells']}>
        {row.columns.map(({ name }) => (
          <div key={name} className={css['pair']}>
            <dt>{name}</dt>
            <dd>
              <CellText value={cells.get(name) ?? null} bytes={cut.get(name)} />
            </dd>
          </div>
        ))}
      </dl>
      {key !== '' && (
        <To
          className={css['open']}
          path={`${pathOf('data', info.name.schema, info.name.name)}?where=${encodeURIComponent(key)}`}
        >
          Open in {tableLabel(info.name)}
        </To>
      )}
      {links.length === 0 && <p className={css['note']}>No relationship and no foreign key leads from here.</p>}
      {first.isError && <Failed error={first.error} onRetry={() => void first.refetch()} />}
      {ways.map(({ link, where }) => (
        <LinkSection
          key={link.id}
          link={link}
          isNull={where === null}
          first={first.data?.[leading.findIndex((each) => each.link === link)]}
          isLoading={first.isPending}
          onGo={(chosen) => onGo(link, chosen)}
        />
      ))}
    </section>
  )
}

interface LinkSectionProps {
  readonly link: Link
  readonly isNull: boolean
  /** Absent: they were not read. */
  readonly first: FirstRows | undefined
  readonly isLoading: boolean
  onGo(key: readonly string[] | null): void
}

/** A link with its first rows. */
function LinkSection({ link, isNull, first, isLoading, onGo }: LinkSectionProps) {
  return (
    <section className={css['link']} aria-label={link.title}>
      <h3 className={css['linkHead']}>
        <span>{link.title}</span>
        <span className={css['note']}>
          {link.kind === 'one' ? 'one' : 'many'} of {tableLabel(link.to)} by {pairsText(link.columns)}
        </span>
      </h3>
      {isNull && <p className={css['note']}>NULL leads to no row</p>}
      {!isNull && isLoading && <Loading label={`Reading ${link.title}`} />}
      {!isNull && !isLoading && !first && (
        <Button look="quiet" data-link onClick={() => onGo(null)}>
          Read {link.title}
        </Button>
      )}
      {first && 'error' in first && <p className={css['note']}>{first.error.message}</p>}
      {first && 'rows' in first && (
        <>
          {first.rows.rows.length === 0 && <p className={css['note']}>no row</p>}
          <RowList rows={first.rows} onChoose={(key) => onGo(link.kind === 'one' ? null : key)} />
          {first.hasMore && (
            <Button look="quiet" data-link onClick={() => onGo(null)}>
              All rows of {link.title}
            </Button>
          )}
        </>
      )}
    </section>
  )
}

/** Rows in a few words each; one that has a key opens. */
export function RowList({ rows, onChoose }: { readonly rows: BrowsedRows; onChoose(key: readonly string[]): void }) {
  return (
    <ul>
      {cellsOf(rows).map((cells, index) => {
        const key = rows.key?.map((name) => cells.get(name) ?? '')
        const text = labelOf(rows, cells)
        return (
          <li key={key ? key.join('\n') : index}>
            {key ? (
              <button type="button" data-link className={css['row']} onClick={() => onChoose(key)}>
                <ArrowRight aria-hidden />
                <span className={css['rowText']}>{text}</span>
              </button>
            ) : (
              <span className={css['row']}>{text}</span>
            )}
          </li>
        )
      })}
    </ul>
  )
}
