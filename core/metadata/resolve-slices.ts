// Slices other than tables, resolved after them.

import type { Steps } from '../stepwise.ts'
import type { MetadataDocument } from './document.ts'
import type { Dependency, Inconsistency } from './objects.ts'
import { type AnySlice, sliceValue } from './registry.ts'
import { type Reads, type RecordedWorld, RecordingSliceContext } from './resolve-context.ts'
import { type Changes, isTouched } from './resolve-stages.ts'

/** What became of a slice, and what it was made from. */
export interface SliceResult {
  readonly value: unknown
  /** The slice's part of the model. */
  readonly model: unknown
  readonly inconsistencies: readonly Inconsistency[]
  readonly dependencies: readonly Dependency[]
  readonly reads: Reads
  /** Other slices' values that were looked at. */
  readonly slices: ReadonlyMap<string, unknown>
}

export type SliceResults = ReadonlyMap<string, SliceResult>

/** What slices are resolved from. */
export interface SlicesInput {
  readonly slices: readonly AnySlice[]
  readonly document: MetadataDocument
  readonly world: RecordedWorld
  readonly changes: Changes
}

/** Resolves the slices that have a part in the model; what still holds is taken over. */
export function* resolveSlices(previous: SliceResults | undefined, input: SlicesInput): Steps<SliceResults> {
  const results = new Map<string, SliceResult>()
  for (const slice of input.slices) {
    if (!slice.resolve) continue
    const before = previous?.get(slice.key)
    results.set(slice.key, before && holds(slice, before, input) ? before : resolveSlice(slice, input))
    yield
  }
  return results
}

function holds({ key }: AnySlice, { value, reads, slices }: SliceResult, input: SlicesInput): boolean {
  if (value !== sliceValue(input.document, key)) return false
  if (isTouched(reads, input.changes)) return false
  return [...slices].every(([other, seen]) => sliceValue(input.document, other) === seen)
}

function resolveSlice(slice: AnySlice, { document, world }: SlicesInput): SliceResult {
  const context = new RecordingSliceContext(world, document)
  const value = sliceValue(document, slice.key)
  const model = slice.resolve?.(value, context)
  const { inconsistencies, dependencies, reads, slices } = context
  return { value, model, inconsistencies, dependencies, reads, slices }
}
