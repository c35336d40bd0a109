// Fields of rows that JavaScript answers: the statement left the columns they need in their places; here the values take
// those places, one call per field for all rows of the answer.

import { pathKeys } from '../errors/path.ts'
import { parseJson } from '../json/json.ts'
import { completeValue } from './complete.ts'
import type { ResolvedCall } from './contribution.ts'
import type { RowJoin } from './plan-context.ts'

/** The answer with all joins filled in. `text` is a JSON object whose keys are the response names of root fields. */
export async function fillJoins(
  text: string,
  joins: readonly RowJoin[],
  call: (join: RowJoin) => ResolvedCall,
): Promise<Record<string, unknown>> {
  const data = parseJson(text, 'lossless') as Record<string, unknown>
  for (const join of joins) {
    const keys = pathKeys(join.field.responsePath) as string[]
    const holders = holdersOf(data, keys.slice(0, -1))
    const key = keys.at(-1)!
    const rows = holders.map((holder) => holder[key] as Record<string, unknown>)
    const values = rows.length === 0 ? [] : await join.planner.resolve(rows, call(join))
    for (const [i, holder] of holders.entries()) {
      const value = values[i] ?? null
      holder[key] = join.planner.completed ? value : completeValue(value, join.field)
    }
  }
  return data
}

/** The objects at a path of response names, lists on the way flattened, nulls left out. */
function holdersOf(value: unknown, keys: readonly string[]): Record<string, unknown>[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((item) => holdersOf(item, keys))
  const [key, ...rest] = keys
  const object = value as Record<string, unknown>
  return key === undefined ? [object] : holdersOf(object[key], rest)
}
