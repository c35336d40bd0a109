// Reads the rows around a window of rows as its ends come into view.

import { useEffect } from 'react'

/** Rows from an end of the window at which more are read. */
const nearRows = 20

interface WindowProps {
  /** The first and the last row in view; those before the window count. */
  readonly first: number
  readonly last: number
  /** Rows before the window, and with those in it. */
  readonly offset: number
  readonly total: number
  /** Whether more rows follow. */
  readonly hasMore: boolean
  onMore(): void
  /** Reads the rows from this one, which are before the window. */
  onEarlier(row: number): void
}

/** Reads more rows where the view is near an end of the window. */
export function useWindow({ first, last, offset, total, hasMore, onMore, onEarlier }: WindowProps): void {
  useEffect(() => {
    if (hasMore && last >= total - nearRows) onMore()
  }, [last, total, hasMore, onMore])
  useEffect(() => {
    if (offset > 0 && first < offset + nearRows) onEarlier(Math.min(first, offset - 1))
  }, [first, offset, onEarlier])
}
