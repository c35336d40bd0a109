// Variables that requests give as text: in the path, in the query string, or in a form.

import { type graphql as g, graphql } from '../../sdk/graphql.ts'
import { readJson } from '../../sdk/http.ts'
import { badRequest, type TrellisError } from '../../sdk/index.ts'
import { jsonType } from '../../sdk/services.ts'
import { longestShown } from './tuning.ts'

/** A variable of a stored query. */
export interface VariableReader {
  readonly name: string
  /** The value of a text, or of the texts of a name that is given several times; refuses texts of another type. */
  read(given: string | readonly string[]): unknown
}

type ReadText = (text: string) => unknown

/** Scalars that are written as JSON numbers. */
const numbers: ReadonlySet<string> = new Set([
  ...['Int', 'Float', 'Number', 'Double', 'smallint', 'bigint', 'numeric', 'float4', 'float8', 'real', 'double'],
  ...['int2', 'int4', 'int8', 'decimal', 'integer'],
])

const booleans: ReadonlySet<string> = new Set(['Boolean', 'boolean', 'bool'])

/** Scalars that hold any JSON value. */
const jsonScalars: ReadonlySet<string> = new Set(['json', 'jsonb'])

/** Input objects that are generated for tables. A text cannot hold their values. */
const inputObject =
  /_(?:bool_exp|order_by|(?:set|inc|append|prepend|delete_\w+)_input|\w+_insert_input|insert_input|pk_columns_input|on_conflict|comparison_exp|updates)$/

/** The reader of a variable, by its declared type. */
export function variableReader({ variable, type }: g.VariableDefinitionNode): VariableReader {
  const name = variable.name.value
  const readText = textReader(name, type)
  const readItem = itemReader(name, type)
  return {
    name,
    read(given) {
      if (typeof given === 'string') return readText(given)
      if (readItem) return given.map(readItem)
      throw badRequest('bad-request', `Variable ${name} is given several times`)
    },
  }
}

const withoutNull = (type: g.TypeNode): g.NamedTypeNode | g.ListTypeNode =>
  type.kind === graphql.Kind.NON_NULL_TYPE ? type.type : type

/** The reader of one item; null for a type that is not a list. */
function itemReader(name: string, type: g.TypeNode): ReadText | null {
  const list = withoutNull(type)
  return list.kind === graphql.Kind.LIST_TYPE ? textReader(name, list.type) : null
}

function textReader(name: string, type: g.TypeNode): ReadText {
  const isNullable = type.kind !== graphql.Kind.NON_NULL_TYPE
  const declared = withoutNull(type)
  const orNull = (read: ReadText): ReadText => (isNullable ? (text) => (text === 'null' ? null : read(text)) : read)
  if (declared.kind === graphql.Kind.LIST_TYPE) return orNull(listReader(name, declared))
  const typeName = declared.name.value
  if (numbers.has(typeName)) return orNull(jsonReader(name, typeName, 'Number'))
  if (booleans.has(typeName)) {
    const read = orNull(jsonReader(name, typeName, 'Boolean'))
    // A flag without a value: `?flag`.
    return (text) => text === '' || read(text)
  }
  if (jsonScalars.has(typeName)) return anyJson(name, typeName)
  if (inputObject.test(typeName)) {
    return (text) => {
      throw unsupported(name, text)
    }
  }
  return (text) => text
}

const unsupported = (name: string, text: string): TrellisError => {
  const hint = 'Consider putting it in the request body'
  return badRequest(
    'bad-request',
    `Type of URL parameter for variable ${name} not supported - ${hint}: ${text.slice(0, longestShown)}`,
  )
}

const wrongType = (name: string, expected: string, got: string): TrellisError =>
  badRequest('bad-request', `Expected ${expected} for variable ${name} got ${got === 'Boolean' ? 'Bool' : got}`)

/** A text as JSON; `undefined` if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return readJson(Buffer.from(text), 'lossless')
  } catch {
    return undefined
  }
}

const typeOf = (value: unknown) => (value === undefined ? 'String' : jsonType(value))

function jsonReader(name: string, typeName: string, expected: 'Number' | 'Boolean'): ReadText {
  return (text) => {
    const value = parsed(text)
    const type = typeOf(value)
    if (type !== expected) throw wrongType(name, typeName, type)
    return value
  }
}

function anyJson(name: string, typeName: string): ReadText {
  return (text) => {
    const value = parsed(text)
    if (value === undefined) throw wrongType(name, typeName, 'String')
    return value
  }
}

/** A list is written in JSON; any other text counts as a list of one. */
function listReader(name: string, list: g.ListTypeNode): ReadText {
  const readItem = textReader(name, list.type)
  return (text) => {
    const value = text.trimStart().startsWith('[') ? parsed(text) : undefined
    return Array.isArray(value) ? value : [readItem(text)]
  }
}
