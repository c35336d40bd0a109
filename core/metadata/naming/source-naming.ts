// The names that a source gives its root fields and types: a prefix, a suffix, and a namespace around the root fields.

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { parseFailed } from '../../errors/errors.ts'
import { isGraphQLName } from '../../names/names.ts'
import { pascalCase } from './casing.ts'

/** Text before and after a name. */
export interface Affixes {
  readonly prefix: string
  readonly suffix: string
}

/** The naming of a source's objects in GraphQL. */
export interface SourceNaming {
  readonly rootFields: Affixes
  readonly types: Affixes
  /** The field of every root type that holds the root fields; null: they stand at the root. */
  readonly namespace: string | null
  /** Whether generated names are in camel case, and types in Pascal case. */
  readonly isCamel: boolean
}

/** The naming convention of camel case. The other one is that of the dialect. */
export const camelConvention = 'graphql-default'

/** No text around a name. */
export const noAffixes: Affixes = { prefix: '', suffix: '' }

/** The naming of a source without customization. */
export const plainNaming: SourceNaming = { rootFields: noAffixes, types: noAffixes, namespace: null, isCamel: false }

/** The same in camel case. */
export const camelNaming: SourceNaming = { ...plainNaming, isCamel: true }

/** The name with its prefix and suffix. */
export const withAffixes = (name: string, { prefix, suffix }: Affixes): string =>
  prefix === '' && suffix === '' ? name : `${prefix}${name}${suffix}`

/** The name that has the prefix and suffix in the schema; null: it cannot have them. */
export function withoutAffixes(name: string, { prefix, suffix }: Affixes): string | null {
  if (prefix === '' && suffix === '') return name
  const fits = name.length > prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  return fits ? name.slice(prefix.length, name.length - suffix.length) : null
}

const nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

function nameStart(text: string): string {
  if (text === '' || (isGraphQLName(text) && !text.startsWith('__'))) return text
  throw parseFailed(`${JSON.stringify(text)} cannot begin a GraphQL name`)
}

function nameEnd(text: string): string {
  if (text === '' || isGraphQLName(`_${text}`)) return text
  throw parseFailed(`${JSON.stringify(text)} cannot end a GraphQL name`)
}

function fieldName(text: string): string {
  if (isGraphQLName(text) && !text.startsWith('__')) return text
  throw parseFailed(`${JSON.stringify(text)} is not a valid GraphQL name`)
}

const closed = { additionalProperties: false }
const affixes = {
  prefix: nullable(Type.String({ convert: nameStart })),
  suffix: nullable(Type.String({ convert: nameEnd })),
}

/** The customization of a source in documents and arguments. */
export const Customization = Type.Object(
  {
    root_fields: nullable(
      Type.Object({ namespace: nullable(Type.String({ convert: fieldName })), ...affixes }, closed),
    ),
    type_names: nullable(Type.Object(affixes, closed)),
    naming_convention: nullable(Type.String()),
  },
  closed,
)

/** The customization of a source. */
export type Customization = Static<typeof Customization>

const affixesOf = (given: { readonly [part in keyof Affixes]?: string | null } | null | undefined): Affixes => ({
  prefix: given?.prefix ?? '',
  suffix: given?.suffix ?? '',
})

/** The naming that a customization asks for. */
export const namingOf = ({
  root_fields: rootFields,
  type_names: types,
  naming_convention: convention,
}: Customization): SourceNaming => ({
  rootFields: affixesOf(rootFields),
  types: affixesOf(types),
  namespace: rootFields?.namespace ?? null,
  isCamel: convention === camelConvention,
})

/** The name that the source gives to a type of its objects. */
export const sourceType = (name: string, { types, isCamel }: Pick<SourceNaming, 'types' | 'isCamel'>): string =>
  withAffixes(isCamel ? pascalCase(name) : name, types)

/** The suffixes of the types of namespaces, by root. */
const namespaceTypes = {
  query: '_query',
  mutation: '_mutation_frontend',
  subscription: '_subscription',
} as const

/** The name of the type of a namespace in a root. */
export const namespaceType = (
  namespace: string,
  root: keyof typeof namespaceTypes,
  { types }: Pick<SourceNaming, 'types'>,
): string => withAffixes(`${namespace}${namespaceTypes[root]}`, types)

/** Whether a namespace has a type of this name. */
export const isNamespaceType = (name: string, naming: SourceNaming): boolean =>
  naming.namespace !== null &&
  (['query', 'mutation', 'subscription'] as const).some(
    (root) => name === namespaceType(naming.namespace!, root, naming),
  )

/** A root field of the source among all root fields: its name, after that of its namespace. */
export function placedField(name: string, { rootFields, namespace }: SourceNaming): string {
  const field = withAffixes(name, rootFields)
  return namespace === null ? field : `${namespace}.${field}`
}

/** The name that a root field of the source has without customization; null: no field of the source is called that. */
export function unplacedField(field: string, { rootFields, namespace }: SourceNaming): string | null {
  if (namespace === null) return withoutAffixes(field, rootFields)
  const within = `${namespace}.`
  return field.startsWith(within) ? withoutAffixes(field.slice(within.length), rootFields) : null
}
