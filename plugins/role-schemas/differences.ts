// The differences between two schemas.

import { mapSteps, type Steps } from '../../sdk/services.ts'
import { coordinateOf, type IndexedType, linesIn, type SchemaIndex } from './schema-index.ts'

/** Something that both schemas have, with the type or kind that it has in each. */
interface Difference {
  readonly path: string
  readonly a: string
  readonly b: string
}

/** Schema coordinates; of something that only one schema has, the parts are not listed. */
export interface SchemaDifferences {
  readonly only_a: readonly string[]
  readonly only_b: readonly string[]
  readonly differing: readonly Difference[]
  /** Whether there are more than were asked for. */
  readonly more: boolean
}

/** Compares two schemas; descriptions may differ. */
export function* compareSchemas(a: SchemaIndex, b: SchemaIndex, most: number): Steps<SchemaDifferences> {
  const found = { only_a: [] as string[], only_b: [] as string[], differing: [] as Difference[] }
  const isFull = () => found.only_a.length + found.only_b.length + found.differing.length > most
  const others = new Map(b.types.map((type) => [type.name, type]))
  for (const type of a.types) {
    const other = others.get(type.name)
    others.delete(type.name)
    if (!other) found.only_a.push(type.name)
    else if (type !== other) yield* compareTypes(type, other, found)
    if (isFull()) return cut(found, most)
    yield
  }
  found.only_b.push(...others.keys())
  return isFull() ? cut(found, most) : { ...found, more: false }
}

function cut({ only_a, only_b, differing }: Omit<SchemaDifferences, 'more'>, most: number): SchemaDifferences {
  const [a, b] = [only_a.slice(0, most), only_b.slice(0, Math.max(0, most - only_a.length))]
  const left = Math.max(0, most - a.length - b.length)
  return { only_a: a, only_b: b, differing: differing.slice(0, left), more: true }
}

interface Found {
  readonly only_a: string[]
  readonly only_b: string[]
  readonly differing: Difference[]
}

function* compareTypes(a: IndexedType, b: IndexedType, found: Found): Steps<void> {
  if (a.kind !== b.kind) {
    found.differing.push({ path: a.name, a: a.kind, b: b.kind })
    return
  }
  if (a.parts.length === b.parts.length && a.parts.every((part, i) => part === b.parts[i])) return
  const [inA, inB] = [yield* typesByPath(a), yield* typesByPath(b)]
  const compare = ([path, { type, owner }]: readonly [string, Owned]) => {
    const other = inB.get(path)
    if (other === undefined) {
      if (owner === null || inB.has(owner)) found.only_a.push(path)
    } else if (other.type !== type) found.differing.push({ path, a: type, b: other.type })
  }
  yield* mapSteps([...inA], compare)
  yield* mapSteps([...inB], ([path, { owner }]) => {
    if (!inA.has(path) && (owner === null || inA.has(owner))) found.only_b.push(path)
  })
}

/** The type of something, and the field that it is an argument of; null: it is a member. */
interface Owned {
  readonly type: string
  readonly owner: string | null
}

/** The types of everything in a type, by coordinate. */
function* typesByPath({ name, parts }: IndexedType): Steps<ReadonlyMap<string, Owned>> {
  const types = new Map<string, Owned>()
  for (const part of parts) {
    for (const line of linesIn(part)) {
      const owner = line.argument === '' ? null : coordinateOf(name, { member: line.member, argument: '' })
      types.set(coordinateOf(name, line), { type: line.type, owner })
    }
    yield
  }
  return types
}
