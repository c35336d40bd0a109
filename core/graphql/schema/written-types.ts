// The types of an introspection as bytes, in the order in which they were written, and then in that of their names.

import type { Steps } from '../../concurrency/stepwise.ts'
import { sortedAtOnce } from '../tuning.ts'
import type { ByteText } from './byte-text.ts'
import { Pieces } from './pieces.ts'
import { orderOfNames } from './sorted-by-name.ts'

export class WrittenTypes {
  readonly #bytes: ByteText
  /** The first piece of each type starts with a comma. */
  readonly #pieces = new Pieces()
  /** The name of the type of each piece. */
  readonly #names: string[] = []
  #count = 0

  constructor(bytes: ByteText) {
    this.#bytes = bytes
  }

  /** Adds the type that was written after a comma. */
  add(name: string): void {
    for (let added = this.#bytes.takeInto(this.#pieces); added > 0; added--) this.#names.push(name)
    this.#count++
  }

  /** Adds all types to the text, in the order of their names and with commas between them. Returns whether each has a name of its own. */
  *addInOrder(): Steps<boolean> {
    let names = 0
    let previous = ''
    // Pieces of one type stay in their order.
    const order = yield* orderOfNames(this.#names)
    for (let i = 0; i < order.length; i++) {
      const place = order[i]!
      this.#bytes.addFrom(this.#pieces, place, i === 0 ? 1 : 0)
      const name = this.#names[place]!
      if (name !== previous) names++
      previous = name
      if ((i + 1) % sortedAtOnce === 0) yield
    }
    return names === this.#count
  }
}
