import type { BrowsedRows } from './model.ts'

/** Rows that one request fetches. */
export const pageRows = 100

type Count = BrowsedRows['count']

/**
 * Where a page of rows begins. It leads back to the pages before it, which are read again by their cursors.
 * It is a class: TanStack Query would compare plain objects member by member, through all pages before.
 */
export class PageStart {
  /** The cursor; null: the first page. */
  readonly after: string | null
  /** Pages before this one. */
  readonly number: number
  readonly before: PageStart | null
  /** The number of all rows, which the first page tells. */
  readonly count: Count

  private constructor(after: string | null, number: number, before: PageStart | null, count: Count) {
    this.after = after
    this.number = number
    this.before = before
    this.count = count
  }

  /** The start of the first page. */
  static readonly first = new PageStart(null, 0, null, undefined)

  /** The start of the page after this one; null: this is the last page. */
  next(page: BrowsedRows): PageStart | null {
    if (page.rows.length < pageRows || page.next === null) return null
    return new PageStart(page.next, this.number + 1, this, this.count ?? page.count)
  }

  /** The start of an earlier page. */
  earlier(number: number): PageStart {
    let start: PageStart = this
    while (start.before && start.number > number) start = start.before
    return start
  }
}
