// Parses PostgreSQL array literals, such as `{a,"b c",NULL}`, in session variables that hold several values.

import { badRequest } from '../../../sdk/index.ts'

export type ArrayItem = string | null | readonly ArrayItem[]

/** Bounds of dimensions may precede the array; they are ignored. */
const bounds = /^[ \t-\r]*(?:(?:\[[-+]?\d+(?::[-+]?\d+)?\])+[ \t-\r]*=[ \t-\r]*)?(?=\{)/

/** The items of an array literal; null if the text is a single value. Throws if the array is malformed. */
export function arrayItems(text: string): readonly ArrayItem[] | null {
  const start = bounds.exec(text)
  return start && new ArrayReader(text, start[0].length).whole()
}

/** PostgreSQL's white space. */
const space = /[ \t-\r]*/y
/** An unquoted item, which may have escaped characters, and trailing white space. */
const bare = /(?:\\.|[^\\"{},])+/sy
const quoted = /"((?:\\.|[^\\"])*)"/sy

class ArrayReader {
  readonly #text: string
  #at: number

  constructor(text: string, at: number) {
    this.#text = text
    this.#at = at
  }

  whole(): readonly ArrayItem[] {
    const items = this.#items(1)
    this.#take(space)
    if (this.#at < this.#text.length) throw this.#malformed()
    return items
  }

  #items(depth: number): readonly ArrayItem[] {
    // PostgreSQL allows six dimensions (MAXDIM).
    if (depth > 6) throw this.#malformed()
    this.#at++
    this.#take(space)
    if (this.#has('}')) return []
    const items: ArrayItem[] = []
    do {
      this.#take(space)
      items.push(this.#text[this.#at] === '{' ? this.#items(depth + 1) : this.#item())
      this.#take(space)
    } while (this.#has(','))
    if (!this.#has('}') || !items.every((item) => isAlike(item, items[0]))) throw this.#malformed()
    return items
  }

  #item(): string | null {
    const inQuotes = this.#take(quoted)
    if (inQuotes) return unescaped(inQuotes[1]!)
    const item = withoutSpace(this.#take(bare)?.[0] ?? '')
    if (item === '') throw this.#malformed()
    return item.toLowerCase() === 'null' ? null : unescaped(item)
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #has(delimiter: string): boolean {
    const isThere = this.#text[this.#at] === delimiter
    if (isThere) this.#at++
    return isThere
  }

  #malformed() {
    return badRequest('data-exception', `malformed array literal: "${this.#text}"`)
  }
}

/** Whether both are single values, or arrays of the same dimensions. Items of each array were compared before. */
function isAlike(one: ArrayItem, other: ArrayItem | undefined): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return Array.isArray(one) === Array.isArray(other)
  return one.length === other.length && (one.length === 0 || isAlike(one[0], other[0]))
}

/** The text without trailing white space, unless a backslash escapes it. */
function withoutSpace(text: string): string {
  let kept = text.length
  while (kept > 0 && ' \t\n\v\f\r'.includes(text[kept - 1]!)) kept -= 1
  let backslashes = 0
  while (text[kept - 1 - backslashes] === '\\') backslashes += 1
  return text.slice(0, backslashes % 2 === 1 ? kept + 1 : kept)
}

const unescaped = (text: string): string => text.replace(/\\(.)/gs, '$1')
