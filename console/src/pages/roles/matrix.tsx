import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useRowHeight } from '../../base/density.ts'
import { tableKey, tableLabel } from '../../server/names.ts'
import type { TableEntry } from '../../server/queries.ts'
import { pathOf, To, useGo } from '../../shell/navigation.tsx'
import { isForAllRows, type Permission, permissionOf, summary, type Verb, verbs } from '../data/permissions/verbs.ts'
import css from './matrix.module.css'
import { permissionsOf } from './role-facts.ts'

/** Pixels of a column of a role. */
const roleWidth = 104

interface MatrixProps {
  readonly tables: readonly TableEntry[]
  readonly roles: readonly string[]
}

/** Tables by roles, of which only the visible part is in the page: by the keyboard, arrows move and Enter opens. */
export function Matrix({ tables, roles }: MatrixProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const go = useGo()
  const [isNarrow, setNarrow] = useState(() => window.innerWidth < 560)
  const nameWidth = isNarrow ? 120 : 220
  useEffect(() => {
    const adjust = () => setNarrow(window.innerWidth < 560)
    window.addEventListener('resize', adjust)
    return () => window.removeEventListener('resize', adjust)
  }, [])
  // The role -1 is the name of the table, the row -1 the names of the roles.
  const [active, setActive] = useState<readonly [row: number, role: number]>([0, -1])
  const rowHeight = useRowHeight()
  const rows = useVirtualizer({
    ...{ count: tables.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 8 },
    scrollPaddingStart: rowHeight,
  })
  useLayoutEffect(() => rows.measure(), [rows, rowHeight])
  const columns = useVirtualizer({
    ...{ horizontal: true, count: roles.length, getScrollElement: () => scroller.current, overscan: 3 },
    ...{ estimateSize: () => roleWidth, scrollPaddingStart: nameWidth },
  })
  const row = Math.min(active[0], tables.length - 1)
  const column = Math.min(active[1], roles.length - 1)
  const cellId = (at: number, role: number) => `${id}-${at}-${role}`
  const pathOfCell = (at: number, role: number): string => {
    if (at < 0) return role < 0 ? 'roles' : pathOf('roles', roles[role]!)
    const path = permissionsOf(tables[at]!.table)
    return role < 0 ? path : `${path}?edit=${encodeURIComponent(`select ${roles[role]}`)}`
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === scroller.current) return go(pathOfCell(row, column))
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2)
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ...{ ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] },
      ...{ PageDown: [page, 0], PageUp: [-page, 0], Home: [0, -roles.length], End: [0, roles.length] },
    }
    const step = steps[event.key]
    if (!step || event.target !== scroller.current) return
    event.preventDefault()
    const next = [
      Math.min(tables.length - 1, Math.max(-1, row + step[0])),
      Math.min(roles.length - 1, Math.max(-1, column + step[1])),
    ] as const
    setActive(next)
    if (next[0] >= 0) rows.scrollToIndex(next[0])
    if (next[1] >= 0) columns.scrollToIndex(next[1])
  }
  const shown = columns.getVirtualItems()
  const width = nameWidth + columns.getTotalSize()
  const isActive = (at: number, role: number) => (at === row && role === column) || undefined
  const cells = (at: number, entry: TableEntry | null) =>
    shown.map(({ index, start }) => (
      <div
        key={roles[index]}
        id={cellId(at, index)}
        {...{ role: entry ? 'gridcell' : 'columnheader', 'aria-colindex': index + 2 }}
        data-active={isActive(at, index)}
        className={css['cell']}
        style={{ left: nameWidth + start, width: roleWidth }}
      >
        <To path={pathOfCell(at, index)} tabIndex={-1} className={css['open']} title={roles[index]}>
          {entry ? <Verbs entry={entry} role={roles[index]!} /> : roles[index]}
        </To>
      </div>
    ))
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label="Permissions"
      aria-rowcount={tables.length + 1}
      aria-colcount={roles.length + 1}
      aria-activedescendant={cellId(row, column)}
      tabIndex={0}
      className={css['grid']}
      onKeyDown={move}
    >
      <div role="row" aria-rowindex={1} className={`${css['row']} ${css['head']}`} style={{ width }}>
        <div
          id={cellId(-1, -1)}
          role="columnheader"
          aria-colindex={1}
          data-active={isActive(-1, -1)}
          className={css['name']}
          style={{ width: nameWidth }}
        >
          Table
        </div>
        {cells(-1, null)}
      </div>
      <div role="rowgroup" className={css['rows']} style={{ height: rows.getTotalSize(), width }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const entry = tables[index]!
          return (
            <div
              key={tableKey(entry.table)}
              role="row"
              aria-rowindex={index + 2}
              className={css['row']}
              style={{ transform: `translateY(${start}px)`, width }}
            >
              <div
                id={cellId(index, -1)}
                role="rowheader"
                aria-colindex={1}
                data-active={isActive(index, -1)}
                className={css['name']}
                style={{ width: nameWidth }}
              >
                <To path={pathOfCell(index, -1)} tabIndex={-1} className={css['open']}>
                  {tableLabel(entry.table)}
                </To>
              </div>
              {cells(index, entry)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** The verbs of a role on a table, each by its first letter at its place: filled for all rows, outlined for a rule. */
function Verbs({ entry, role }: { readonly entry: TableEntry; readonly role: string }) {
  const permissions = verbs.map((verb) => [verb, permissionOf(entry, role, verb)] as const)
  const words = permissions.flatMap(([verb, each]) => (each ? `${verb} ${summary(each, verb, null)}` : []))
  const text = words.length === 0 ? 'none' : words.join('; ')
  return (
    <span className={css['verbs']} role="img" aria-label={text} title={text}>
      {permissions.map(([verb, each]) => (
        <VerbMark key={verb} verb={verb} permission={each} />
      ))}
    </span>
  )
}

function VerbMark({ verb, permission }: { readonly verb: Verb; readonly permission: Permission | null }) {
  if (!permission) return <span>·</span>
  return (
    <span
      data-rows={isForAllRows(permission, verb) ? 'all' : 'rule'}
      data-some={Array.isArray(permission['columns']) || undefined}
    >
      {verb[0]!.toUpperCase()}
    </span>
  )
}

/** The signs of the matrix in words. */
export const MatrixLegend = () => (
  <p className={css['legend']}>
    <span>S, I, U, D: select, insert, update, delete</span>
    <span>
      <span className={css['verbs']} aria-hidden>
        <span data-rows="all">S</span>
      </span>
      filled: all rows
    </span>
    <span>
      <span className={css['verbs']} aria-hidden>
        <span data-rows="rule">S</span>
      </span>
      outlined: by a rule
    </span>
    <span>
      <span className={css['verbs']} aria-hidden>
        <span data-rows="all" data-some>
          S
        </span>
      </span>
      underlined: named columns
    </span>
  </p>
)
