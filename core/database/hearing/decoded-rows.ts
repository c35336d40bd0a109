// Reads the rows in the texts of `test_decoding`: `INSERT: id[integer]:1 name[text]:'it''s'`.

/** A value as PostgreSQL prints it; null is NULL. */
export interface DecodedValue {
  /** The name of its type, such as `integer`. */
  readonly type: string
  readonly text: string | null
}

/** Values by column. A column is missing if it is not needed, or if the log does not have its value. */
export type DecodedRow = ReadonlyMap<string, DecodedValue>

/** A changed row, as far as the log has it. */
export interface DecodedChange {
  readonly kind: 'INSERT' | 'UPDATE' | 'DELETE'
  /**
   * The old values of the replica identity, without NULLs. Null for an `INSERT`, for an `UPDATE` that leaves the identity
   * as it is, and for a table without an identity.
   */
  readonly old: DecodedRow | null
  /** The new row; null for a `DELETE`. */
  readonly new: DecodedRow | null
}

/** A column has this in place of a long value that an `UPDATE` leaves as it is. */
const unchanged = 'unchanged-toast-datum'

/** Reads the text after the table's name, for some columns; null: the text has no rows, or another form. */
export function readChange(text: string, wanted: ReadonlySet<string>): DecodedChange | null {
  const reader = new RowReader(text, wanted)
  switch (reader.word()) {
    case 'INSERT:':
      return changed('INSERT', null, reader.row())
    case 'UPDATE:': {
      const hasOld = reader.takes(' old-key:')
      const old = hasOld ? reader.row(' new-tuple:') : null
      if (hasOld && (!old || !reader.takes(' new-tuple:'))) return null
      return changed('UPDATE', old, reader.row())
    }
    case 'DELETE:': {
      if (reader.takes(' (no-tuple-data)')) return { kind: 'DELETE', old: null, new: null }
      const old = reader.row()
      return old && { kind: 'DELETE', old, new: null }
    }
    default:
      return null
  }
}

const changed = (kind: DecodedChange['kind'], old: DecodedRow | null, row: DecodedRow | null): DecodedChange | null =>
  row && { kind, old, new: row }

class RowReader {
  readonly #text: string
  readonly #wanted: ReadonlySet<string>
  #at = 0

  constructor(text: string, wanted: ReadonlySet<string>) {
    this.#text = text
    this.#wanted = wanted
  }

  word(): string {
    const end = this.#text.indexOf(' ', this.#at)
    const word = this.#text.slice(this.#at, end < 0 ? undefined : end)
    this.#at += word.length
    return word
  }

  takes(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  /** The columns up to this text, or to the end; null: the text has another form. */
  row(end: string | null = null): DecodedRow | null {
    const row = new Map<string, DecodedValue>()
    while (this.#at < this.#text.length && (end === null || !this.#text.startsWith(end, this.#at))) {
      // The rest is of no interest.
      if (end === null && row.size === this.#wanted.size) return row
      if (!this.takes(' ')) return null
      const name = this.#name()
      const type = name === null ? null : this.#type()
      const value = type === null ? undefined : this.#value()
      if (name === null || type === null || value === undefined) return null
      if (value !== unchanged && this.#wanted.has(name)) row.set(name, { type, text: unquoted(value) })
    }
    return row
  }

  /** An identifier, which PostgreSQL quotes where needed. */
  #name(): string | null {
    const start = this.#at
    if (this.#text[start] !== '"') {
      this.#at = this.#text.indexOf('[', start)
      return this.#at < 0 ? null : this.#text.slice(start, this.#at)
    }
    return this.#skipQuoted('"') ? this.#text.slice(start + 1, this.#at - 1).replaceAll('""', '"') : null
  }

  /** The type in brackets, and the colon after it. Types may have brackets and quotes of their own. */
  #type(): string | null {
    if (!this.takes('[')) return null
    const start = this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      if (this.#text[this.#at] === '"') {
        if (!this.#skipQuoted('"')) return null
        this.#at--
      } else if (this.takes(']:')) return this.#text.slice(start, this.#at - 2)
    }
    return null
  }

  /** The printed value, with its quotes. */
  #value(): string | undefined {
    const start = this.#at
    // Bits are printed as `B'101'`.
    if (this.#text.startsWith("B'", start)) this.#at++
    if (this.#text[this.#at] === "'") {
      if (!this.#skipQuoted("'")) return undefined
    } else {
      const end = this.#text.indexOf(' ', start)
      this.#at = end < 0 ? this.#text.length : end
    }
    return this.#text.slice(start, this.#at)
  }

  /** Skips a quoted text, in which quotes are doubled; gives whether it ends. */
  #skipQuoted(quote: string): boolean {
    let end = this.#text.indexOf(quote, this.#at + 1)
    while (end >= 0 && this.#text[end + 1] === quote) end = this.#text.indexOf(quote, end + 2)
    this.#at = end < 0 ? this.#text.length : end + 1
    return end >= 0
  }
}

function unquoted(value: string): string | null {
  if (value === 'null') return null
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value
}
