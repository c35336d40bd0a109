// JSON whose numbers keep their text.

/** A number in its original notation. */
export class Num {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text)
  }
}

export type Json = null | boolean | string | Num | readonly Json[] | { readonly [key: string]: Json }

export type JsonObject = { readonly [key: string]: Json }

export const isObject = (json: Json): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && !(json instanceof Num)

export const isList = (json: Json): json is readonly Json[] => Array.isArray(json)

/** Data of any kind as text, for comparisons. */
export const dataText = (data: unknown): string =>
  JSON.stringify(data, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)) ?? ''

type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Parses JSON text; every number keeps its text. */
export function parseExact(text: string): Json {
  const revive: SourceReviver = (_key, value, { source }) => (typeof value === 'number' ? new Num(source!) : value)
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as Json
}
