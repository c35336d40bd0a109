// Differences of two answers to the same request.

import { isJsonObject, sameJson } from '../../core/json/json.ts'
import { longestShown, mostShown } from '../tuning.ts'

/** A place where two answers differ; a value is absent if the answer has none there. */
export interface Difference {
  readonly path: string
  readonly theirs?: string
  readonly ours?: string
}

/** The comparison of two answers. `reordered`: the same rows, in another order. */
export interface Comparison {
  readonly verdict: 'same' | 'reordered' | 'differs'
  /** The first ones. */
  readonly differences: readonly Difference[]
  /** The number of all. */
  readonly count: number
  /** Whether both servers answer with errors. */
  readonly isRefused: boolean
}

/**
 * Compares answers. Lists without an order may have any order. Of errors the codes and paths are compared, since every
 * release words them in its own way.
 */
export function compareAnswers(theirs: unknown, ours: unknown, isOrdered: boolean): Comparison {
  const [left, right] = [essence(theirs), essence(ours)]
  const isRefused = [left, right].every((answer) => isJsonObject(answer) && 'errors' in answer)
  const none = { differences: [], count: 0, isRefused }
  if (sameJson(left, right)) return { verdict: 'same', ...none }
  if (!isOrdered && sameJson(sorted(left), sorted(right))) return { verdict: 'reordered', ...none }
  const found = [...differencesOf('$', left, right)]
  return { verdict: 'differs', differences: found.slice(0, mostShown), count: found.length, isRefused }
}

/** The part of an answer that clients depend on. */
function essence(answer: unknown): unknown {
  if (!isJsonObject(answer) || !Array.isArray(answer['errors'])) return answer
  const errors = answer['errors'].filter(isJsonObject).map(({ extensions }) => {
    const { code = null, path = null } = isJsonObject(extensions) ? extensions : {}
    return { code, path }
  })
  return { errors }
}

/** The same value with lists in an order of their own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const keyed = value.map((item) => [JSON.stringify(sorted(item)), item] as const)
    return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => sorted(item))
  }
  if (!isJsonObject(value)) return value
  const members = Object.keys(value).sort()
  return Object.fromEntries(members.map((name) => [name, sorted(value[name])]))
}

function* differencesOf(path: string, theirs: unknown, ours: unknown): Iterable<Difference> {
  if (sameJson(theirs, ours)) return
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    for (let at = 0; at < Math.max(theirs.length, ours.length); at++) {
      yield* differencesOf(`${path}[${at}]`, theirs[at], ours[at])
    }
  } else if (isJsonObject(theirs) && isJsonObject(ours)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      yield* differencesOf(`${path}.${name}`, theirs[name], ours[name])
    }
  } else {
    const [left, right] = [shown(theirs), shown(ours)]
    yield { path, ...(left !== null && { theirs: left }), ...(right !== null && { ours: right }) }
  }
}

/** A value as JSON, cut when it is long; null if there is no value. */
function shown(value: unknown): string | null {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}
