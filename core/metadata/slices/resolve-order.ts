// The order in which slices are resolved, relative to the stages of tables.

import { StartError } from '../../errors/start-error.ts'
import type { Facet, Slice } from './slices.ts'

/** The slices before each stage of tables, and those after all stages; each list is in resolving order. */
export interface ResolveOrder {
  readonly fields: readonly Slice[]
  readonly rules: readonly Slice[]
  readonly end: readonly Slice[]
}

interface OrderInput {
  /** In document order, which breaks ties. */
  readonly slices: readonly Slice[]
  readonly facets: readonly Facet[]
  /** Names a slice or facet and its owner, for errors. */
  describe(kind: 'slice' | 'facet', key: string): string
}

const places = ['fields', 'rules', 'end'] as const

const placeOf = ({ before }: Pick<Slice, 'before'>): number => places.indexOf(before ?? 'end')

/** Computes the order; refuses contradictory requirements. */
export function resolveOrder({ slices, facets, describe }: OrderInput): ResolveOrder {
  const byKey = new Map(slices.map((slice) => [slice.key, slice]))
  const earlier = (after: readonly string[] = []) =>
    after.map((key) => byKey.get(key)).filter((each) => each !== undefined)
  for (const slice of slices) {
    const late = earlier(slice.after).find((other) => placeOf(other) > placeOf(slice))
    if (late) throw tooLate(describe('slice', slice.key), describe('slice', late.key), slice.before!)
  }
  for (const { key, stage, after } of facets) {
    const late = earlier(after).find((other) => placeOf(other) > places.indexOf(stage))
    if (late) throw tooLate(describe('facet', key), describe('slice', late.key), stage)
  }
  const done = new Set<Slice>()
  const visit = (slice: Slice, path: readonly Slice[]): void => {
    if (done.has(slice)) return
    if (path.includes(slice)) {
      const circle = [...path.slice(path.indexOf(slice)), slice].map(({ key }) => describe('slice', key))
      throw new StartError(`Slices of the metadata form a cycle: ${circle.join(' after ')}`)
    }
    for (const other of earlier(slice.after)) visit(other, [...path, slice])
    done.add(slice)
  }
  for (const slice of slices) visit(slice, [])
  const inPlace = (place: number) => [...done].filter((slice) => placeOf(slice) === place)
  return { fields: inPlace(0), rules: inPlace(1), end: inPlace(2) }
}

const tooLate = (what: string, other: string, stage: Facet['stage']) =>
  new StartError(
    `The ${what} comes after the ${other}, which is resolved later: it must come before the stage "${stage}"`,
  )
