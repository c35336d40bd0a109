// JSON text laid out for reading, token by token: every digit, every duplicate key and the order of keys stay.

const tokens = /"(?:[^"\\]|\\.)*"|[-+\w.]+|[[\]{}:,]/g

interface Node {
  /** Of lists and objects; null for a scalar. */
  readonly brackets: readonly [string, string] | null
  readonly items: readonly { readonly key: string | null; readonly value: Node }[]
  readonly flat: string
}

/** JSON text in lines of at most `width` characters where possible; other text is unchanged. */
export function layoutJson(text: string, width = 100): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return print(new Reader(text.match(tokens) ?? []).node(), { indent: '', before: 0, width })
}

class Reader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(read: readonly string[]) {
    this.#tokens = read
  }

  node(): Node {
    const first = this.#next()
    if (first !== '{' && first !== '[') return { brackets: null, items: [], flat: first }
    const close = first === '{' ? '}' : ']'
    const items: { key: string | null; value: Node }[] = []
    while (this.#tokens[this.#at] !== close) {
      if (items.length > 0) this.#next() // the comma
      const key = first === '{' ? this.#next() : null
      if (key !== null) this.#next() // the colon
      items.push({ key, value: this.node() })
    }
    this.#next()
    const inner = items.map(({ key, value }) => (key === null ? value.flat : `${key}: ${value.flat}`)).join(', ')
    const flat = first === '{' && inner !== '' ? `{ ${inner} }` : `${first}${inner}${close}`
    return { brackets: [first, close], items, flat }
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? ''
  }
}

/** The place of a value: `before` characters after the indentation of its line. */
interface Place {
  readonly indent: string
  readonly before: number
  readonly width: number
}

function print({ brackets, items, flat }: Node, { indent, before, width }: Place): string {
  if (!brackets || items.length === 0 || indent.length + before + flat.length <= width) return flat
  const deeper = `${indent}  `
  const lines = items.map(({ key, value }) => {
    const prefix = key === null ? '' : `${key}: `
    return `${deeper}${prefix}${print(value, { indent: deeper, before: prefix.length, width })}`
  })
  return `${brackets[0]}\n${lines.join(',\n')}\n${indent}${brackets[1]}`
}
