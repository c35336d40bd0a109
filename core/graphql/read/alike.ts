// Whether values of a request look alike, so that what was found out about one holds for the other.

import { isGraphQLName } from '../../names/names.ts'

type Members = Readonly<Record<string, unknown>>

const isPlainObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

/** Whether two objects have the same members with scalars of the same kinds: rows of a list mostly do, and are many. */
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

/** The places of those in a list that look like none before them; `onFound` is told of each. */
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

/** What an object of scalars looks like, as text: its members and their kinds; null of all other values. */
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
