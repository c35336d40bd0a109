// The only producer of SQL text. Text, identifiers and values are separate kinds of fragment, so a value can never become
// text: the `sql` tag interpolates fragments only.

import type { ParamSource, Sql } from './param.ts'

export type { Sql } from './param.ts'

/** The class of all fragments, so that no JSON of a request can pass for one. */
class Fragment implements Sql {
  readonly parts: Sql['parts']
  readonly cast?: NonNullable<Sql['cast']>

  constructor(parts: Sql['parts'], cast?: NonNullable<Sql['cast']>) {
    this.parts = parts
    if (cast) this.cast = cast
  }
}

/** Returns a fragment; throws for any other value, which plugins in JavaScript may give. `giver` begins the message. */
export function requireFragment(value: Sql, giver?: string): Sql {
  if (value instanceof Fragment) return value
  const kind = value === null ? 'null' : `a value of type ${typeof value}`
  const ways = 'param() for a value, literal() for a constant text, id() for a name'
  const message = `SQL is made of fragments, not of ${kind}: use ${ways}`
  throw new TypeError(giver === undefined ? message : `${giver}: ${message}`)
}

/** SQL with fragments in it: ``sql`select ${id('a')} from ${table}` ``. */
export function sql(strings: TemplateStringsArray, ...fragments: readonly Sql[]): Sql {
  if (strings.raw === undefined) throw new TypeError('sql is a tag: write sql`select 1`, not sql(text)')
  const parts: (string | Sql)[] = []
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i]
    if (text) parts.push(text)
    if (i < fragments.length) parts.push(requireFragment(fragments[i]!))
  }
  return new Fragment(parts)
}

/** SQL without text. */
export const empty: Sql = new Fragment([])

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A quoted identifier, qualified when several names are given. */
export const id = (...names: readonly string[]): Sql => new Fragment([names.map(quote).join('.')])

/** A string constant of the statement's shape, such as a JSON key; request data goes through {@link param}. */
export const literal = (text: string): Sql => {
  const body = text.replaceAll("'", "''")
  return new Fragment([body.includes('\\') ? ` E'${body.replaceAll('\\', '\\\\')}'` : `'${body}'`])
}

/** An integer of the statement's shape, such as a permission's limit. */
export const integer = (value: number): Sql => {
  if (!Number.isSafeInteger(value)) throw new TypeError(`not an integer: ${value}`)
  return new Fragment([String(value)])
}

/** How a text becomes a value: the PostgreSQL type of a cast, or a function that builds the expression. */
export type SqlType = string | ((text: Sql) => Sql)

/** A text as a value of a type. */
export const typed = (text: Sql, type: SqlType): Sql =>
  typeof type === 'string' ? new Fragment([text, `::${type}`]) : requireFragment(type(text))

/** A value known at run time, bound as a parameter; `type` says how its text becomes a value. */
export const param = (source: ParamSource, type: SqlType): Sql =>
  typeof type === 'string'
    ? new Fragment([new Fragment([source]), `::${type}`], { source, type })
    : typed(new Fragment([source]), type)

/** Fragments with a separator between them. */
export function join(fragments: readonly Sql[], separator = ', '): Sql {
  const parts: (string | Sql)[] = []
  for (const [i, fragment] of fragments.entries()) {
    if (i > 0) parts.push(separator)
    parts.push(requireFragment(fragment))
  }
  return new Fragment(parts)
}

/** Trusted text that the engine wrote itself, such as an operator's symbol; never data of a request. */
export const trusted = (text: string): Sql => new Fragment([text])

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
    return new Fragment(
      parts.map((part) => {
        return typeof part === 'string' ? part : 'parts' in part ? replaced(part) : placeOf(part, null)
      }),
    )
  }
  return { fragment: replaced(requireFragment(fragment)), params: [...places.keys()] }
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
  print(requireFragment(fragment))
  return { text, params }
}

/** The text as PostgreSQL can store it: replaces U+0000 and lone surrogates by U+FFFD; returns other texts as they are. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
