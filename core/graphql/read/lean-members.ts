// Fields, arguments and values as introspection reads them. graphql-js copies the configuration of each into an object of its
// own, which only planning needs: a schema of 1,000 tables has 200,000 of them.

import {
  assertEnumValueName,
  assertName,
  type GraphQLArgumentConfig,
  type GraphQLEnumValueConfig,
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
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

/** The members of these configurations; each call makes them anew, unless they are shared. */
export function listOf<Config>(configs: Given<Config> & Shared, Member: MemberClass<Config>): LeanList {
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
export const recordOf = <Config>(given: Given<Config>): Readonly<Record<string, Config>> =>
  given instanceof Map
    ? Object.fromEntries(Array.from(given as ReadonlyMap<string, () => Config>, ([name, make]) => [name, make()]))
    : (given as Readonly<Record<string, Config>>)
