// The rows that a rule lets through, before and after a change: asked as scratch roles in a simulation, which leaves nothing.

import { queryOptions } from '@tanstack/react-query'
import { facts } from '../../../base/facts.ts'
import { newId } from '../../../base/ids.ts'
import type { TableName } from '../../../server/names.ts'
import { type SimulatedAnswer, simulate } from '../../../server/simulate.ts'
import type { BrowsedRows } from '../rows/model.ts'
import { rowId } from '../rows/staged.ts'
import type { TableInfo } from '../table-info.ts'

/** Rows that are compared at most; of more, only their numbers are. */
const comparedRows = 1000
/** Milliseconds that an exact count may take. */
const countMillis = 500
/** Characters of a cell that are read. */
const shownCharacters = 60

/** The rows that a rule lets through. */
export interface RuleTrial {
  /** Null: too many to count at once. */
  readonly all: number | null
  readonly seen: number | null
  readonly before: number | null
  /** Rows in a few words; null: there are too many to compare. */
  readonly examples: readonly string[] | null
  readonly hidden: readonly string[] | null
  readonly gained: readonly string[] | null
  readonly lost: readonly string[] | null
  /** Indexes that the rule would use, and the database does not have. */
  readonly indexes: readonly SuggestedIndex[]
}

/** An index that `suggest_indexes` names. */
export interface SuggestedIndex {
  readonly table: TableName
  readonly columns: readonly string[]
  readonly ddl: string
  readonly reasons: readonly { readonly kind: string }[]
}

interface Tried {
  readonly info: TableInfo
  /** The rule of the metadata; null: the role has no permission yet. */
  readonly old: unknown
  readonly rule: unknown
  /** Session variables without the prefix. */
  readonly variables: Readonly<Record<string, string>>
}

const text = /^(?:text|varchar|character|citext)/

/** The key of the rows, with a column that people know them by. */
function readColumns({ primary_key, columns }: TableInfo): readonly string[] {
  const key = primary_key ?? []
  const named = columns.find(({ name, type }) => text.test(type) && !key.includes(name))?.name
  const chosen = [...key, ...(named === undefined ? [] : [named])]
  return chosen.length > 0 ? chosen : columns.slice(0, 2).map(({ name }) => name)
}

interface Answered {
  readonly count: number | null
  /** Rows in a few words, by their identities; null: there are more than are compared. */
  readonly rows: ReadonlyMap<string, string> | null
}

function answered(answer: SimulatedAnswer<BrowsedRows> | undefined): Answered {
  if (!answer) return { count: 0, rows: new Map() }
  if ('error' in answer) throw new Error(answer.error.error)
  const { rows, columns, key, count } = answer.result
  const named = rows.map((cells) => {
    const row = Object.fromEntries(columns.map(({ name }, at) => [name, cells[at] ?? null]))
    const id =
      key === null ? JSON.stringify(cells) : rowId(Object.fromEntries(key.map((name) => [name, row[name] ?? null])))
    return [id, cells.filter((cell) => cell !== null && cell !== '').join(' ')] as const
  })
  const isWhole = rows.length < comparedRows
  return { count: count?.value ?? (isWhole ? rows.length : null), rows: isWhole ? new Map(named) : null }
}

/** The indexes for the rule itself: those for relationships do not depend on it. */
function indexesIn(answer: SimulatedAnswer<unknown> | undefined): readonly SuggestedIndex[] {
  // A server without this operation suggests nothing.
  if (!answer || 'error' in answer) return []
  const { suggestions } = answer.result as { readonly suggestions: readonly SuggestedIndex[] }
  return suggestions.filter(({ reasons }) => reasons.some(({ kind }) => kind === 'permission'))
}

const missingIn = (one: Answered, other: Answered): readonly string[] | null => {
  if (!one.rows || !other.rows) return null
  const others = other.rows
  return [...one.rows].filter(([id]) => !others.has(id)).map(([, words]) => words)
}

/** Tries a rule. */
export const trialQuery = ({ info, old, rule, variables }: Tried) =>
  queryOptions({
    queryKey: ['simulation', 'rule', info.name, old, rule, variables],
    retry: false,
    gcTime: 60_000,
    queryFn: async ({ signal }): Promise<RuleTrial> => {
      const mark = newId().slice(0, 8)
      const columns = readColumns(info)
      const give = (role: string, filter: unknown) => ({
        type: 'create_select_permission',
        args: { table: info.name, role, permission: { columns, filter } },
      })
      const given = Object.entries(variables).map(([name, value]) => [facts.variablePrefix + name, value] as const)
      const browse = {
        type: 'browse_rows',
        args: {
          ...{ table: info.name, columns, limit: comparedRows, preview_bytes: shownCharacters },
          count: { exact_within_ms: countMillis },
        },
      }
      const as = (role: string) => ({
        session: { ...Object.fromEntries(given), [facts.roleHeader]: role },
        operation: browse,
      })
      const [now, past] = [`rule_now_${mark}`, `rule_past_${mark}`]
      const hasOld = old !== null
      const { answers } = await simulate<unknown>({
        changes: [give(now, rule), ...(hasOld ? [give(past, old)] : [])],
        ask: [
          { operation: { type: 'suggest_indexes', args: { role: now } } },
          { operation: browse },
          as(now),
          ...(hasOld ? [as(past)] : []),
        ],
        signal,
      })
      const [all, seen, before] = [1, 2, 3].map((at) =>
        answered(answers[at]?.after as SimulatedAnswer<BrowsedRows> | undefined),
      )
      return {
        ...{ all: all!.count, seen: seen!.count, before: before!.count },
        examples: seen!.rows && [...seen!.rows.values()],
        hidden: missingIn(all!, seen!),
        gained: missingIn(seen!, before!),
        lost: missingIn(before!, seen!),
        indexes: indexesIn(answers[0]?.after),
      }
    },
  })
