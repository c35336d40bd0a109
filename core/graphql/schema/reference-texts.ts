// References to types in an introspection: each text is a template that the type's name completes. Almost half of an answer
// is such texts, and a schema has few kinds of types and wrappers.

import { GraphQLList, type GraphQLNamedType, GraphQLNonNull, isListType, isNonNullType, isScalarType } from 'graphql'
import { mostWrappers } from '../tuning.ts'

/** The text of a reference without the name of the type, and the number of values in it. */
export class ReferenceText {
  readonly values: number
  /** The name stands between them. */
  readonly #parts: readonly string[]
  /** Texts of scalars, which are few; null: the template is for types of another kind. */
  readonly #known: Map<string, string> | null

  constructor(text: string, values: number, isOfScalars: boolean) {
    this.#parts = text.split(nameless)
    this.values = values
    this.#known = isOfScalars ? new Map() : null
  }

  textFor(name: string): string {
    if (!this.#known) return this.#made(name)
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const text = this.#made(name)
    this.#known.set(name, text)
    return text
  }

  #made(name: string): string {
    const parts = this.#parts
    return parts.length === 2 ? parts[0] + name + parts[1] : parts.join(name)
  }
}

/** Stands for the name of a type: a name never contains it. */
const nameless = '\0'

interface Wrapper {
  readonly ofType: unknown
}

/** Templates of one field's references, by the kind of the type and its wrappers. */
export class ReferenceTexts {
  readonly #known = new Map<unknown, (ReferenceText | undefined)[]>()

  /** The template for references to types like this one; null: the type has more wrappers than any template. */
  of(
    type: unknown,
    write: (type: unknown) => { readonly text: string; readonly values: number },
  ): { readonly template: ReferenceText; readonly name: string } | null {
    const { wrappers, within } = unwrapped(type)
    if (wrappers > mostWrappers) return null
    const kind = within.constructor
    let templates = this.#known.get(kind)
    if (!templates) {
      templates = []
      this.#known.set(kind, templates)
    }
    let template = templates[wrappers]
    if (!template) {
      const { text, values } = write(withoutName(type))
      template = new ReferenceText(text, values, isScalarType(within))
      templates[wrappers] = template
    }
    return { template, name: within.name }
  }
}

/** Wrappers of types, from the outside, as the digits of a number; and the type within. */
function unwrapped(type: unknown): { readonly wrappers: number; readonly within: GraphQLNamedType } {
  let wrappers = 1
  let within = type as GraphQLNamedType | Wrapper
  while ('ofType' in within) {
    wrappers = wrappers * 2 + (isNonNullType(within) ? 1 : 0)
    within = within.ofType as GraphQLNamedType | Wrapper
  }
  return { wrappers, within }
}

/** A type of the same kind within the same wrappers. */
function withoutName(type: unknown): unknown {
  if (isNonNullType(type)) return new GraphQLNonNull(withoutName(type.ofType) as GraphQLNamedType)
  if (isListType(type)) return new GraphQLList(withoutName(type.ofType) as GraphQLNamedType)
  return Object.assign(Object.create(Object.getPrototypeOf(type)), type, { name: nameless })
}
