// The filter of rows as people type it: `total > 5 and customer.country = Norway`. It becomes a boolean expression.

/** A boolean expression of the server. */
export type Condition = Readonly<Record<string, unknown>>

/** A filter that cannot be read; `at` is the place in its text. */
export class FilterFault extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.name = 'FilterFault'
    this.at = at
  }
}

interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'sign' | 'end'
  readonly text: string
  readonly at: number
  readonly end: number
}

const pattern =
  /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|(<>|!=|<=|>=|!~\*?|~\*?|[=<>(),.])|([^\s'"=<>!~(),.]+(?:\.\d+)?))/y

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  pattern.lastIndex = 0
  while (pattern.lastIndex < text.trimEnd().length) {
    const at = pattern.lastIndex
    const found = pattern.exec(text)
    if (!found) throw new FilterFault(`cannot be read from here: ${text.slice(at, at + 20).trim()}`, at)
    const [whole, quoted, name, sign, word] = found
    const place = { at: at + whole.length - whole.trimStart().length, end: pattern.lastIndex }
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll("''", "'"), ...place })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"'), ...place })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, ...place })
    else tokens.push({ kind: 'word', text: word!, ...place })
  }
  return [...tokens, { kind: 'end', text: 'the end', at: text.length, end: text.length }]
}

const operators: Readonly<Record<string, string>> = {
  '=': '_eq',
  '!=': '_neq',
  '<>': '_neq',
  '<': '_lt',
  '>': '_gt',
  '<=': '_lte',
  '>=': '_gte',
  '~': '_regex',
  '~*': '_iregex',
  '!~': '_nregex',
  '!~*': '_niregex',
  like: '_like',
  ilike: '_ilike',
}

/** Reads the value of a column from the text of it; `type` is PostgreSQL's name, undefined where it is not known. */
export function readValue(text: string, type: string | undefined, isQuoted: boolean): unknown {
  if (type === 'bool') {
    const value = { true: true, t: true, yes: true, false: false, f: false, no: false }[text.toLowerCase()]
    return value ?? text
  }
  // These have numbers in JSON; the others keep all their digits as texts.
  if ((type === 'int2' || type === 'int4') && /^-?\d+$/.test(text)) return Number(text)
  if (type !== undefined || isQuoted) return text
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text) ? Number(text) : text
}

class Reader {
  #at = 0
  readonly #text: string
  readonly #tokens: readonly Token[]
  readonly #types: ReadonlyMap<string, string>

  constructor(text: string, types: ReadonlyMap<string, string>) {
    this.#text = text
    this.#tokens = tokensOf(text)
    this.#types = types
  }

  whole(): Condition {
    const condition = this.#any()
    if (this.#next.kind !== 'end') throw this.#fault('expected "and", "or" or the end')
    return condition
  }

  get #next(): Token {
    return this.#tokens[this.#at]!
  }

  #fault(message: string): FilterFault {
    const { text, at } = this.#next
    return new FilterFault(`${message}, found ${text}`, at)
  }

  /** Takes the next token if it is this keyword or sign. */
  #took(text: string): boolean {
    const { kind, text: next } = this.#next
    if ((kind !== 'word' && kind !== 'sign') || next.toLowerCase() !== text) return false
    this.#at += 1
    return true
  }

  #any(): Condition {
    const parts = [this.#all()]
    while (this.#took('or')) parts.push(this.#all())
    return parts.length === 1 ? parts[0]! : { _or: parts }
  }

  #all(): Condition {
    const parts = [this.#one()]
    while (this.#took('and')) parts.push(this.#one())
    return parts.length === 1 ? parts[0]! : { _and: parts }
  }

  #one(): Condition {
    if (this.#took('not')) return { _not: this.#one() }
    if (!this.#took('(')) return this.#comparison()
    const inner = this.#any()
    if (!this.#took(')')) throw this.#fault('expected ")"')
    return inner
  }

  #comparison(): Condition {
    const path = [this.#name()]
    while (this.#took('.')) path.push(this.#name())
    const type = path.length === 1 ? this.#types.get(path[0]!) : undefined
    return path.reduceRight<Condition>((inner, name) => ({ [name]: inner }), this.#test(type))
  }

  #name(): string {
    const { kind, text } = this.#next
    if (kind !== 'word' && kind !== 'name') throw this.#fault('expected a column')
    this.#at += 1
    return text
  }

  #test(type: string | undefined): Condition {
    if (this.#took('is')) {
      const isNot = this.#took('not')
      if (!this.#took('null')) throw this.#fault('expected "null"')
      return { _is_null: !isNot }
    }
    const isNot = this.#took('not')
    if (this.#took('in')) return { [isNot ? '_nin' : '_in']: this.#list(type) }
    const operator = operators[this.#next.text.toLowerCase()]
    if (this.#next.kind === 'end' || operator === undefined) throw this.#fault('expected a comparison such as =')
    this.#at += 1
    const value = this.#value(type)
    if (!isNot) return { [operator]: value }
    if (operator !== '_like' && operator !== '_ilike') throw this.#fault('"not" belongs before the column')
    return { [operator.replace('_', '_n')]: value }
  }

  #list(type: string | undefined): readonly unknown[] {
    if (!this.#took('(')) throw this.#fault('expected "("')
    const values = [this.#value(type)]
    while (this.#took(',')) values.push(this.#value(type))
    if (!this.#took(')')) throw this.#fault('expected ")"')
    return values
  }

  /** A quoted text, or words up to the next keyword or sign. */
  #value(type: string | undefined): unknown {
    if (this.#next.kind === 'text') {
      const { text } = this.#next
      this.#at += 1
      return readValue(text, type, true)
    }
    const start = this.#next.at
    let end = start
    while (this.#isPartOfValue()) {
      end = this.#next.end
      this.#at += 1
    }
    if (end === start) throw this.#fault('expected a value')
    return readValue(this.#text.slice(start, end), type, false)
  }

  #isPartOfValue(): boolean {
    const { kind, text } = this.#next
    return kind === 'word' ? !/^(?:and|or)$/i.test(text) : kind === 'sign' && text === '.'
  }
}

/** Reads a filter; an empty one is null. Throws `FilterFault`. `types` are those of the table's own columns. */
export const readFilter = (text: string, types: ReadonlyMap<string, string>): Condition | null =>
  text.trim() === '' ? null : new Reader(text, types).whole()

const quotedName = (name: string): string => (/^[a-z_][\w$]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** The text of a filter for one value of a column; null is `is null`. */
export const filterFor = (column: string, value: string | null): string =>
  value === null ? `${quotedName(column)} is null` : `${quotedName(column)} = '${value.replaceAll("'", "''")}'`
