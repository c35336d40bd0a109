// Whether values of a request have the same shape, so that checks of one hold for the other.

import { isGraphQLName } from '../../names/names.ts'

type Members = Readonly<Record<string, unknown>>

const isPlainObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

/**
 * Whether two objects have the same members with scalars of the same kinds. Most rows of a list do, and lists are long.
 */
export function areAlike(a: unknown, b: unknown): boolean {
  if (!isPlainObject(a) || !isPlainObject(b)) return false
  let more = 0
  for (const key in a) {
    const [one, other] = [a[key], b[key]]
    if (one === null ? other !== null : typeof one === 'object' || typeof one !== typeof other) return false
    more++
  }
  for (const _ in b) more--
  return more === 0
}

/** The indexes of list elements with a shape that no earlier element has; `onFound` is called for each. */
export function unlikeEarlier(values: readonly unknown[], onFound: () => void): number[] {
  const places: number[] = []
  const shapes = new Set<string>()
  for (let i = 0; i < values.length; i++) {
    if (i > 0 && areAlike(values[i - 1], values[i])) continue
    const shape = flatShape(values[i])
    if (shape !== null && shapes.has(shape)) continue
    if (shape !== null) shapes.add(shape)
    onFound()
    places.push(i)
  }
  return places
}

/** The shape of an object of scalars as text: its members and their kinds; null for any other value. */
function flatShape(value: unknown): string | null {
  if (!isPlainObject(value)) return null
  let shape = ''
  for (const key in value) {
    const member = value[key]
    if ((typeof member === 'object' && member !== null) || !isGraphQLName(key)) return null
    shape += `${key}:${member === null ? 'null' : typeof member},`
  }
  return shape
}
