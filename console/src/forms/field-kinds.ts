// How the arguments of operations are asked for: the kind of a field by its schema, and its text to and from the argument.

import { parseExactly } from '../base/json.ts'
import type { Api, Schema } from '../server/openapi.ts'

/** How an argument is asked for. */
export type FieldKind = 'text' | 'number' | 'flag' | 'choice' | 'names' | 'table' | 'json'

/** An argument of an operation. */
export interface ArgumentField {
  readonly name: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  readonly description: string
  readonly choices: readonly string[]
}

const alternatives = ({ anyOf, oneOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? []

/** A schema without the alternative null. */
function withoutNull(schema: Schema, api: Api): Schema {
  const resolved = api.resolve(schema)
  const others = alternatives(resolved).filter((each) => api.resolve(each).type !== 'null')
  return others.length === 1 ? withoutNull(others[0]!, api) : resolved
}

const choicesOf = (schema: Schema, api: Api): readonly string[] => {
  const values = schema.enum ?? alternatives(schema).map((each) => api.resolve(each).const)
  return values.length > 0 && values.every((value) => typeof value === 'string') ? values : []
}

function kindOf(name: string, schema: Schema, api: Api): FieldKind {
  if (name === 'table') return 'table'
  if (choicesOf(schema, api).length > 0) return 'choice'
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  if (type === 'boolean') return 'flag'
  if (type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  const items = schema.items && api.resolve(schema.items)
  return type === 'array' && items?.type === 'string' && choicesOf(items, api).length === 0 ? 'names' : 'json'
}

/** The arguments of an operation, required ones first; null: they are not an object. */
export function fieldsOf(args: Schema, api: Api): readonly ArgumentField[] | null {
  const schema = withoutNull(args, api)
  if (!schema.properties) return schema.type === 'object' ? [] : null
  const fields = Object.entries(schema.properties).map(([name, property]) => {
    const own = withoutNull(property, api)
    return {
      ...{ name, kind: kindOf(name, own, api), isRequired: schema.required?.includes(name) ?? false },
      ...{ description: property.description ?? own.description ?? '', choices: choicesOf(own, api) },
    }
  })
  return fields.sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** An argument as the text of its field. */
export function textOf(kind: FieldKind, value: unknown): string {
  if (value === undefined) return ''
  if (kind === 'names' && Array.isArray(value)) return value.join(', ')
  if (kind === 'table' && typeof value === 'object' && value !== null) {
    const { schema, name } = value as { schema?: string; name?: string }
    return schema === undefined ? (name ?? '') : `${schema}.${name}`
  }
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value)
}

/** The argument for a text; undefined: it is not given. Throws where a text is not JSON. */
export function argumentFrom(kind: FieldKind, text: string): unknown {
  if (text.trim() === '') return undefined
  if (kind === 'number') return /^-?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text
  if (kind === 'names') {
    return text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  }
  if (kind === 'json') return parseExactly(text)
  const [, schema, name] = kind === 'table' ? (/^([^.]+)\.(.+)$/.exec(text) ?? []) : []
  return schema === undefined ? text : { schema, name }
}
