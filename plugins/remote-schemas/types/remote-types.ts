// The types of a remote schema that its root fields lead to, and their local names.

import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  type GraphQLUnionType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'
import { compareText } from '../../../sdk/index.ts'
import type { TableModel } from '../../../sdk/metadata.ts'
import { elementOf, scalarName } from '../../../sdk/sql.ts'
import type { Customization } from '../schema.ts'
import { introspectedSchema } from './introspected-schema.ts'
import { RemoteNames } from './names.ts'

export type RootKind = 'query' | 'mutation' | 'subscription'

export interface RemoteTypes {
  readonly schema: GraphQLSchema
  readonly names: RemoteNames
  /** The definitions of reachable types, by local name; types of the same name must have equal definitions. */
  readonly definitions: ReadonlyMap<string, string>
  /** The local names of reachable scalars. */
  readonly scalars: ReadonlySet<string>
  /** The unions of each object type, by the server's name of the object type. */
  readonly unions: ReadonlyMap<string, readonly GraphQLUnionType[]>
}

/** By introspection, which is immutable; a reload brings another one. */
const typesByCustomization = new WeakMap<object, Map<string, RemoteTypes>>()

/** The types of an introspected schema, customized; throws if the customization does not fit the types. */
export function remoteTypes(
  introspection: object,
  customization: Customization = {},
  { lenientSchema = false }: { readonly lenientSchema?: boolean } = {},
): RemoteTypes {
  const byCustomization = typesByCustomization.get(introspection) ?? new Map<string, RemoteTypes>()
  typesByCustomization.set(introspection, byCustomization)
  const key = JSON.stringify([customization, lenientSchema])
  let types = byCustomization.get(key)
  if (!types) {
    types = makeTypes(introspectedSchema(introspection), customization, lenientSchema)
    byCustomization.set(key, types)
  }
  return types
}

function makeTypes(schema: GraphQLSchema, customization: Customization, lenient: boolean): RemoteTypes {
  const names = new RemoteNames(schema, customization, lenient)
  const reached = reachableTypes(schema)
  const own = reached.filter((type) => !isSpecifiedScalarType(type) && !isIntrospectionType(type))
  const definitions = own.map((type) => [names.localType(type.name), definitionText(type, schema, names)] as const)
  const scalars = own.filter(isScalarType).map(({ name }) => names.localType(name))
  const unions = unionsOf(own)
  return { schema, names, definitions: new Map(definitions), scalars: new Set(scalars), unions }
}

function unionsOf(types: readonly GraphQLNamedType[]): Map<string, GraphQLUnionType[]> {
  const unions = new Map<string, GraphQLUnionType[]>()
  for (const union of types.filter(isUnionType)) {
    for (const { name } of union.getTypes()) unions.set(name, [...(unions.get(name) ?? []), union])
  }
  return unions
}

/** The root type of that kind; null if the schema has no such type. */
export function rootTypeOf(schema: GraphQLSchema, kind: RootKind): GraphQLObjectType | null {
  if (kind === 'query') return schema.getQueryType() ?? null
  return (kind === 'mutation' ? schema.getMutationType() : schema.getSubscriptionType()) ?? null
}

/** The remote names of the root fields that are served, which excludes names of introspection. */
export function rootFieldNames(schema: GraphQLSchema, kind: RootKind): string[] {
  const type = rootTypeOf(schema, kind)
  return type ? Object.keys(type.getFields()).filter((name) => !name.startsWith('__')) : []
}

/** The local names of the root fields that a schema adds. */
export function localRootFields({ schema, names }: RemoteTypes, kind: RootKind): string[] {
  const fields = rootFieldNames(schema, kind)
  if (names.namespace !== null) return fields.length > 0 ? [names.namespace] : []
  return fields.map((field) => names.localField(rootTypeOf(schema, kind)!.name, field))
}

