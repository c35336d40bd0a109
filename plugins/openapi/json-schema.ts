// TypeBox schemas as JSON Schema 2020-12, as requests may look. Options of decoding are left out. An optional key may also
// be null, which counts as absent.

import { Kind, KindGuard, OptionalKind, type TObject, type TSchema, type TUnion, Type } from '../../sdk/index.ts'
import { decodeOptions, type UnknownKeys } from '../../sdk/metadata.ts'

/** A JSON Schema as JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Where references between the schemas of an OpenAPI document lead. */
export const componentRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** Keywords that mean the same in both, and hold no schemas. */
const plainKeywords = [
  'type',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'const',
  'enum',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  '$ref',
]

/** Keywords that hold one schema, a list of them, or schemas by name. */
const schemaKeywords = ['items', 'not', 'anyOf', 'oneOf', 'allOf', 'properties', 'patternProperties']

const namedSchemaKeywords = ['properties', 'patternProperties']

/** Writes schemas; those with a `title` or a reference to themselves become components, each written once. */
export class SchemaWriter {
  /** The components so far, by name. */
  readonly components = new Map<string, JsonSchema>()
  readonly #names = new Map<string, string>()
  readonly #unknownKeys: UnknownKeys
  /** Whether the schema describes input of the server. */
  #isGiven = false

  /** `unknownKeys`: the treatment of those in arguments. */
  constructor(unknownKeys: UnknownKeys = 'passed over') {
    this.#unknownKeys = unknownKeys
  }

  /** The schema of a value that is decoded like the arguments of operations. */
  writeArguments(schema: TSchema): JsonSchema {
    this.#isGiven = true
    const written = this.write(schema)
    this.#isGiven = false
    return written
  }

  write(schema: TSchema): JsonSchema {
    const { shown, tolerated } = decodeOptions(schema)
    if (tolerated !== undefined && this.#isGiven && this.#unknownKeys === 'passed over') return this.write(tolerated)
    if (shown !== undefined) return this.write(shown)
    if (schema[Kind] === 'This' || schema[Kind] === 'Ref') return componentRef(this.#names.get(schema.$ref)!)
    const { title, $id }: { readonly title?: string; readonly $id?: string } = schema
    if (title === undefined && $id === undefined) return this.#shape(schema)
    return this.#component(schema, title ?? $id!, $id)
  }

  /** Adds a component that is JSON Schema already; returns the reference to it. */
  add(name: string, schema: JsonSchema): JsonSchema {
    this.components.set(name, schema)
    return componentRef(name)
  }

  #component(schema: TSchema, title: string, $id: string | undefined): JsonSchema {
    if ($id !== undefined) {
      const known = this.#names.get($id)
      if (known !== undefined) return componentRef(known)
      // Holds the name while the schema refers to itself.
      const name = this.#freeName(title)
      this.#names.set($id, name)
      this.components.set(name, {})
      this.components.set(name, this.#shape(schema))
      return componentRef(name)
    }
    const written = this.#shape(schema)
    const name = this.#freeName(title, written)
    this.components.set(name, written)
    return componentRef(name)
  }

  /** The title, or with a number when another schema has it. */
  #freeName(title: string, written?: JsonSchema): string {
    for (let n = 1; ; n++) {
      const name = n === 1 ? title : `${title}${n}`
      const known = this.components.get(name)
      if (known === undefined || JSON.stringify(known) === JSON.stringify(written)) return name
    }
  }

  #shape(schema: TSchema): JsonSchema {
    if (KindGuard.IsObject(schema)) return this.#object(schema)
    if (KindGuard.IsUnion(schema)) return this.#union(schema)
    if (KindGuard.IsRecord(schema)) {
      const [member = Type.Unknown()] = Object.values(schema.patternProperties)
      return { ...plain(schema), additionalProperties: this.write(member) }
    }
    if (KindGuard.IsTuple(schema)) {
      const { items = [], ...length } = schema
      return { ...plain(length), prefixItems: items.map((each) => this.write(each)), items: false }
    }
    return this.#keywords(schema)
  }

  #object(schema: TObject): JsonSchema {
    const properties = Object.entries(schema.properties).map(([key, property]): [string, JsonSchema] => {
      const written = this.write(property)
      return [key, property[OptionalKind] === 'Optional' ? orNull(written) : written]
    })
    const isClosed = this.#isGiven && this.#unknownKeys === 'refused'
    return {
      ...(isClosed && { additionalProperties: false }),
      ...plain(schema),
      properties: Object.fromEntries(properties),
    }
  }

  #union(schema: TUnion): JsonSchema {
    const { anyOf } = schema
    if (anyOf.every((each) => each[Kind] === 'Literal')) {
      return { ...plain(schema), enum: anyOf.map((each) => each.const) }
    }
    return { ...plain(schema), anyOf: anyOf.map((each) => this.write(each)) }
  }

  /** A schema taken keyword by keyword, from any source. */
  #keywords(schema: TSchema): JsonSchema {
    const nested = schemaKeywords.flatMap((keyword): [string, unknown][] => {
      const value: unknown = schema[keyword]
      if (value === undefined) return []
      if (Array.isArray(value)) return [[keyword, value.map((each: TSchema) => this.write(each))]]
      return [[keyword, namedSchemaKeywords.includes(keyword) ? this.#named(value) : this.write(value as TSchema)]]
    })
    return { ...plain(schema), ...Object.fromEntries(nested) }
  }

  #named(schemas: unknown): JsonSchema {
    const entries = Object.entries(schemas as Readonly<Record<string, TSchema>>)
    return Object.fromEntries(entries.map(([key, each]) => [key, this.write(each)]))
  }
}

function plain(schema: TSchema): JsonSchema {
  const given = plainKeywords.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : []))
  // Without this keyword unknown keys are taken, and passed over.
  const open =
    typeof schema.additionalProperties === 'boolean' ? [['additionalProperties', schema.additionalProperties]] : []
  return Object.fromEntries([...given, ...open])
}

/** The schema, or null. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf, enum: values, $ref } = schema
  if (Array.isArray(values)) return { ...schema, enum: [...new Set([...values, null])] }
  if (Array.isArray(anyOf)) return acceptsNull(anyOf) ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  if ($ref !== undefined || 'const' in schema) return { anyOf: [schema, { type: 'null' }] }
  return typeof type === 'string' && type !== 'null' ? { ...schema, type: [type, 'null'] } : schema
}

const acceptsNull = (schemas: readonly unknown[]): boolean =>
  schemas.some((each) => (each as JsonSchema)['type'] === 'null')
