// References to types in an introspection: each text is a template that the type's name completes. Almost half of an answer
// is such texts, and a schema has few kinds of types and wrappers.

import { GraphQLList, type GraphQLNamedType, GraphQLNonNull, isListType, isNonNullType, isScalarType } from 'graphql'
import { mostWrappers, partBlock } from '../tuning.ts'
import { ByteText, bytesIn, bytesOf } from './byte-text.ts'

/** The text of a reference without the name of the type, and the number of values in it. */
class ReferenceText {
  readonly values: number
  /** The name stands between them. */
  readonly #parts: readonly Uint8Array[]
  /** Texts of scalars, which are few; null: the template is for types of another kind. */
  readonly #known: Map<string, Uint8Array> | null
  readonly #text: string

  constructor(text: string, values: number, isOfScalars: boolean) {
    this.#text = text
    this.#parts = text.split(nameless).map(bytesOf)
    this.values = values
    this.#known = isOfScalars ? new Map() : null
  }

  write(name: string, out: ByteText): void {
    if (this.#known) out.bytes(this.#known.get(name) ?? this.#keep(this.#known, name))
    else {
      const parts = this.#parts
      out.bytes(parts[0]!)
      for (let i = 1; i < parts.length; i++) {
        out.text(name)
        out.bytes(parts[i]!)
      }
    }
  }

  #keep(known: Map<string, Uint8Array>, name: string): Uint8Array {
    const bytes = bytesOf(this.#text.replaceAll(nameless, name))
    known.set(name, bytes)
    return bytes
  }
}

/** Stands for the name of a type: neither names nor the rest of a reference contain it. */
const nameless = '?'

/** A selected field of a reference: a scalar or an enum, or the type within a wrapper. */
interface ReferenceField {
  readonly opening: Uint8Array
  readonly leaf: ((source: unknown, out: ByteText) => void) | null
  readonly fields: readonly ReferenceField[] | null
}

/** Writes a reference field by field, and returns the number of its values. */
function writeFields(fields: readonly ReferenceField[], type: unknown, out: ByteText): number {
  let values = fields.length
  for (const field of fields) {
    out.bytes(field.opening)
    const within = Object(type).ofType
    if (field.leaf) field.leaf(type, out)
    else if (within) values += writeFields(field.fields!, within, out)
    else out.text('null')
  }
  out.text(fields.length === 0 ? '{}' : '}')
  return values
}

/** Templates of one field's references, by the kind of the type and its wrappers. */
export class ReferenceTexts {
  readonly #fields: readonly ReferenceField[]
  readonly #known = new Map<unknown, ReferenceText[]>()

  constructor(fields: readonly ReferenceField[]) {
    this.#fields = fields
  }

  /** Writes a reference, and returns the number of its values; null: the type has more wrappers than any template. */
  write(type: unknown, out: ByteText): number | null {
    let wrappers = 1
    let within = type
    // Wrappers from the outside, as the digits of a number.
    for (;;) {
      if (within instanceof GraphQLNonNull) wrappers = wrappers * 2 + 1
      else if (within instanceof GraphQLList) wrappers = wrappers * 2
      else break
      within = within.ofType
    }
    if (wrappers > mostWrappers) return null
    const { name, constructor: kind } = within as GraphQLNamedType
    const template =
      this.#known.get(kind)?.[wrappers] ?? this.#made(type, { kind, wrappers, isScalar: isScalarType(within) })
    template.write(name, out)
    return template.values
  }

  #made(type: unknown, { kind, wrappers, isScalar }: { kind: unknown; wrappers: number; isScalar: boolean }) {
    const out = new ByteText(partBlock)
    const values = writeFields(this.#fields, withoutName(type), out)
    const template = new ReferenceText(Buffer.from(bytesIn(out)).toString(), values, isScalar)
    const templates = this.#known.get(kind) ?? []
    templates[wrappers] = template
    this.#known.set(kind, templates)
    return template
  }
}

/** A type of the same kind within the same wrappers. */
function withoutName(type: unknown): unknown {
  if (isNonNullType(type)) return new GraphQLNonNull(withoutName(type.ofType) as GraphQLNamedType)
  if (isListType(type)) return new GraphQLList(withoutName(type.ofType) as GraphQLNamedType)
  return Object.assign(Object.create(Object.getPrototypeOf(type)), type, { name: nameless })
}
