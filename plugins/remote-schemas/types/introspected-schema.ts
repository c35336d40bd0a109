// Turns the answer to an introspection query into a schema. The messages of its errors are those of v1.3.

import {
  buildClientSchema,
  type GraphQLSchema,
  type IntrospectionQuery,
  type IntrospectionSchema,
  type IntrospectionType,
  isEnumType,
} from 'graphql'
import { badRequest, messageOf, TrellisError } from '../../../sdk/index.ts'
import { own, type WireObject } from '../../../sdk/metadata.ts'
import { jsonType } from '../../../sdk/services.ts'
import { checkValidity } from './validity.ts'

/** Schemas and errors of frozen answers, which cannot change. */
const schemas = new WeakMap<object, GraphQLSchema | TrellisError>()

/** The schema of an answer; throws if it is not an introspection. Cached as long as the answer lives. */
export function introspectedSchema(answer: unknown): GraphQLSchema {
  const isKept = typeof answer === 'object' && answer !== null && Object.isFrozen(answer)
  const kept = isKept ? schemas.get(answer) : undefined
  const schema = kept ?? schemaOrError(answer)
  if (isKept && !kept) schemas.set(answer, schema)
  if (schema instanceof TrellisError) throw schema
  return schema
}

function schemaOrError(answer: unknown): GraphQLSchema | TrellisError {
  try {
    const introspection = readIntrospection(answer)
    checkValidity(introspection.__schema)
    const schema = buildClientSchema(introspection, { assumeValid: true })
    // graphql-js makes the values of enums lazily, and reports their errors only then.
    for (const type of Object.values(schema.getTypeMap())) if (isEnumType(type)) type.getValues()
    return schema
  } catch (error) {
    if (error instanceof TrellisError) return error
    // The messages of graphql-js are meant for users, those of the JavaScript engine are not.
    const isOfLanguage = error instanceof TypeError || error instanceof RangeError
    return malformed('.data.__schema', isOfLanguage ? 'it is not what introspection gives' : messageOf(error))
  }
}

/** The fields that an answer lists more than once for a type; the schema has each of them once. */
export function repeatedFields(answer: object, type: string): string[] {
  const { types } = (answer as { readonly data: IntrospectionQuery }).data.__schema
  const listed = types.find(({ name }) => name === type)
  const names = listed?.kind === 'OBJECT' ? (listed.fields ?? []).map(({ name }) => name) : []
  const seen = new Set<string>()
  return names.filter((name) => {
    const isRepeated = seen.has(name)
    seen.add(name)
    return isRepeated
  })
}

const malformed = (at: string, reason: string) => badRequest('remote-schema-error', `Error in $${at}: ${reason}`)

function member(value: unknown, key: string, at: string): unknown {
  if (jsonType(value) !== 'Object') {
    throw malformed(at, `parsing Object failed, expected Object, but encountered ${jsonType(value)}`)
  }
  const found = own(value as WireObject, key)
  if (found === undefined) throw malformed(at, `key "${key}" not found`)
  return found
}

/** Checks the parts of the answer's shape that later steps rely on. */
function readIntrospection(answer: unknown): IntrospectionQuery {
  const schema = member(member(answer, 'data', ''), '__schema', '.data')
  const at = '.data.__schema'
  const types = member(schema, 'types', at)
  if (!Array.isArray(types)) {
    throw malformed(`${at}.types`, `parsing [] failed, expected Array, but encountered ${jsonType(types)}`)
  }
  for (const [i, type] of types.entries()) {
    for (const key of ['kind', 'name']) checkText(member(type, key, `${at}.types[${i}]`), `${at}.types[${i}].${key}`)
  }
  const query = member(schema, 'queryType', at)
  checkText(member(query, 'name', `${at}.queryType`), `${at}.queryType.name`)
  return { __schema: completed(schema as IntrospectionSchema) }
}

/** Adds empty lists where a server sends null, or leaves the list out. */
function completed(schema: IntrospectionSchema): IntrospectionSchema {
  const isPartial = (type: IntrospectionType) =>
    (type.kind === 'OBJECT' || type.kind === 'INTERFACE') && !(type.interfaces && type.fields)
  if (!schema.types.some(isPartial)) return schema
  const types = schema.types.map((type) => {
    if (type.kind !== 'OBJECT' && type.kind !== 'INTERFACE') return type
    return { ...type, interfaces: type.interfaces ?? [], fields: type.fields ?? [] }
  })
  return { ...schema, types }
}

function checkText(value: unknown, at: string): void {
  if (typeof value === 'string') return
  throw malformed(at, `parsing Text failed, expected String, but encountered ${jsonType(value)}`)
}
