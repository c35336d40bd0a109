// The columns by which permissions and relationships find rows, as far as an index could serve them.

import type { QualifiedName } from '../../sdk/index.ts'
import type { Condition } from '../../sdk/sql.ts'

/** Rows of a table that are found by columns: an index that begins with any of them helps. */
export interface NeededIndex {
  readonly table: QualifiedName
  readonly columns: readonly string[]
}

/** The needs of a condition: on the rows that it chooses, and on rows that it looks up for each of them. */
interface Needs {
  /** Each has to be served, because the rows of one are not those of another. */
  readonly own: readonly (readonly string[])[]
  readonly others: readonly NeededIndex[]
}

const none: Needs = { own: [], others: [] }

/** Operators that find rows in a sorted index, those with equality first. */
const equalities = new Set(['_eq', '_in'])
const ranges = new Set(['_gt', '_gte', '_lt', '_lte'])

/** Columns of a suggested index: more would serve few other requests. */
const mostColumns = 3

/** All needs of a condition on rows of a table. */
export function neededBy(condition: Condition, table: QualifiedName): readonly NeededIndex[] {
  const { own, others } = needsOf(condition)
  return [...own.map((columns) => ({ table, columns })), ...others]
}

function needsOf(condition: Condition): Needs {
  switch (condition.kind) {
    case 'compare': {
      const { column, operator } = condition
      return equalities.has(operator) || ranges.has(operator) ? { own: [[column]], others: [] } : none
    }
    case 'null':
      return condition.negated ? none : { own: [[condition.column]], others: [] }
    case 'and':
      return needsOfAll(condition.of)
    case 'or': {
      const parts = condition.of.map(needsOf)
      return { own: parts.flatMap(({ own }) => own), others: parts.flatMap(({ others }) => others) }
    }
    case 'not':
      return { own: [], others: needsOf(condition.of).others }
    case 'rooted':
      return needsOf(condition.of)
    case 'related': {
      const { table, mapping, where, from } = condition
      const inner = needsOf(where)
      // Rows of a function have no index.
      if (from) return { own: [], others: inner.others }
      const found = [mapping.map(([, column]) => column), ...inner.own].map((columns) => ({ table, columns }))
      return { own: [mapping.map(([column]) => column)], others: [...found, ...inner.others] }
    }
    case 'exists':
      return { own: [], others: neededBy(condition.where, condition.table) }
    case 'aggregate': {
      const { table, mapping, where } = condition
      const columns = mapping.map(([, column]) => column)
      return { own: [], others: [{ table, columns }, ...needsOf(where).others] }
    }
    default:
      return none
  }
}

/** One index is enough for conditions that hold together. */
function needsOfAll(conditions: readonly Condition[]): Needs {
  const parts = conditions.map(needsOf)
  const isEquality = (each: Condition) => each.kind === 'compare' && equalities.has(each.operator)
  const isRange = (each: Condition) => each.kind === 'null' || (each.kind === 'compare' && !isEquality(each))
  const columnsOf = (chosen: (each: Condition) => boolean) =>
    conditions.flatMap((each, i) => (chosen(each) ? parts[i]!.own.flat() : []))
  const direct = [...new Set([...columnsOf(isEquality), ...columnsOf(isRange).slice(0, 1)])].slice(0, mostColumns)
  const own = direct.length > 0 ? [direct] : (parts.find((each) => each.own.length > 0)?.own ?? [])
  return { own, others: parts.flatMap(({ others }) => others) }
}
