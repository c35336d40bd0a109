import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import { formatCount, plural } from '../../../base/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { type Identity, identityText } from '../../../requests/identity.ts'
import { entryOf, type Metadata, metadataQuery } from '../../../server/queries.ts'
import { pathOf, To } from '../../../shell/navigation.tsx'
import { type Permission, permissionOf } from '../permissions/verbs.ts'
import type { GridColumn, GridRow } from '../rows/model.ts'
import { useIsNarrow } from '../rows/use-narrow.ts'
import { variablesIn } from '../rules/variables.ts'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import { lookQuery, type Seen } from './look.ts'
import css from './look-as.module.css'
import { LookBar } from './look-bar.tsx'
import { Pane } from './pane.tsx'
import { WhyDialog } from './why-dialog.tsx'

interface LookAsProps {
  readonly info: TableInfo
  readonly columns: readonly GridColumn[]
  readonly rows: readonly GridRow[]
  /** Rows before those. */
  readonly offset: number
  readonly hasMore: boolean
  readonly look: Identity
  onMore(): void
  /** Reads the rows from this one, which are before those that are shown. */
  onEarlier(row: number): void
  onLook(look: Identity): void
  onClose(): void
}

/** The rows of the administrator beside those of a role. */
export function LookAs(props: LookAsProps) {
  const metadata = useQuery(metadataQuery)
  if (metadata.isPending) return <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  return <Looking {...props} metadata={metadata.data} />
}

function Looking({
  info,
  metadata,
  columns,
  rows,
  offset,
  hasMore,
  look,
  onMore,
  onEarlier,
  onLook,
  onClose,
}: LookAsProps & { readonly metadata: Metadata }) {
  const entry = entryOf(metadata, info.name)
  const role = look.role ?? ''
  const permission = permissionOf(entry, role, 'select')
  const missing = variablesIn(permission?.['filter']).filter((name) => !look.variables[name])
  const limit = permission?.['limit']
  const query = lookQuery({
    ...{ table: info.name, as: look, rows, types: typesOf(info) },
    limit: typeof limit === 'number' ? limit : null,
    readsKey: permission && readsAll(permission, rows),
  })
  const isReady = role !== '' && missing.length === 0
  const seen = useQuery({ ...query, enabled: isReady, placeholderData: (before) => before })
  const [asked, setAsked] = useState<GridRow | null>(null)
  return (
    <>
      <LookBar
        {...{ look, metadata, onLook }}
        names={variablesIn(permission?.['filter'])}
        actions={
          <Button look="quiet" icon={<X aria-hidden />} onClick={onClose}>
            Close
          </Button>
        }
      />
      {!isReady && (
        <Empty title={role === '' ? 'Choose a role' : `${role} needs a value`}>
          {role === ''
            ? 'Its rows are shown beside yours: hatched where the role does not get them.'
            : `The rule of ${role} compares with ${missing.join(', ')}.`}
        </Empty>
      )}
      {isReady && seen.isPending && <Loading label={`Reading as ${role}`} queryKey={query.queryKey} />}
      {isReady && seen.isError && (
        <>
          <Failed error={seen.error} onRetry={() => void seen.refetch()} />
          {permission === null && (
            <p className={css['give']}>
              <To path={`${permissionsPath(info)}?edit=${encodeURIComponent(`select ${role}`)}`}>
                Give {role} a permission to select
              </To>
            </p>
          )}
        </>
      )}
      {isReady && seen.data && !seen.isError && (
        <Sides {...{ columns, rows, offset, hasMore, look, onMore, onEarlier }} seen={seen.data} onWhy={setAsked} />
      )}
      {isReady && seen.data && !seen.isError && (
        <div className={css['foot']} role="status">
          {sentence(role, seen.data)}
        </div>
      )}
      {asked && seen.data && (
        <WhyDialog
          {...{ info, metadata, look }}
          row={asked}
          isSeen={asked.id !== null && seen.data.rows.has(asked.id)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

const permissionsPath = ({ name }: TableInfo): string => pathOf('data', name.schema, name.name, 'permissions')

function sentence(role: string, { rows: seen, asked, count, isJudged }: Seen): string {
  const all = count === null ? '' : `, and ${formatCount(count)} in all`
  const how = isJudged ? '. It may not read the key: its rule judges each row, with the values of admin' : ''
  return `${role} gets ${formatCount(seen.size)} of the ${plural(asked.size, 'row')} shown${all}${how}`
}

/** Whether a permission has all columns of the keys of rows. */
function readsAll({ columns }: Permission, rows: readonly GridRow[]): boolean {
  const key = Object.keys(rows.find(({ id }) => id !== null)?.key ?? {})
  return columns === '*' || (Array.isArray(columns) && key.every((name) => columns.includes(name)))
}

interface SidesProps
  extends Pick<LookAsProps, 'columns' | 'rows' | 'offset' | 'hasMore' | 'look' | 'onMore' | 'onEarlier'> {
  readonly seen: Seen
  onWhy(row: GridRow): void
}

/** Two grids that scroll together; where the page is narrow, the role's alone. */
function Sides({ look, seen, onWhy, ...rows }: SidesProps) {
  const isNarrow = useIsNarrow()
  const left = useRef<HTMLDivElement>(null)
  const right = useRef<HTMLDivElement>(null)
  const follow = (from: HTMLDivElement | null, to: HTMLDivElement | null) => {
    if (!from || !to) return
    to.scrollTop = from.scrollTop
    to.scrollLeft = from.scrollLeft
  }
  return (
    <div className={css['sides']}>
      {!isNarrow && <Pane ref={left} label="As admin" {...rows} onScroll={() => follow(left.current, right.current)} />}
      <Pane
        ref={right}
        label={`As ${identityText(look)}`}
        {...{ ...rows, seen, onWhy }}
        role={look.role ?? ''}
        onScroll={() => follow(right.current, left.current)}
      />
    </div>
  )
}
