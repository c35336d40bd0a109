// The statements that one connection has prepared. PostgreSQL keeps them and their plans for as long as the connection
// lives, and nothing bounds what they take there, so those that were not used for longest are closed.

/**
 * Characters of all texts on one connection, and of one that is worth preparing. Parsed, rewritten and planned a
 * statement takes PostgreSQL some 100 to 200 times its text: docs/performance.md.
 */
const maxText = 200_000
const maxTextOfOne = 50_000

/** How many newcomers there are for a place when there is no room. */
const newcomersPerPlace = 8

export class PreparedNames {
  /** Sizes of the texts, in order of their last use. */
  readonly #sizes = new Map<string, number>()
  #size = 0
  /** The one that was used last. */
  #newest: string | null = null

  /**
   * Whether a statement is worth preparing. When there is no room only one newcomer in some is: were it each, statements that
   * come round in a circle would push each other out before they run again.
   */
  takes(name: string, text: string): boolean {
    if (this.#sizes.has(name)) return true
    if (text.length > maxTextOfOne) return false
    if (this.#size + text.length <= maxText) return true
    return Math.random() * newcomersPerPlace < 1
  }

  /** Whether it is prepared; notes that it is used. */
  use(name: string): boolean {
    const size = this.#sizes.get(name)
    if (size === undefined) return false
    if (name === this.#newest) return true
    this.#sizes.delete(name)
    this.#sizes.set(name, size)
    this.#newest = name
    return true
  }

  /** Notes that a statement is being prepared; the names of those that have to be closed for it. */
  add(name: string, text: string): string[] {
    this.#sizes.set(name, text.length)
    this.#newest = name
    this.#size += text.length
    const closed: string[] = []
    for (const other of this.#sizes.keys()) {
      if (this.#size <= maxText) break
      this.remove(other)
      closed.push(other)
    }
    return closed
  }

  /** Notes that a statement could not be prepared, or is gone. */
  remove(name: string): void {
    const size = this.#sizes.get(name)
    if (size === undefined) return
    this.#sizes.delete(name)
    this.#size -= size
  }
}
