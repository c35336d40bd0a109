// Prints long parsed JSON in steps, because one call of `JSON.stringify` blocks other requests for as long as it takes.

import { hasMoreValues, isJsonObject, memberOf } from './json.ts'
import { elementsAtOnce, valuesAtOnce } from './tuning.ts'

/** The text of a parsed value, as `JSON.stringify` prints it. Throws a `RangeError` if it is nested too deeply. */
export function* stringifySteps(value: unknown, atOnce = valuesAtOnce): Generator<void, string> {
  if (!hasMoreValues(value, atOnce)) {
    yield
    return JSON.stringify(value)
  }
  const parts: string[] = []
  if (Array.isArray(value)) {
    const size = Math.min(elementsAtOnce, atOnce)
    for (let start = 0; start < value.length; start += size) {
      const elements = value.slice(start, start + size)
      if (!hasMoreValues(elements, atOnce)) parts.push(JSON.stringify(elements).slice(1, -1))
      else for (const element of elements) parts.push(yield* stringifySteps(element, atOnce))
      yield
    }
    return `[${parts.join()}]`
  }
  if (!isJsonObject(value)) return JSON.stringify(value)
  for (const key of Object.keys(value)) {
    const member = memberOf(value, key)
    const text = typeof member === 'object' ? yield* stringifySteps(member, atOnce) : JSON.stringify(member)
    parts.push(`${JSON.stringify(key)}:${text}`)
    if (parts.length % elementsAtOnce === 0) yield
  }
  return `{${parts.join()}}`
}
