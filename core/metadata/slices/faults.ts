// The faults of a received document. Reading goes on after each of them, so that one answer lists many. Any caller may
// send a document of the largest size, so the number of faults and the repeated work have limits.

import type { Static, TArray, TSchema } from '@sinclair/typebox'
import { mapSteps, type Steps } from '../../concurrency/stepwise.ts'
import { flatError, parseFailed, TrellisError } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { deepFreeze, hasMoreValues, isJsonObject } from '../../json/json.ts'
import { decode, type UnknownKeys, unknownKeyErrors } from '../../wire/decode.ts'
import type { MetadataDocument } from '../document/document.ts'
import { mostDecodings, mostFaults, mostValues } from '../tuning.ts'

/** Ends the reading of a document that has more faults than an answer lists. */
export class TooManyFaults extends Error {
  override readonly name = 'TooManyFaults'
}

/** Collects faults; their paths are relative to the place that the collection began with. */
export class Faults {
  readonly #found: TrellisError[]
  readonly #at: readonly PathKey[]

  constructor(found: TrellisError[] = [], at: readonly PathKey[] = []) {
    this.#found = found
    this.#at = at
  }

  get found(): readonly TrellisError[] {
    return this.#found
  }

  /** The same collection for values at a place further inside. */
  at(...inner: readonly PathKey[]): Faults {
    return new Faults(this.#found, [...this.#at, ...inner])
  }

  /** Adds an error of reading, and ends it with {@link TooManyFaults} if necessary; another error is thrown again. */
  readonly add = (error: unknown): void => {
    if (!(error instanceof TrellisError)) throw error
    this.#found.push(error.at(...this.#at))
    if (this.#found.length >= mostFaults) throw new TooManyFaults()
  }

  /** The result of the work; undefined when it had a fault. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.add(error)
      return undefined
    }
  }

  /**
   * Decodes a value without its unknown keys, each of which is a fault; undefined when it has another fault. It is read
   * in one go, so its size has a limit.
   */
  decode<S extends TSchema>(
    schema: S,
    value: unknown,
    at: readonly PathKey[],
    unknownKeys: UnknownKeys,
  ): Static<S> | undefined {
    if (!this.#isReadable(value, 'one entry of the metadata has', at)) return undefined
    let left: unknown = value
    for (let times = 0; times < mostDecodings; times++) {
      try {
        return decode(schema, left, at, unknownKeys)
      } catch (error) {
        const before = left
        const unknown = unknownKeyErrors(error, mostFaults)
        for (const each of unknown) {
          this.add(each)
          left = without(left, each.path.slice(at.length))
        }
        if (unknown.length === 0) this.add(error)
        if (left === before) return undefined
      }
    }
    return undefined
  }

  /** A value that is kept as it was given, frozen; null if it is too large. `subject`: its name, and the verb. */
  keep<T>(value: T, subject: string, at: readonly PathKey[]): T | null {
    return this.#isReadable(value, subject, at) ? deepFreeze(value) : null
  }

  #isReadable(value: unknown, subject: string, at: readonly PathKey[]): boolean {
    if (!hasMoreValues(value, mostValues)) return true
    this.add(tooManyValues(subject, at))
    return false
  }

  /** Decodes a list in steps; items with faults are undefined. */
  *decodeList<S extends TArray>(
    schema: S,
    value: unknown,
    at: readonly PathKey[],
    unknownKeys: UnknownKeys,
  ): Steps<readonly unknown[]> {
    if (!Array.isArray(value) || value.length === 0) return this.decode(schema, value, at, unknownKeys) ?? []
    return yield* mapSteps(value, (item, i) => this.decode(schema.items, item, [...at, i], unknownKeys))
  }
}

/** The refusal of a value that would delay other requests while it is read. */
export const tooManyValues = (subject: string, at: readonly PathKey[]): TrellisError =>
  parseFailed(`${subject} more than ${mostValues} JSON values`, at)

/** A value without the key at a path; the same value if it has no such key. */
function without(value: unknown, [key, ...inner]: readonly PathKey[]): unknown {
  if (Array.isArray(value) && typeof key === 'number') {
    const item = without(value[key], inner)
    return item === value[key] ? value : value.with(key, item)
  }
  if (!isJsonObject(value) || typeof key !== 'string' || !Object.hasOwn(value, key)) return value
  if (inner.length === 0) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key))
  const member = without(value[key], inner)
  return member === value[key] ? value : { ...value, [key]: member }
}

/** The cause of an error about a document: its faults, and the parts that could be read; null if reading ended early. */
export class FaultyDocument {
  readonly faults: readonly TrellisError[]
  readonly content: MetadataDocument | null

  constructor(faults: readonly TrellisError[], content: MetadataDocument | null) {
    this.faults = faults
    this.content = content
  }

  /** The faults as an answer lists them; `error` is the first one where it is answered. */
  listed(error: TrellisError): Record<string, unknown>[] {
    const outer = error.path.slice(0, error.path.length - this.faults[0]!.path.length)
    return this.faults.map((fault) => flatError(fault.at(...outer), false))
  }
}
