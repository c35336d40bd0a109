// Reading the rows of a table page by page, and columns that come into view.

import { type InfiniteData, useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import { formatCount, formatEstimate, plural } from '../../../base/format.ts'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import type { TableInfo } from '../table-info.ts'
import type { Condition } from './filter.ts'
import type { ShownPart } from './grid.tsx'
import type { BrowsedRows } from './model.ts'
import { PageStart, pageRows } from './page-start.ts'

/** Pages that stay in the page: 2,000 rows, beyond which those at the other end go. */
const keptPages = 20
/** Columns that one request fetches. */
const fetchedColumns = 40

/** Which rows and columns, in which order, as whom. */
export interface Browsing {
  readonly info: TableInfo
  readonly as: Identity
  /** The columns that are shown, the pinned ones first. */
  readonly names: readonly string[]
  readonly order: readonly string[]
  readonly condition: Condition | null
  /** Absent: the filter cannot be read. */
  readonly isReady: boolean
}

/** Columns by the requests that fetch them: the first ones with the key, and parts that follow as they come into view. */
function partsOf({ info, names }: Browsing): readonly (readonly string[])[] {
  const key = info.primary_key
  const all = [...new Set([...(key ?? []), ...names])]
  // Rows without a key have one page, and nothing to tell which row is which.
  if (key === null) return [all]
  const parts = [all.slice(0, fetchedColumns)]
  // The key tells which row is which.
  for (let at = fetchedColumns; at < all.length; at += fetchedColumns) {
    parts.push([...key, ...all.slice(at, at + fetchedColumns)])
  }
  return parts
}

interface Page {
  readonly table: TableName
  readonly as: Identity
  readonly columns: readonly string[]
  readonly order: readonly string[]
  readonly condition: Condition | null
  readonly after: string | null
  readonly hasCount: boolean
}

const readPage = (
  { table, as, columns, order, condition, after, hasCount }: Page,
  signal: AbortSignal,
): Promise<BrowsedRows> =>
  run(
    'browse_rows',
    {
      ...{ table, limit: pageRows },
      // A role may read fewer columns than the administrator knows: it gets those that it has.
      ...(as.role === null && { columns }),
      ...(condition !== null && { where: condition }),
      ...(order.length > 0 && { order_by: order }),
      ...(after !== null && { after }),
      ...(hasCount && { count: condition === null && as.role === null ? 'estimate' : { exact_within_ms: 500 } }),
    },
    { as, signal },
  )

type Pages = InfiniteData<BrowsedRows, PageStart>

/** A window over the rows of a table, with the ways to those after and before it. */
export function useBrowsedRows(browsing: Browsing) {
  const { info, as, order, condition, isReady } = browsing
  const table = info.name
  const parts = useMemo(() => partsOf(browsing), [browsing.info, browsing.names])
  const [first = []] = parts
  const key = ['rows', table, as, first, order, condition]
  const read = ({ after }: PageStart, signal: AbortSignal) =>
    readPage({ table, as, columns: first, order, condition, after, hasCount: after === null }, signal)
  const rows = useInfiniteQuery<BrowsedRows, Error, Pages, readonly unknown[], PageStart>({
    queryKey: key,
    enabled: isReady,
    staleTime: 0,
    maxPages: keptPages,
    initialPageParam: PageStart.first,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: (page, _, start) => start.next(page),
    getPreviousPageParam: (_, __, start) => start.before,
    placeholderData: (before) => before,
  })
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = rows
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const start = rows.data?.pageParams[0]
  const earlier = useEarlierRows({ key, read, rows, start })
  const { pages, onShown } = useMoreColumns(browsing, parts, rows.data)
  return { rows, key, pages, more, onShown, ...earlier, offset: (start?.number ?? 0) * pageRows }
}

interface EarlierOptions {
  readonly key: readonly unknown[]
  read(start: PageStart, signal: AbortSignal): Promise<BrowsedRows>
  readonly rows: Pick<
    ReturnType<typeof useInfiniteQuery<BrowsedRows, Error, Pages, readonly unknown[], PageStart>>,
    'hasPreviousPage' | 'fetchPreviousPage' | 'refetch'
  >
  /** Where the window begins. */
  readonly start: PageStart | undefined
}

/** Reads rows before the window again. */
function useEarlierRows({ key, read, rows, start }: EarlierOptions) {
  const client = useQueryClient()
  const isBusy = useRef(false)
  const [earlierError, setError] = useState<unknown>(null)
  /** The page before the window. */
  const before = async () => {
    const { data } = await rows.fetchPreviousPage({ cancelRefetch: false })
    const follows = data?.pageParams[1]
    // Rows came or went there since it was read first: the pages after it begin elsewhere.
    if (follows && data.pages[0]?.next !== follows.after) await rows.refetch()
  }
  /** A page further away, from which the window begins anew; with the next one, so that it fills the height. */
  const from = async (at: PageStart) => {
    await client.cancelQueries({ queryKey: key, exact: true })
    const { signal } = new AbortController()
    const page = await read(at, signal)
    const next = at.next(page)
    const pages = next ? [page, await read(next, signal)] : [page]
    client.setQueryData<Pages>(key, { pages, pageParams: next ? [at, next] : [at] })
  }
  const latest = useRef({ before, from })
  latest.current = { before, from }
  const { hasPreviousPage } = rows
  /** Reads the rows from this one, which is before the window or soon will be. */
  const earlier = useCallback(
    async (row: number) => {
      if (!start || !hasPreviousPage || isBusy.current) return
      isBusy.current = true
      const number = Math.max(0, Math.floor(row / pageRows))
      try {
        await (number < start.number - 1 ? latest.current.from(start.earlier(number)) : latest.current.before())
        setError(null)
      } catch (error) {
        setError(error)
      } finally {
        isBusy.current = false
      }
    },
    [start, hasPreviousPage],
  )
  return { earlier, earlierError }
}

/** The pages with the columns that came into view since. */
function useMoreColumns({ info, as, order, condition }: Browsing, parts: readonly (readonly string[])[], data?: Pages) {
  const table = info.name
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set())
  const onShown = useCallback(
    ({ columns, firstRow, lastRow }: ShownPart) => {
      const [first = []] = parts
      const shown = new Set(columns.filter((name) => !first.includes(name)))
      const places = parts.flatMap((part, index) => {
        if (index === 0 || !part.some((name) => shown.has(name))) return []
        const pages = [Math.floor(firstRow / pageRows), Math.floor(lastRow / pageRows)]
        return pages.map((page) => `${page} ${index}`)
      })
      setWanted((before) => (places.every((place) => before.has(place)) ? before : new Set([...before, ...places])))
    },
    [parts],
  )
  const asked = useMemo(
    () =>
      [...wanted].flatMap((place) => {
        const [page, part] = place.split(' ').map(Number) as [number, number]
        const columns = parts[part]
        const start = data?.pageParams.find(({ number }) => number === page)
        return as.role === null && columns && start ? [{ page, columns, after: start.after }] : []
      }),
    [wanted, parts, data, as],
  )
  const answers = useQueries({
    queries: asked.map(({ columns, after }) => ({
      queryKey: ['rows', table, as, columns, order, condition, after],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        readPage({ table, as, columns, order, condition, after, hasCount: false }, signal),
    })),
    combine: (results) => results.map(({ data: page }) => page),
  })
  const pages = useMemo(
    () =>
      data?.pages.map((page, index) => {
        const start = data.pageParams[index]!
        const added = asked.flatMap((each, at) => (each.page === start.number && answers[at] ? [answers[at]] : []))
        const counted = start.count === undefined ? page : { ...page, count: start.count }
        return added.length === 0 ? counted : widened(counted, added)
      }),
    [data, asked, answers],
  )
  return { pages, onShown }
}