/** The local name of the type that holds the root fields of a namespace. */
export const namespaceType = ({ namespace }: RemoteNames, kind: RootKind): string => `${namespace}_${kind}`

function reachableTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  const reached = new Set<GraphQLNamedType>()
  const waiting: GraphQLNamedType[] = []
  const reach = (type: GraphQLNamedType) => {
    if (reached.has(type)) return
    reached.add(type)
    waiting.push(type)
  }
  for (const kind of ['query', 'mutation', 'subscription'] as const) {
    const fields = rootTypeOf(schema, kind)?.getFields() ?? {}
    for (const name of rootFieldNames(schema, kind)) {
      reach(getNamedType(fields[name]!.type))
      for (const { type } of fields[name]!.args) reach(getNamedType(type))
    }
  }
  for (let type = waiting.pop(); type; type = waiting.pop()) for (const next of leadsTo(type, schema)) reach(next)
  return [...reached]
}

function* leadsTo(type: GraphQLNamedType, schema: GraphQLSchema): Iterable<GraphQLNamedType> {
  if (isObjectType(type) || isInterfaceType(type)) {
    yield* type.getInterfaces()
    for (const field of Object.values(type.getFields())) {
      yield getNamedType(field.type)
      for (const argument of field.args) yield getNamedType(argument.type)
    }
  }
  if (isAbstractType(type)) yield* schema.getPossibleTypes(type)
  if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) yield getNamedType(field.type)
}

/** A type with local names. */
function typeText(type: GraphQLType, names: RemoteNames): string {
  if (isNonNullType(type)) return `${typeText(type.ofType, names)}!`
  return isListType(type) ? `[${typeText(type.ofType, names)}]` : names.localType(type.name)
}

/** The definition that two types of the same name must share: kind, and members with their types and arguments. */
function definitionText(type: GraphQLNamedType, schema: GraphQLSchema, names: RemoteNames): string {
  const sorted = (list: readonly string[]) => [...list].sort(compareText)
  const types = (list: readonly GraphQLNamedType[]) => sorted(list.map(({ name }) => names.localType(name)))
  const typed = (list: readonly { readonly name: string; readonly type: GraphQLType }[]) =>
    sorted(list.map((member) => `${member.name}: ${typeText(member.type, names)}`))
  if (isObjectType(type) || isInterfaceType(type)) {
    const fields = Object.values(type.getFields()).map(({ name, args, type: given }) => {
      return `${names.localField(type.name, name)}(${typed(args)}): ${typeText(given, names)}`
    })
    const related = isObjectType(type) ? type.getInterfaces() : schema.getPossibleTypes(type)
    return compositeText(isObjectType(type) ? 'object' : 'interface', sorted(fields), types(related))
  }
  if (isUnionType(type)) return JSON.stringify(['union', types(type.getTypes())])
  if (isInputObjectType(type)) return JSON.stringify(['input', typed(Object.values(type.getFields()))])
  if (isEnumType(type)) return JSON.stringify(['enum', sorted(type.getValues().map(({ name }) => name))])
  return '["scalar"]'
}

const compositeText = (kind: string, fields: readonly string[], related: readonly string[]): string =>
  JSON.stringify([kind, fields, related])

/**
 * The definition of the row type of a table without other fields than columns; null if a column refers to an enum table.
 * `hasLists`: arrays are lists.
 */
export function rowDefinition({ columns }: TableModel, hasLists: boolean): string | null {
  const fields: string[] = []
  for (const { field, type, nullable, enumTable } of columns.values()) {
    const isList = hasLists && type.isArray
    const scalar = scalarName(isList ? elementOf(type) : type)
    if (enumTable) return null
    if (field === null || scalar === null) continue
    const path = type.name === 'json' || type.name === 'jsonb' ? 'path: String' : ''
    fields.push(`${field}(${path}): ${isList ? `[${scalar}!]` : scalar}${nullable ? '' : '!'}`)
  }
  return compositeText('object', fields.sort(compareText), [])
}
