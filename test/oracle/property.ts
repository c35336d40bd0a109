// Runs the properties of this folder.

import assert from 'node:assert/strict'
import fc, { testSeed } from '../support/fast-check.ts'
import { Draw } from './draw.ts'

/** A number from the environment. */
export const setting = (name: string, otherwise: number): number =>
  Number(process.env[`TRELLIS_ORACLE_${name}`] ?? otherwise)

/** Milliseconds spent on simplifying a failed case. */
const shrinkMillis = setting('SHRINK_MILLIS', 60_000)

export interface Property<T> {
  readonly runs: number
  /** The number of earlier checks with other values; absent: 0. */
  readonly before?: number
  make(draw: Draw): T
  /** Simpler cases to try after a failure. */
  simpler?(value: T): Iterable<T>
  /** Throws when the case fails; a simplified case may be invalid. */
  check(value: T, isSimplified: boolean): Promise<void>
}

/** Checks random values, and returns the seed; the error of a failure contains it. */
export async function checkProperty<T>({ runs, before = 0, make, simpler, check }: Property<T>): Promise<number> {
  const seed = setting('SEED', testSeed ?? Date.now() % 2 ** 31) + before
  let deadline: number | null = null
  let first = ''
  const property = fc.asyncProperty(new Drawn(make, simpler), async (value) => {
    if (deadline !== null && Date.now() > deadline) return
    try {
      await check(value, deadline !== null)
    } catch (error) {
      const [line = ''] = (error as Error).message.split('\n')
      if (deadline === null) first = line
      // A different failure is not a simpler form of this one.
      else if (kindOf(line) !== kindOf(first)) return
      deadline ??= Date.now() + shrinkMillis
      throw error
    }
  })
  const result = await fc.check(property, { seed, numRuns: runs })
  if (result.failed) {
    const { message } = result.errorInstance as Error
    assert.fail(
      `TRELLIS_ORACLE_SEED=${seed}, run ${result.numRuns}, ${result.numShrinks} times simplified, at first\n${first}\n\n${message}`,
    )
  }
  return seed
}

/**
 * The common part of failures of one kind: the code and message of an error in the answer, or the start of the text.
 */
function kindOf(line: string): string {
  const [error] = line.match(/"code":"[^"]*"/) ?? []
  const [message] = line.match(/"message":"[^\\"]*/) ?? []
  return error && message ? error + message : line.slice(0, 10)
}

/** Values made from a {@link Draw}. */
class Drawn<T> extends fc.Arbitrary<T> {
  readonly #make: (draw: Draw) => T
  readonly #simpler: ((value: T) => Iterable<T>) | undefined

  constructor(make: (draw: Draw) => T, simpler: ((value: T) => Iterable<T>) | undefined) {
    super()
    this.#make = make
    this.#simpler = simpler
  }

  override generate(random: fc.Random): fc.Value<T> {
    return new fc.Value(this.#make(new Draw(random)), undefined)
  }

  override canShrinkWithoutContext(_value: unknown): _value is T {
    return false
  }

  override shrink(value: T): fc.Stream<fc.Value<T>> {
    return fc.stream(this.#simplerValues(value))
  }

  *#simplerValues(value: T): Generator<fc.Value<T>> {
    for (const item of this.#simpler?.(value) ?? []) yield new fc.Value(item, undefined)
  }
}
