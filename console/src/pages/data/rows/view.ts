// The rows of the page: the choices in the address, the rows that were read, and the edits on top of them.

import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { memberOf } from '../../../base/members.ts'
import { useStore } from '../../../base/store.ts'
import { identity } from '../../../requests/identity.ts'
import { readOnly } from '../../../requests/mode.ts'
import { run } from '../../../server/operations.ts'
import { entryOf, metadataQuery } from '../../../server/queries.ts'
import { useUrlState } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import { listText, useRowsAddress } from './address.ts'
import { type Browsing, useBrowsedRows } from './browse.ts'
import { columnsOf, type GridColumn, type GridRow, rowsOf } from './model.ts'
import { referencesOf } from './references.ts'
import { linksByColumn, linksOf } from './related/links.ts'
import { pathText, readPath } from './related/path.ts'
import { useStaging } from './staging.ts'

/** The rows of a table as they are shown, and the ways to change that. */
export type RowsView = ReturnType<typeof useRowsView>

/** Reads the rows that the address asks for. */
export function useRowsView(info: TableInfo) {
  const as = useStore(identity)
  const mayEdit = useStore(readOnly) === null
  const address = useRowsAddress(info)
  const { order, names, condition, fault, change } = address
  const [lookText, setLook] = useUrlState('as')
  const [relatedText, setRelated] = useUrlState('at')
  const staging = useStaging(info.name)
  const browsing = useMemo(
    () => ({ info, as, names, order, condition, isReady: fault === null }),
    [info, as, names, order, condition, fault],
  )
  const browsed = useBrowsedRows(browsing)
  const { pages } = browsed
  const first = pages?.[0]
  const columns = useMemo(() => {
    if (!first) return []
    const all = columnsOf(names, first, info)
    // A role gets the columns that it may read, and no others.
    return as.role === null ? all : all.filter(({ name }) => first.columns.some((each) => each.name === name))
  }, [first, info, names, as])
  const shown = useMemo(() => rowsOf(pages ?? [], staging.staged), [pages, staging.staged])
  const metadata = useQuery(metadataQuery).data
  const links = useMemo(() => linksByColumn(linksOf(metadata && entryOf(metadata, info.name), info)), [metadata, info])
  const hasKey = first?.key !== null
  // Rows are compared with those of the administrator, which are all rows.
  const isLooking = lookText !== '' && as.role === null && hasKey
  return {
    ...{ info, as, ...address, ...browsed, staging, columns, shown, links, lookText, isLooking, hasKey, setLook },
    references: useMemo(() => referencesOf(info), [info]),
    exact: useExactCount(browsing),
    canEdit: mayEdit && hasKey,
    hasMore: browsed.rows.hasNextPage,
    path: isLooking || !hasKey ? null : readPath(relatedText),
    setRelated,
    reorder: (next: readonly string[]) => change({ order: listText(next), from: '' }),
    /** Shows the related rows of a row; of a column that leads to one: that row. */
    follow(row: GridRow, column: GridColumn | null) {
      if (row.state === 'inserted' || row.id === null) return
      const link = column && links.get(column.name)
      const steps = link && memberOf(row.cells, column.name) ? [{ link: link.id, key: null }] : []
      setRelated(pathText({ key: Object.values(row.key).map((cell) => cell ?? ''), steps }))
    },
  }
}

/** The exact number of rows that match, once it is asked for. */
function useExactCount({ info, as, condition }: Browsing) {
  const [counted, setCounted] = useState<{ readonly of: string; readonly count: number } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const of = JSON.stringify([as, condition])
  const ask = useCallback(async () => {
    setBusy(true)
    try {
      const args = { table: info.name, ...(condition !== null && { where: condition }) }
      const { count } = await run<{ readonly count: number }>('count', args, { as })
      setCounted({ of, count })
    } finally {
      setBusy(false)
    }
  }, [of, info, as, condition])
  return { ask, isBusy, count: counted?.of === of ? counted.count : null }
}
