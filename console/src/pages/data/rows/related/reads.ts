// Reading related rows: a row, the first rows of each of its links in one request, and all rows of one link.

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { RequestFailed } from '../../../../requests/failure.ts'
import type { Identity } from '../../../../requests/identity.ts'
import type { TableName } from '../../../../server/names.ts'
import { run } from '../../../../server/operations.ts'
import type { Cells } from '../../labels.ts'
import type { BrowsedRows } from '../model.ts'
import { argumentOf } from '../save.ts'
import type { Link } from './links.ts'

/** Rows that are shown of each link. */
const shownRows = 3
/** Characters of a cell that are read. */
const rowCharacters = 400
const labelCharacters = 60
/** Rows of a link that one request reads. */
const pageRows = 50
/** Links whose rows are read unasked. */
const readLinks = 20

/** Which row, and as whom. */
export interface Asked {
  readonly table: TableName
  readonly where: object
  readonly as: Identity
}

/** One row, with its cells up to some characters. */
export const rowQuery = ({ table, where, as }: Asked) =>
  queryOptions({
    queryKey: ['rows', table, 'related', where, as],
    queryFn: ({ signal }) =>
      run<BrowsedRows>('browse_rows', { table, where, limit: 1, preview_bytes: rowCharacters }, { as, signal }),
  })

/** The condition of the rows that a row leads to; null: a NULL leads nowhere. */
export function conditionOf({ columns }: Link, cells: Cells, types: ReadonlyMap<string, string>): object | null {
  const pairs = columns.map(([from, to]) => ({ to, text: cells.get(from) ?? null, type: types.get(from) }))
  if (pairs.some(({ text }) => text === null)) return null
  return { _and: pairs.map(({ to, text, type }) => ({ [to]: { _eq: argumentOf(text, type) } })) }
}

/** The first rows of a link, or why they cannot be read. */
export type FirstRows = { readonly rows: BrowsedRows; readonly hasMore: boolean } | { readonly error: RequestFailed }

type Member = BrowsedRows | { readonly error: string; readonly code: string; readonly path: string }

/** The first rows of links, by their conditions. One request reads all; a link that is refused leaves the others. */
export const firstRowsQuery = (links: readonly { readonly to: TableName; readonly where: object }[], as: Identity) =>
  queryOptions({
    queryKey: ['rows', 'related', links, as],
    queryFn: async ({ signal }): Promise<readonly FirstRows[]> => {
      const members = links.slice(0, readLinks).map(({ to, where }) => ({
        type: 'browse_rows',
        args: { table: to, where, limit: shownRows + 1, preview_bytes: labelCharacters },
      }))
      const answers =
        members.length === 0 ? [] : await run<readonly Member[]>('bulk_keep_going', members, { as, signal })
      return answers.map((answer) => {
        if ('rows' in answer) {
          return { rows: { ...answer, rows: answer.rows.slice(0, shownRows) }, hasMore: answer.rows.length > shownRows }
        }
        const { code, error: message, path } = answer
        return {
          error: new RequestFailed({
            ...{ status: 0, code, message, path, internal: null, requestId: null, hint: null },
          }),
        }
      })
    },
  })

/** All rows of a link, page by page. */
export const allRowsQuery = ({ table, where, as }: Asked) =>
  infiniteQueryOptions({
    queryKey: ['rows', table, 'related-all', where, as],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const after = pageParam === null ? {} : { after: pageParam }
      const args = { table, where, limit: pageRows, preview_bytes: labelCharacters, ...after }
      return run<BrowsedRows>('browse_rows', args, { as, signal })
    },
    getNextPageParam: ({ rows, next }) => (rows.length < pageRows ? null : next),
  })
