// The only producer of SQL text. Text, identifiers and values are separate kinds of fragment, so a value can never become
// text: the `sql` tag interpolates fragments only.

import type { ParamSource, Sql } from './param.ts'

export type { Sql } from './param.ts'

/** SQL with fragments in it: ``sql`select ${id('a')} from ${table}` ``. */
export function sql(strings: TemplateStringsArray, ...fragments: readonly Sql[]): Sql {
  const parts: (string | Sql)[] = []
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i]
    if (text) parts.push(text)
    const fragment = fragments[i]
    if (fragment) parts.push(fragment)
  }
  return { parts }
}

/** SQL without text. */
export const empty: Sql = { parts: [] }

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A quoted identifier, qualified when several names are given. */
export const id = (...names: readonly string[]): Sql => ({ parts: [names.map(quote).join('.')] })

/** A string constant of the statement's shape, such as a JSON key; request data goes through {@link param}. */
export const literal = (text: string): Sql => {
  const body = text.replaceAll("'", "''")
  return { parts: [body.includes('\\') ? ` E'${body.replaceAll('\\', '\\\\')}'` : `'${body}'`] }
}

/** An integer of the statement's shape, such as a permission's limit. */
export const integer = (value: number): Sql => {
  if (!Number.isSafeInteger(value)) throw new TypeError(`not an integer: ${value}`)
  return { parts: [String(value)] }
}

/** How a text becomes a value: the PostgreSQL type of a cast, or a function that builds the expression. */
export type SqlType = string | ((text: Sql) => Sql)

/** A text as a value of a type. */
export const typed = (text: Sql, type: SqlType): Sql =>
  typeof type === 'string' ? { parts: [text, `::${type}`] } : type(text)

/** A value known at run time, bound as a parameter; `type` says how its text becomes a value. */
export const param = (source: ParamSource, type: SqlType): Sql => {
  const value = typed({ parts: [source] }, type)
  return typeof type === 'string' ? { ...value, cast: { source, type } } : value
}

/** Fragments with a separator between them. */
export function join(fragments: readonly Sql[], separator = ', '): Sql {
  const parts: (string | Sql)[] = []
  for (const [i, fragment] of fragments.entries()) {
    if (i > 0) parts.push(separator)
    parts.push(fragment)
  }
  return { parts }
}

/** Trusted text that the engine wrote itself, such as an operator's symbol; never data of a request. */
export const trusted = (text: string): Sql => ({ parts: [text] })

/** A statement's text with `$1`, `$2`… and the source of each parameter. */
export interface Statement {
  readonly text: string
  readonly params: readonly ParamSource[]
}

/**
 * Replaces the parameters of a fragment, for values that do not come from the request. `params` lists the replaced
 * sources, each once, in the order of {@link compile}.
 */
export function replaceParams(
  fragment: Sql,
  place: (index: number) => Sql,
): { readonly fragment: Sql; readonly params: readonly ParamSource[] } {
  return replaceValues(fragment, (index, type) => (type === null ? place(index) : typed(place(index), type)))
}

/**
 * As {@link replaceParams}, but replaces each parameter together with its cast; `type` is null where the expression around
 * the parameter stays.
 */
export function replaceValues(
  fragment: Sql,
  place: (index: number, type: string | null) => Sql,
): ReturnType<typeof replaceParams> {
  const places = new Map<ParamSource, { readonly index: number; readonly byType: Map<string | null, Sql> }>()
  const placeOf = (source: ParamSource, type: string | null): Sql => {
    const known = places.get(source) ?? { index: places.size, byType: new Map<string | null, Sql>() }
    places.set(source, known)
    const value = known.byType.get(type) ?? place(known.index, type)
    known.byType.set(type, value)
    return value
  }
  const replaced = ({ parts, cast }: Sql): Sql => {
    if (cast) return placeOf(cast.source, cast.type)
    return {
      parts: parts.map((part) => {
        return typeof part === 'string' ? part : 'parts' in part ? replaced(part) : placeOf(part, null)
      }),
    }
  }
  return { fragment: replaced(fragment), params: [...places.keys()] }
}

/** Prints a fragment; the same source object is bound once however often it occurs. */
export function compile(fragment: Sql): Statement {
  const params: ParamSource[] = []
  const numbers = new Map<ParamSource, number>()
  let text = ''
  const print = (piece: Sql) => {
    for (const part of piece.parts) {
      if (typeof part === 'string') text += part
      else if ('parts' in part) print(part)
      else {
        let number = numbers.get(part)
        if (number === undefined) {
          number = params.push(part)
          numbers.set(part, number)
        }
        text += `$${number}`
      }
    }
  }
  print(fragment)
  return { text, params }
}

/** The text as PostgreSQL can store it: replaces U+0000 and lone surrogates by U+FFFD; returns other texts as they are. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
