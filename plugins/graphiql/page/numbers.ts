// Numbers of the database may have more digits than those of JavaScript.

declare global {
  interface JSON {
    /** A value that is written as this text. */
    readonly rawJSON?: (text: string) => unknown
  }
}

/** For `JSON.parse`: keeps a number that JavaScript would round as it was written, where the browser can. */
export function readNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source || !JSON.rawJSON) return value
  return JSON.rawJSON(source)
}
