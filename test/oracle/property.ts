// How the properties of this folder are run.

import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { Draw } from './draw.ts'

/** A number of the environment. */
export const setting = (name: string, otherwise: number): number =>
  Number(process.env[`TRELLIS_ORACLE_${name}`] ?? otherwise)

/** Milliseconds after a failure in which a simpler one is looked for. */
const shrinkMillis = setting('SHRINK_MILLIS', 60_000)

export interface Property<T> {
  readonly runs: number
  /** How many times it was checked before, with other values; absent: none. */
  readonly before?: number
  make(draw: Draw): T
  /** Cases to try in the place of one that fails. */
  simpler?(value: T): Iterable<T>
  /** Throws when something is not as it must be; simplified cases may have become senseless. */
  check(value: T, isSimplified: boolean): Promise<void>
}

/** Checks random values, and returns the seed; the error of a failure names it. */
export async function checkProperty<T>({ runs, before = 0, make, simpler, check }: Property<T>): Promise<number> {
  const seed = setting('SEED', Date.now() % 2 ** 31) + before
  let deadline: number | null = null
  let first = ''
  const property = fc.asyncProperty(new Drawn(make, simpler), async (value) => {
    if (deadline !== null && Date.now() > deadline) return
    try {
      await check(value, deadline !== null)
    } catch (error) {
      const [line = ''] = (error as Error).message.split('\n')
      if (deadline === null) first = line
      // What fails in another way is not simpler but different.
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

/** What failures of one kind have in common: the code and the words of an error in the answer, or how they begin. */
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
