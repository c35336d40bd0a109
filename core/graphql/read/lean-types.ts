// Types whose fields introspection reads as they are given. graphql-js copies the configuration of each field into objects
// of its own, which only planning needs: a schema of 1,000 tables has 200,000 fields.

import {
  assertEnumValueName,
  assertName,
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  type GraphQLEnumTypeConfig,
  type GraphQLEnumValueConfig,
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputObjectTypeConfig,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLObjectTypeConfig,
  type GraphQLOutputType,
  type GraphQLType,
} from 'graphql'

type InputConfig = GraphQLInputFieldConfig | GraphQLArgumentConfig
type FieldConfig = GraphQLFieldConfig<unknown, unknown>

const isUndescribed = ({ description, deprecationReason }: LeanInput | LeanField): boolean =>
  description == null && deprecationReason == null

/** The type within all wrappers. The check of the class is faster than that of graphql-js. */
export function namedType(type: GraphQLType): GraphQLNamedType {
  let within = type
  while (within instanceof GraphQLNonNull || within instanceof GraphQLList) within = within.ofType
  return within as GraphQLNamedType
}

/** An argument or a field of an input object, as introspection reads it. */
export class LeanInput {
  readonly name: string
  readonly description: string | null | undefined
  readonly type: GraphQLInputType
  readonly deprecationReason: string | null | undefined
  readonly default: GraphQLInputFieldConfig['default']
  readonly defaultValue: unknown
  /** Whether it has only a name and a type. */
  readonly isPlain: boolean

  constructor(name: string, config: InputConfig) {
    this.name = assertName(name)
    this.description = config.description
    this.type = config.type
    this.deprecationReason = config.deprecationReason
    this.default = config.default
    this.defaultValue = config.defaultValue
    this.isPlain = isUndescribed(this) && config.default === undefined && config.defaultValue === undefined
  }
}

/** A field, as introspection reads it. */
export class LeanField {
  readonly name: string
  readonly description: string | null | undefined
  readonly type: GraphQLOutputType
  readonly list: LeanList<LeanInput>
  readonly deprecationReason: string | null | undefined
  /** Whether it has only a name and a type. */
  readonly isPlain: boolean

  constructor(name: string, config: FieldConfig) {
    this.name = assertName(name)
    this.description = config.description
    this.type = config.type
    this.list = (config.args ? listOf(config.args, LeanInput) : noArguments) as LeanList<LeanInput>
    this.deprecationReason = config.deprecationReason
    this.isPlain = isUndescribed(this) && this.list.members.length === 0
  }

  get args(): readonly LeanInput[] {
    return this.list.members
  }
}

/** A value of an enum, as introspection reads it. */
export class LeanValue {
  readonly name: string
  readonly description: string | null | undefined
  readonly deprecationReason: string | null | undefined

  constructor(name: string, config: GraphQLEnumValueConfig) {
    this.name = assertEnumValueName(name)
    this.description = config.description
    this.deprecationReason = config.deprecationReason
  }
}

type LeanMember = LeanField | LeanInput | LeanValue

/** A list of fields, arguments or values. */
export class LeanList<Member = LeanMember> {
  readonly members: readonly Member[]
  /** Whether several fields or types have it. */
  readonly isShared: boolean
  /** The schema that has reached its types last. */
  reachedBy: unknown = null
  /** Where an answer has its text, if it is shared; `of` is the selected field that has the list. */
  written: { readonly of: unknown; readonly piece: unknown; readonly values: number } | null = null

  constructor(members: readonly Member[], isShared: boolean) {
    this.members = members
    this.isShared = isShared
  }
}

const noArguments = new LeanList<LeanInput>([], false)

/** The list of shared configurations. */
const list = Symbol('list')

interface Shared {
  [list]?: { made: LeanList | null }
}

/** Configurations of fields or arguments that several fields or types get: introspection writes them once. */
export function shared<Configs extends object>(configs: Configs): Configs {
  return Object.defineProperty(configs, list, { value: { made: null } })
}

/** Configurations by name, or what makes each of them. */
export type Given<Config> = Readonly<Record<string, Config>> | ReadonlyMap<string, () => Config>

/** A class of members. */
type MemberClass<Config> = new (name: string, config: Config) => LeanMember

