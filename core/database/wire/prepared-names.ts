// The statements that one connection has prepared. PostgreSQL keeps them and their plans for the life of the connection
// without a limit on their memory, so the least recently used are closed. docs/performance.md has the measurements.

import { longestPreparedText, newcomersPerPlace, preparedTextLength } from '../tuning.ts'

export class PreparedNames {
  /** Text lengths in order of last use. */
  readonly #sizes = new Map<string, number>()
  #size = 0
  /** The most recently used name. */
  #newest: string | null = null

  /**
   * Whether a statement is worth preparing. When there is no room, only a random share of new ones is: otherwise statements
   * that repeat in a cycle would evict each other before they run again.
   */
  takes(name: string, text: string): boolean {
    if (this.#sizes.has(name)) return true
    if (text.length > longestPreparedText) return false
    if (this.#size + text.length <= preparedTextLength) return true
    return Math.random() * newcomersPerPlace < 1
  }

  /** Whether it is prepared; marks it as used. */
  use(name: string): boolean {
    const size = this.#sizes.get(name)
    if (size === undefined) return false
    if (name === this.#newest) return true
    this.#sizes.delete(name)
    this.#sizes.set(name, size)
    this.#newest = name
    return true
  }

  /** Records that a statement is being prepared; returns the names to close for it. */
  add(name: string, text: string): string[] {
    this.#sizes.set(name, text.length)
    this.#newest = name
    this.#size += text.length
    const closed: string[] = []
    for (const other of this.#sizes.keys()) {
      if (this.#size <= preparedTextLength) break
      this.remove(other)
      closed.push(other)
    }
    return closed
  }

  /** Records that a statement could not be prepared, or was closed. */
  remove(name: string): void {
    const size = this.#sizes.get(name)
    if (size === undefined) return
    this.#sizes.delete(name)
    this.#size -= size
  }
}
