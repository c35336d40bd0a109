// Finds the columns of a row that printed SQL refers to. A subquery around a table selects only these. A database user
// with rights on some columns can then run it, and sorted rows stay narrow.

import { id, join, type Sql, sql } from '../../database/sql/sql.ts'

const identifier = /^"((?:[^"]|"")+)"$/

/** The name of a fragment that is a single identifier; null for any other fragment. */
function nameOf(fragment: string | object | undefined): string | null {
  if (typeof fragment !== 'object' || !('parts' in fragment)) return null
  const { parts } = fragment as Sql
  const [text] = parts
  const found = parts.length === 1 && typeof text === 'string' ? identifier.exec(text) : null
  return found ? found[1]!.replaceAll('""', '"') : null
}

/** The used columns of the row with that alias, in the order of their first use; null if the row is used whole. */
export function usedColumns(row: Sql, fragments: readonly Sql[]): readonly string[] | null {
  const found = new Set<string>()
  /** Whether all uses are of columns. */
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

/** The select list of a subquery: the columns of a row that the fragments use, without the `given` ones. */
export function usedList(row: Sql, { as = row, fragments, given }: UseOfColumns): Sql {
  const used = usedColumns(as, fragments)
  if (used === null) return sql`${row}.*`
  return join(used.filter((name) => !given?.has(name)).map((name) => sql`${row}.${id(name)}`))
}

/** The SQL that uses columns of a subquery. */
export interface UseOfColumns {
  /** The alias of the subquery; absent: the alias of the row in it. */
  readonly as?: Sql
  readonly fragments: readonly Sql[]
  readonly given?: ReadonlyMap<string, Sql>
}

/** A list of the items that are not empty. */
export const listOf = (...items: readonly Sql[]): Sql => join(items.filter(({ parts }) => parts.length > 0))
