// JSON with all the digits of its numbers, which JavaScript's own numbers do not keep.

/** A number whose digits a JavaScript number would lose. `JSON.stringify` writes it as it was. */
export interface ExactNumber {
  readonly rawJSON: string
}

interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown): unknown
  rawJSON?(text: string): ExactNumber
  isRawJSON?(value: unknown): boolean
}

// Browsers have them; the compiler does not know them yet.
const json = JSON as unknown as ExactJson

/** Digits of which every number is exact. */
const exactDigits = 15
const manyDigits = new RegExp(`\\d[\\d.]{${exactDigits}}|\\d[eE]|\\d\\.\\d*0(?!\\d)`)

/** Parses JSON; numbers keep their digits where the browser can. */
export function parseExactly(text: string): unknown {
  const { rawJSON } = json
  // A look at each member takes a while, and most texts have no such number.
  if (!rawJSON || !manyDigits.test(text)) return JSON.parse(text)
  return json.parse(text, (_, value, context) => {
    const source = context?.source
    return typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value
  })
}

/** Whether a parsed value is a number whose digits were kept. */
export const isExactNumber = (value: unknown): value is ExactNumber => json.isRawJSON?.(value) === true

/** JSON in one line, with spaces where it may wrap. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value, null, 1).replace(/([[{]?)\n *([\]}]?)/g, (_, opened: string, closed: string) =>
    opened || closed ? opened + closed : ' ',
  )
