// Which columns of a row printed SQL refers to. A subquery around a table names these and no others: a database user who
// may read some columns only can run it, and what is sorted is narrow.

import { id, join, type Sql, sql } from '../../database/sql/sql.ts'

const identifier = /^"((?:[^"]|"")+)"$/

/** The name that a fragment is, as an identifier alone; null for any other fragment. */
function nameOf(fragment: string | object | undefined): string | null {
  if (typeof fragment !== 'object' || !('parts' in fragment)) return null
  const { parts } = fragment as Sql
  const [text] = parts
  const found = parts.length === 1 && typeof text === 'string' ? identifier.exec(text) : null
  return found ? found[1]!.replaceAll('""', '"') : null
}

/** The columns of the row of that alias, in the order of their first use; null where the row is used whole. */
export function usedColumns(row: Sql, fragments: readonly Sql[]): readonly string[] | null {
  const found = new Set<string>()
  /** Whether all uses were of columns. */
  const walk = ({ parts }: Sql): boolean =>
    parts.every((part, i) => {
      if (typeof part === 'string' || !('parts' in part)) return true
      if (part !== row) return walk(part)
      const name = parts[i + 1] === '.' ? nameOf(parts[i + 2]) : null
      if (name !== null) found.add(name)
      return name !== null
    })
  return fragments.every(walk) ? [...found] : null
}

/** Those of the columns of a row that fragments use, as the list of a subquery; `given` are columns that it has of others. */
export function usedList(row: Sql, { as = row, fragments, given }: UseOfColumns): Sql {
  const used = usedColumns(as, fragments)
  if (used === null) return sql`${row}.*`
  return join(used.filter((name) => !given?.has(name)).map((name) => sql`${row}.${id(name)}`))
}

/** What uses columns of a subquery. */
export interface UseOfColumns {
  /** The alias of the subquery; absent: that of the row in it. */
  readonly as?: Sql
  readonly fragments: readonly Sql[]
  readonly given?: ReadonlyMap<string, Sql>
}

/** The items of a list that are there. */
export const listOf = (...items: readonly Sql[]): Sql => join(items.filter(({ parts }) => parts.length > 0))
