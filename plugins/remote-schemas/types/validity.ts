// Checks that the types of a remote schema fit each other. The messages are those of v1.3.

import type {
  IntrospectionField,
  IntrospectionInputValue,
  IntrospectionInterfaceType,
  IntrospectionObjectType,
  IntrospectionSchema,
  IntrospectionType,
  IntrospectionTypeRef,
  IntrospectionUnionType,
} from 'graphql'
import { badRequest, type TrellisError } from '../../../sdk/index.ts'

const invalid = (message: string): TrellisError => badRequest('remote-schema-error', message)

type Types = ReadonlyMap<string, IntrospectionType>

/** Throws if the types of a schema do not fit each other. */
export function checkValidity(schema: IntrospectionSchema): void {
  const types: Types = new Map(schema.types.map((type) => [type.name, type]))
  for (const root of [schema.queryType, schema.mutationType, schema.subscriptionType]) {
    if (!root || types.get(root.name)?.kind === 'OBJECT') continue
    throw badRequest('unexpected', `"${root.name}" has to be an object type`)
  }
  for (const type of schema.types) {
    if (type.kind === 'INTERFACE') checkInterface(type, types)
    else if (type.kind === 'UNION') checkUnion(type, types)
    if (type.kind === 'OBJECT' || type.kind === 'INTERFACE') checkFields(type.fields, types)
    if (type.kind === 'INPUT_OBJECT') for (const field of type.inputFields) checkInput(field, types)
  }
  for (const type of schema.types) if (type.kind === 'OBJECT') checkImplementations(type, types)
}

function checkInterface({ name, fields, possibleTypes }: IntrospectionInterfaceType, types: Types): void {
  if (!(fields?.length > 0)) throw invalid(`List of fields cannot be empty for interface '${name}'`)
  for (const member of possibleTypes ?? []) checkMember(member.name, `Interface type '${name}'`, types, 'Interface')
}

function checkUnion({ name, possibleTypes }: IntrospectionUnionType, types: Types): void {
  if (!(possibleTypes?.length > 0)) throw invalid(`List of member types cannot be empty for union type '${name}'`)
  for (const member of possibleTypes) checkMember(member.name, `Union type '${name}'`, types, 'Union')
}

function checkMember(member: string, what: string, types: Types, kind: 'Interface' | 'Union'): void {
  const type = types.get(member)
  const name = what.slice(what.indexOf("'"))
  if (!type) throw invalid(`Could not find type '${member}', which is defined as a member type of ${kind} ${name}`)
  if (type.kind === 'OBJECT') return
  throw invalid(`${what} can only include object types. It cannot include '${member}'`)
}

function namedType(type: IntrospectionTypeRef): string {
  let at: IntrospectionTypeRef = type
  while (at.kind === 'LIST' || at.kind === 'NON_NULL') at = at.ofType
  return at.name
}

function checkFields(fields: readonly IntrospectionField[], types: Types): void {
  for (const field of fields ?? []) {
    if (found(namedType(field.type), types).kind === 'INPUT_OBJECT') {
      throw invalid('expected output type, but got input type')
    }
    for (const argument of field.args ?? []) checkInput(argument, types)
  }
}

function checkInput({ type }: IntrospectionInputValue, types: Types): void {
  const { kind } = found(namedType(type), types)
  if (kind === 'SCALAR' || kind === 'ENUM' || kind === 'INPUT_OBJECT') return
  throw invalid('expected input type, but got output type')
}

function found(name: string, types: Types): IntrospectionType {
  const type = types.get(name)
  if (!type) throw invalid(`Could not find type with name ${name}`)
  return type
}

function checkImplementations(object: IntrospectionObjectType, types: Types): void {
  for (const { name } of object.interfaces ?? []) {
    const type = types.get(name)
    if (type?.kind !== 'INTERFACE') {
      throw invalid(`Could not find interface '${name}' implemented by Object type '${object.name}'`)
    }
    for (const field of type.fields) checkImplementation(object, { type, field, types })
  }
}

/** A field of an interface that an object type implements. */
interface Implemented {
  readonly type: IntrospectionInterfaceType
  readonly field: IntrospectionField
  readonly types: Types
}

function checkImplementation(object: IntrospectionObjectType, { type, field, types }: Implemented): void {
  const wanted = `'${type.name}'."${field.name}"`
  const own = object.fields.find(({ name }) => name === field.name)
  if (!own) throw invalid(`Interface field ${wanted} expected, but '${object.name}' does not provide it`)
  const given = `'${object.name}'."${field.name}"`
  if (!isSubtype(own.type, field.type, types)) {
    const [ownType, fieldType] = [typeText(own.type), typeText(field.type)]
    throw invalid(
      `The type of Object field ${given} (${ownType}) is not the same type/sub type of Interface field ${wanted} (${fieldType})`,
    )
  }
  for (const argument of field.args ?? []) {
    const ownArgument = own.args?.find(({ name }) => name === argument.name)
    const what = `Interface field argument ${wanted}("${argument.name}":)`
    if (!ownArgument) throw invalid(`${what} required, but Object field ${given} does not provide it`)
    const [expected, actual] = [typeText(argument.type), typeText(ownArgument.type)]
    if (expected !== actual) {
      throw invalid(`${what} expects type ${expected}, but ${given}("${argument.name}":) has type ${actual}`)
    }
  }
  for (const { name, type: argumentType, defaultValue } of own.args ?? []) {
    if (argumentType.kind !== 'NON_NULL' || (defaultValue ?? null) !== null) continue
    if (field.args?.some((argument) => argument.name === name)) continue
    const what = `Object field argument ${given}("${name}":) is of required type ${typeText(argumentType)}`
    throw invalid(`${what}, but is not provided by Interface field ${wanted}`)
  }
}

function isSubtype(given: IntrospectionTypeRef, wanted: IntrospectionTypeRef, types: Types): boolean {
  if (wanted.kind === 'NON_NULL') return given.kind === 'NON_NULL' && isSubtype(given.ofType, wanted.ofType, types)
  if (given.kind === 'NON_NULL') return isSubtype(given.ofType, wanted, types)
  if (wanted.kind === 'LIST') return given.kind === 'LIST' && isSubtype(given.ofType, wanted.ofType, types)
  if (given.kind === 'LIST') return false
  if (given.name === wanted.name) return true
  const [type, abstract] = [types.get(given.name), types.get(wanted.name)]
  const implementsIt =
    (type?.kind === 'OBJECT' || type?.kind === 'INTERFACE') && type.interfaces?.some(({ name }) => name === wanted.name)
  if (implementsIt) return true
  return abstract?.kind === 'UNION' && abstract.possibleTypes.some(({ name }) => name === given.name)
}

function typeText(type: IntrospectionTypeRef): string {
  if (type.kind === 'NON_NULL') return `${typeText(type.ofType)}!`
  return type.kind === 'LIST' ? `[${typeText(type.ofType)}]` : type.name
}
