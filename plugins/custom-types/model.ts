// The model of custom types, with all names resolved.

import { type GraphQLFieldConfig, Kind, specifiedScalarTypes, type TypeNode } from 'graphql'
import type { SchemaScope } from '../../sdk/graphql.ts'
import type { QualifiedName } from '../../sdk/index.ts'
import type { PgType } from '../../sdk/metadata.ts'
import { scalarName } from '../../sdk/sql.ts'
import type { CustomEnum, CustomScalar } from './schema.ts'
import { typeNode } from './type-text.ts'

/** A pair of a relationship's mapping. */
export interface MappedField {
  readonly field: string
  readonly column: string
  /** The column's type, to which values of the field are cast. */
  readonly type: PgType
}

export interface RelationshipOfObject {
  readonly name: string
  readonly type: 'object' | 'array'
  readonly table: QualifiedName
  readonly mapping: readonly MappedField[]
  /** Whether the columns are a key of the table. */
  readonly unique: boolean
}

/** A relationship that another plugin answers. */
export interface ObjectMember {
  readonly name: string
  /** Makes the field, whose extension is `member`; null if the role does not see it. */
  field(scope: SchemaScope): (() => GraphQLFieldConfig<unknown, unknown>) | null
}

export interface ModelField {
  readonly name: string
  readonly description?: string
  readonly type: ResolvedType
}

/** The fields are added once all types exist, since types may refer to each other in cycles. */
export interface InputModel {
  readonly name: string
  readonly description?: string
  readonly fields: ModelField[]
}

export interface ObjectModel extends InputModel {
  /** The relationships to tables. */
  readonly relationships: RelationshipOfObject[]
  /** The relationships that other plugins answer. */
  readonly members: ObjectMember[]
}

/** A type that a name can stand for. */
export type NamedType =
  | { readonly kind: 'builtIn'; readonly name: string }
  | { readonly kind: 'database'; readonly type: PgType }
  | { readonly kind: 'scalar'; readonly scalar: CustomScalar }
  | { readonly kind: 'enum'; readonly enumeration: CustomEnum }
  | { readonly kind: 'input'; readonly input: InputModel }
  | { readonly kind: 'object'; readonly object: ObjectModel }

/** The GraphQL name of a type. */
export function nameOfType(type: NamedType): string {
  switch (type.kind) {
    case 'builtIn':
      return type.name
    case 'database':
      return scalarName(type.type) ?? type.type.name
    case 'scalar':
      return type.scalar.name
    case 'enum':
      return type.enumeration.name
    case 'input':
      return type.input.name
    case 'object':
      return type.object.name
    default:
      return type satisfies never
  }
}

/** The custom types, resolved. */
export interface CustomTypesModel {
  /** Whether the types are valid; `types` is empty otherwise. */
  readonly isConsistent: boolean
  /** The custom types by name. */
  readonly types: ReadonlyMap<string, NamedType>
}

const builtInScalars: ReadonlySet<string> = new Set(specifiedScalarTypes.map(({ name }) => name))

/** The type of a name; `database` finds types of the database. */
export function namedType(
  name: string,
  { types }: Pick<CustomTypesModel, 'types'>,
  database: (name: string) => PgType | undefined,
): NamedType | undefined {
  if (builtInScalars.has(name)) return { kind: 'builtIn', name }
  const custom = types.get(name)
  if (custom && custom.kind !== 'scalar') return custom
  // A custom scalar with the name of a database type is that type.
  const type = database(name)
  return type ? { kind: 'database', type } : custom
}

/** A type as a tree, which values and schemas are made from. */
export type ResolvedType =
  | { readonly kind: 'named'; readonly of: NamedType; readonly isNullable: boolean }
  | { readonly kind: 'list'; readonly of: ResolvedType; readonly isNullable: boolean }

/** The type of a text; undefined if the text names an unknown type. */
export function resolvedType(text: string, find: (name: string) => NamedType | undefined): ResolvedType | undefined {
  const resolve = (node: TypeNode, isNullable: boolean): ResolvedType | undefined => {
    if (node.kind === Kind.NON_NULL_TYPE) return resolve(node.type, false)
    if (node.kind === Kind.LIST_TYPE) {
      const of = resolve(node.type, true)
      return of && { kind: 'list', of, isNullable }
    }
    const of = find(node.name.value)
    return of && { kind: 'named', of, isNullable }
  }
  return resolve(typeNode(text), true)
}

/** The named type within lists. */
export const baseOf = (type: ResolvedType): NamedType => (type.kind === 'list' ? baseOf(type.of) : type.of)
