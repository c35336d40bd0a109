// Resolves the slices other than tables, before, between or after the stages of tables.

import type { Steps } from '../../concurrency/stepwise.ts'
import { sameJson } from '../../json/json.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { Dependency, Inconsistency } from '../document/objects.ts'
import type { NameClaim, NameConflicts, NameLedger } from '../naming/root-fields.ts'
import { sliceValue } from '../slices/registry.ts'
import type { Slice } from '../slices/slices.ts'
import { type Reads, RecordingSliceContext, type SliceWorld } from './resolve-context.ts'
import { type Changes, isTouched } from './resolve-stages.ts'

/** The result of a slice, and its inputs. */
export interface SliceResult {
  readonly value: unknown
  /** The slice's part of the model. */
  readonly model: unknown
  readonly inconsistencies: readonly Inconsistency[]
  readonly dependencies: readonly Dependency[]
  readonly reads: Reads
  /** The values of other slices that were read. */
  readonly slices: ReadonlyMap<string, unknown>
  readonly claims: readonly NameClaim[]
  readonly conflicts: readonly NameConflicts[]
}

export type SliceResults = ReadonlyMap<string, SliceResult>

/** The input of resolving slices. */
export interface SlicesInput {
  /** In resolving order. */
  readonly slices: readonly Slice[]
  readonly document: MetadataDocument
  readonly world: SliceWorld
  readonly changes: Changes
  readonly ledger: NameLedger
}

/** Resolves the slices that have a part in the model, into `results`; valid results are reused. */
export function* resolveSlices(
  previous: SliceResults | undefined,
  input: SlicesInput,
  results: Map<string, SliceResult>,
): Steps<void> {
  const { ledger } = input
  for (const slice of input.slices) {
    if (!slice.resolve) continue
    const before = previous?.get(slice.key)
    results.set(slice.key, before && holds(slice, before, input) ? before : resolveSlice(slice, input))
    ledger.next()
    yield
  }
}

function holds({ key }: Slice, before: SliceResult, input: SlicesInput): boolean {
  const { ledger } = input
  if (before.value !== sliceValue(input.document, key)) return false
  if (isTouched(before.reads, input.changes)) return false
  if (![...before.slices].every(([other, seen]) => sliceValue(input.document, other) === seen)) return false
  if (!before.claims.every(({ names, taken }) => sameJson(ledger.taken(names), taken))) return false
  for (const { names } of before.claims) ledger.claim(names)
  return true
}

function resolveSlice(slice: Slice, { document, world, ledger }: SlicesInput): SliceResult {
  const context = new RecordingSliceContext(world, document, ledger)
  context.after = slice.after ?? []
  const value = sliceValue(document, slice.key)
  const model = slice.resolve?.(value, context)
  const { inconsistencies, dependencies, reads, slices, claims, conflicts } = context
  return { value, model, inconsistencies, dependencies, reads, slices, claims, conflicts }
}