function listOf<Config>(configs: Given<Config> & Shared, Member: MemberClass<Config>): LeanList {
  const known = configs[list]
  if (known?.made) return known.made
  const members: LeanMember[] = []
  // An iterator would make an array of each name with its value.
  if (configs instanceof Map)
    (configs as ReadonlyMap<string, () => Config>).forEach((make, name) => {
      members.push(new Member(name, make()))
    })
  else for (const name in configs) members.push(new Member(name, (configs as Readonly<Record<string, Config>>)[name]!))
  const made = new LeanList(members, known !== undefined)
  if (known) known.made = made
  return made
}

/** Configurations as graphql-js takes them. */
const recordOf = <Config>(given: Given<Config>): Readonly<Record<string, Config>> =>
  given instanceof Map
    ? Object.fromEntries(Array.from(given as ReadonlyMap<string, () => Config>, ([name, make]) => [name, make()]))
    : (given as Readonly<Record<string, Config>>)

/** Extensions of types that have none: an object for each would take a quarter of its memory. */
export const noExtensions = Object.freeze(Object.create(null))
/** The same for nodes of extensions. */
const noNodes: [] = []

/** The members of the classes. */
interface Lean {
  given: () => unknown
  description: string | null | undefined
}

/** Forgets everything but the name: most of a type's memory. `read` is called if its fields are read later on. */
export function release(type: GraphQLNamedType & Lean, read: () => never): void {
  type.given = read
  type.description = undefined
  const holder = type as { _fields?: () => never; _values?: () => never }
  if (type instanceof GraphQLEnumType) holder._values = read
  else holder._fields = read
}

type ObjectTypeConfig = Pick<
  GraphQLObjectTypeConfig<unknown, unknown>,
  'name' | 'description' | 'extensions' | 'interfaces'
>

/** An object type whose fields introspection reads as they are given; each call of `fields` may give them anew. */
export class LeanObjectType extends GraphQLObjectType {
  given: () => Given<FieldConfig>
  /** The schema that has reached the type last. */
  reachedBy: unknown = null
  /** Whether the type belongs to one introspection, and is a table's. */
  isReleasable = false

  constructor(config: ObjectTypeConfig & { readonly fields: LeanObjectType['given'] }) {
    const { name, description, interfaces, extensions = noExtensions, fields } = config
    super({ name, description, interfaces, extensions, extensionASTNodes: noNodes, fields: () => recordOf(fields()) })
    this.given = fields
  }
}

type InputTypeConfig = Pick<GraphQLInputObjectTypeConfig, 'name' | 'description' | 'extensions' | 'isOneOf'>

/** An input object whose fields introspection reads as they are given; each call of `fields` may give them anew. */
export class LeanInputType extends GraphQLInputObjectType {
  given: () => Given<GraphQLInputFieldConfig>
  /** The schema that has reached the type last. */
  reachedBy: unknown = null
  /** Whether the type belongs to one introspection, and is a table's. */
  isReleasable = false

  constructor(config: InputTypeConfig & { readonly fields: LeanInputType['given'] }) {
    const { name, description, isOneOf, extensions = noExtensions, fields } = config
    super({ name, description, isOneOf, extensions, extensionASTNodes: noNodes, fields: () => recordOf(fields()) })
    this.given = fields
  }
}

type EnumConfig = Pick<GraphQLEnumTypeConfig, 'name' | 'description'>

/** An enum whose values introspection reads as they are given. */
export class LeanEnumType extends GraphQLEnumType {
  given: () => Given<GraphQLEnumValueConfig>
  /** The schema that has reached the type last. */
  reachedBy: unknown = null
  /** Whether the type belongs to one introspection, and is a table's. */
  isReleasable = false

  constructor({ name, description, values }: EnumConfig & { readonly values: LeanEnumType['given'] }) {
    const extensions = noExtensions
    super({ name, description, extensions, extensionASTNodes: noNodes, values: () => recordOf(values()) })
    this.given = values
  }
}

/** Whether a type gives its fields anew whenever they are read for an introspection. */
export const isLean = (type: GraphQLNamedType): type is LeanObjectType | LeanInputType | LeanEnumType =>
  type instanceof LeanInputType || type instanceof LeanObjectType || type instanceof LeanEnumType

/** The fields or values of a type as they are given; null: it is another type. */
export function leanMembers(type: GraphQLNamedType): LeanList | null {
  if (type instanceof LeanInputType) return listOf(type.given(), LeanInput)
  if (type instanceof LeanObjectType) return listOf(type.given(), LeanField)
  return type instanceof LeanEnumType ? listOf(type.given(), LeanValue) : null
}
