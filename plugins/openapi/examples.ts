// Makes a minimal value for a schema. An example in the schema takes precedence.

import type { JsonSchema } from './json-schema.ts'

type Components = ReadonlyMap<string, JsonSchema>

interface Keywords {
  readonly $ref?: string
  readonly examples?: readonly unknown[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly minItems?: number
}

/** A value that fits the schema; `key` is the name of its place, which texts without an example repeat. */
export function exampleOf(schema: JsonSchema, components: Components, key = 'text'): unknown {
  const { $ref, examples, anyOf, oneOf, ...keywords } = schema as Keywords
  if (examples) return examples[0]
  if ($ref !== undefined) return exampleOf(components.get($ref.split('/').at(-1)!) ?? {}, components, key)
  const [alternative] = anyOf ?? oneOf ?? []
  if (alternative) return exampleOf(alternative, components, key)
  if ('const' in keywords) return keywords.const
  if (keywords.enum) return keywords.enum[0]
  return exampleOfType(keywords, components, key)
}

function exampleOfType({ type, items = {}, ...keywords }: Keywords, components: Components, key: string): unknown {
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return key
    case 'integer':
    case 'number':
      return keywords.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return Array.from({ length: Math.max(1, keywords.minItems ?? 0) }, () => exampleOf(items, components, key))
    default:
      return exampleObject(keywords, components)
  }
}

function exampleObject({ properties = {}, required = [] }: Keywords, components: Components): unknown {
  return Object.fromEntries(required.map((key) => [key, exampleOf(properties[key] ?? {}, components, key)]))
}
