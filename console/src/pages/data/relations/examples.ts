// Live examples of relationships: a row of the table, and the rows that it leads to. Two requests for all of them.

import { queryOptions } from '@tanstack/react-query'
import type { TableName } from '../../../server/names.ts'
import { run } from '../../../server/operations.ts'
import type { ColumnPair } from '../column-pair.ts'
import { type Cells, cellsOf, labelOf } from '../labels.ts'
import type { BrowsedRows } from '../rows/model.ts'
import { argumentOf } from '../rows/save.ts'
import type { TableInfo } from '../table-info.ts'

/** Rows that an example is chosen of. */
const triedRows = 5
/** Related rows that are read. */
const relatedRows = 3
/** Characters of a cell that are read. */
const shownCharacters = 60

interface Joining {
  readonly to: TableName
  readonly columns: readonly ColumnPair[]
}

/** A row of the table, and the rows that it leads to; null: none was found. */
export type Example = { readonly from: string; readonly to: readonly string[] } | null

const notNull = (columns: readonly ColumnPair[]): object => ({
  _and: columns.map(([from]) => ({ [from]: { _is_null: false } })),
})

const joins = (columns: readonly ColumnPair[], from: Cells, to: Cells): boolean =>
  columns.every(([own, other]) => from.get(own) === to.get(other))

const browse = (args: object) => ({ type: 'browse_rows', args: { preview_bytes: shownCharacters, ...args } })

/** The examples of relationships, in their order. */
export const examplesQuery = ({ name }: TableInfo, relationships: readonly Joining[]) =>
  queryOptions({
    queryKey: ['examples', name, relationships],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<readonly Example[]> => {
      const all = async (operations: readonly object[]) =>
        operations.length === 0 ? [] : run<readonly BrowsedRows[]>('bulk', operations, { signal })
      const sources = await all(
        relationships.map(({ columns }) => browse({ table: name, where: notNull(columns), limit: triedRows })),
      )
      const asked = sources.flatMap((source, index) => {
        const { to, columns } = relationships[index]!
        const types = new Map(source.columns.map(({ name: column, type }) => [column, type]))
        const keyOf = (cells: Cells, column: string) => argumentOf(cells.get(column) ?? null, types.get(column))
        const keys = cellsOf(source).map((cells) => ({
          _and: columns.map(([own, other]) => ({ [other]: { _eq: keyOf(cells, own) } })),
        }))
        return keys.length === 0 ? [] : [{ index, ...browse({ table: to, where: { _or: keys }, limit: relatedRows }) }]
      })
      const targets = await all(asked.map(({ type, args }) => ({ type, args })))
      return relationships.map(({ columns }, index) => {
        const source = sources[index]!
        const target = targets[asked.findIndex((each) => each.index === index)]
        const found = target ? cellsOf(target) : []
        const from = cellsOf(source).find((cells) => found.some((row) => joins(columns, cells, row)))
        if (!target || !from) return null
        const to = found.filter((row) => joins(columns, from, row)).map((row) => labelOf(target, row))
        return { from: labelOf(source, from), to }
      })
    },
  })