const keyOf = ({ columns, key }: BrowsedRows, row: readonly (string | null)[]): string =>
  JSON.stringify((key ?? []).map((name) => row[columns.findIndex((column) => column.name === name)]))

/** A page with the columns of other answers for its rows. A row that they do not have keeps its places empty. */
function widened(page: BrowsedRows, added: readonly BrowsedRows[]): BrowsedRows {
  const known = new Set(page.columns.map(({ name }) => name))
  const others = added.map((answer) => ({
    answer,
    columns: answer.columns.flatMap(({ name }, at) => (known.has(name) ? [] : [at])),
    rows: new Map(answer.rows.map((row, index) => [keyOf(answer, row), { row, index }])),
  }))
  const truncated = [...page.truncated]
  const rows = page.rows.map((row, index) => {
    const key = keyOf(page, row)
    return [
      ...row,
      ...others.flatMap(({ answer, columns, rows: found }) => {
        const other = found.get(key)
        if (!other) return columns.map(() => undefined as unknown as string | null)
        for (const cut of answer.truncated) if (cut.row === other.index) truncated.push({ ...cut, row: index })
        return columns.map((at) => other.row[at] ?? null)
      }),
    ]
  })
  const columns = others.flatMap(({ answer, columns: places }) => places.map((at) => answer.columns[at]!))
  return { ...page, columns: [...page.columns, ...columns], rows, truncated }
}

/** Which rows are shown, of how many. `offset`: rows before those. */
export function countText(
  pages: readonly BrowsedRows[],
  { hasMore, exact, offset }: { readonly hasMore: boolean; readonly exact: number | null; readonly offset: number },
): string {
  const end = offset + pages.reduce((sum, { rows }) => sum + rows.length, 0)
  const shown = offset === 0 ? formatCount(end) : `rows ${formatCount(offset + 1)} to ${formatCount(end)}`
  const count = pages[0]?.count
  if (!hasMore) return offset === 0 ? plural(end, 'row') : `${shown} of ${formatCount(end)}`
  const unit = offset === 0 ? ' rows' : ''
  if (exact !== null) return `${shown} of ${formatCount(exact)}${unit}`
  if (!count) return offset === 0 ? `the first ${plural(end, 'row')}` : shown
  return `${shown} of ${count.is_exact ? formatCount(count.value) : formatEstimate(count.value)}${unit}`
}

/** Whether the number of rows is known. */
export const isCounted = (pages: readonly BrowsedRows[], hasMore: boolean): boolean =>
  !hasMore || pages[0]?.count?.is_exact === true
