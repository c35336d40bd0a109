// Counts the operators used in compared answers, and the outcomes of their comparisons. An operator that never accepted
// or never rejected a row was not tested.

import { type ColumnType, columnTypes, type TypeName, typeNames } from './types.ts'

/** Null is unknown: one side was NULL. */
export type Truth = boolean | null

/** The author of a comparison. */
export type Origin = 'request' | 'permission'

interface Count {
  matched: number
  unmatched: number
  unknown: number
}

export class Coverage {
  readonly #counts = new Map<string, Count>()
  readonly #events = new Map<string, number>()

  /** Counts an event of any kind. */
  happened(event: string, times = 1): void {
    this.#events.set(event, (this.#events.get(event) ?? 0) + times)
  }

  /** The events and their counts. */
  get events(): ReadonlyMap<string, number> {
    return this.#events
  }

  /** Counts the outcome of a comparison. */
  note(origin: Origin, operator: string, type: TypeName, truth: Truth): void {
    const count = this.#count(`${origin} ${operator} ${type}`)
    if (truth === null) count.unknown++
    else if (truth) count.matched++
    else count.unmatched++
  }

  /** Adds the counts of another coverage. */
  add(other: Coverage): void {
    for (const [event, times] of other.#events) this.happened(event, times)
    for (const [key, { matched, unmatched, unknown }] of other.#counts) {
      const count = this.#count(key)
      count.matched += matched
      count.unmatched += unmatched
      count.unknown += unknown
    }
  }

  #count(key: string): Count {
    const count = this.#counts.get(key) ?? { matched: 0, unmatched: 0, unknown: 0 }
    this.#counts.set(key, count)
    return count
  }

  /** The pairs of operator and type that did not both accept and reject rows. */
  missing(origin: Origin): readonly string[] {
    const pairs = typeNames.flatMap((type) => operatorsOf(type, origin).map((operator) => ({ operator, type })))
    return pairs.flatMap(({ operator, type }) => {
      const { matched = 0, unmatched = 0 } = this.#counts.get(`${origin} ${operator} ${type}`) ?? {}
      return matched > 0 && unmatched > 0 ? [] : [`${origin} ${operator} ${type}: ${matched} true, ${unmatched} false`]
    })
  }

  #sum(origin: Origin, operator: string): Count {
    const sum = { matched: 0, unmatched: 0, unknown: 0 }
    for (const type of typeNames) {
      const count = this.#counts.get(`${origin} ${operator} ${type}`)
      sum.matched += count?.matched ?? 0
      sum.unmatched += count?.unmatched ?? 0
      sum.unknown += count?.unknown ?? 0
    }
    return sum
  }

  /** A line for each operator. */
  lines(origin: Origin): readonly string[] {
    const all = new Set(typeNames.flatMap((type) => operatorsOf(type, origin)))
    return [...all].map((operator) => {
      const types = typeNames.filter((type) => operatorsOf(type, origin).includes(operator))
      const { matched, unmatched, unknown } = this.#sum(origin, operator)
      return `${origin} ${operator}, ${types.length} types: ${matched} true, ${unmatched} false, ${unknown} unknown`
    })
  }
}

const equalities = ['_eq', '_neq', '_in', '_nin'] as const
const orders = ['_gt', '_lt', '_gte', '_lte'] as const
const likeOperators = ['_like', '_nlike', '_ilike', '_nilike', '_similar', '_nsimilar'] as const
export const patternOperators = [...likeOperators, '_regex', '_nregex', '_iregex', '_niregex'] as const
export const jsonOperators = ['_contains', '_contained_in', '_has_key', '_has_keys_any', '_has_keys_all'] as const

/** Operators that compare with another column of the row, and the operators that they apply. */
export const columnOperators: Readonly<Record<string, string>> = {
  _ceq: '_eq',
  _cne: '_neq',
  _cneq: '_neq',
  _cgt: '_gt',
  _clt: '_lt',
  _cgte: '_gte',
  _clte: '_lte',
}

/** The operators with values for columns of a type. */
export function valueOperatorsOf(name: TypeName): readonly string[] {
  const { compare, kind, patterns }: ColumnType = columnTypes[name]
  if (!compare) return ['_is_null']
  return [
    ...equalities,
    '_is_null',
    ...(kind === 'enum' ? [] : orders),
    ...(patterns ? patternOperators : []),
    ...(name === 'jsonb' ? jsonOperators : []),
  ]
}

/** All operators for columns of a type. */
function operatorsOf(type: TypeName, origin: Origin): readonly string[] {
  if (origin === 'request') return valueOperatorsOf(type)
  // Permissions cannot compare json, and compare the values of enum tables as texts.
  if (!columnTypes[type].compare) return []
  const ofColumns = Object.keys(columnOperators)
  return [...valueOperatorsOf(type), ...ofColumns]
}
