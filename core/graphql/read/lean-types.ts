// Types whose fields introspection reads as they are given. graphql-js copies the configuration of each field into objects
// of its own, which only planning needs: a schema of 1,000 tables has 200,000 fields.

import {
  assertName,
  type GraphQLArgumentConfig,
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputObjectTypeConfig,
  type GraphQLInputType,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLObjectTypeConfig,
  type GraphQLOutputType,
} from 'graphql'

type InputConfig = GraphQLInputFieldConfig | GraphQLArgumentConfig
type FieldConfig = GraphQLFieldConfig<unknown, unknown>

const isUndescribed = ({ description, deprecationReason }: LeanInput | LeanField): boolean =>
  description == null && deprecationReason == null

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
    this.list = config.args ? inputsIn(config.args) : noArguments
    this.deprecationReason = config.deprecationReason
    this.isPlain = isUndescribed(this) && this.list.members.length === 0
  }

  get args(): readonly LeanInput[] {
    return this.list.members
  }
}

/** A list of fields or arguments. */
export class LeanList<Member = LeanField | LeanInput> {
  readonly members: readonly Member[]
  /** Whether several fields or types have it. */
  readonly isShared: boolean
  /** The schema that has reached its types last. */
  reachedBy: unknown = null
  /** Its text in an answer, if it is shared; `of` is the selected field that has the list. */
  written: { readonly of: unknown; readonly text: string; readonly values: number } | null = null

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

function listOf<Config, Member extends LeanField | LeanInput>(
  configs: Readonly<Record<string, Config>> & Shared,
  make: (name: string, config: Config) => Member,
): LeanList<Member> {
  const known = configs[list]
  if (known?.made) return known.made as LeanList<Member>
  const members = Object.keys(configs).map((name) => make(name, configs[name]!))
  const made = new LeanList<Member>(members, known !== undefined)
  if (known) known.made = made as LeanList
  return made
}

const inputsIn = (configs: Readonly<Record<string, InputConfig>>) =>
  listOf(configs, (name, config: InputConfig) => new LeanInput(name, config))

const fieldsIn = (configs: Readonly<Record<string, FieldConfig>>) =>
  listOf(configs, (name, config: FieldConfig) => new LeanField(name, config))

/** An object type whose fields introspection reads as they are given; each call of `fields` may give them anew. */
export class LeanObjectType extends GraphQLObjectType {
  readonly given: () => Readonly<Record<string, FieldConfig>>

  constructor(config: GraphQLObjectTypeConfig<unknown, unknown> & { readonly fields: LeanObjectType['given'] }) {
    super(config)
    this.given = config.fields
  }
}

/** An input object whose fields introspection reads as they are given; each call of `fields` may give them anew. */
export class LeanInputType extends GraphQLInputObjectType {
  readonly given: () => Readonly<Record<string, GraphQLInputFieldConfig>>

  constructor(config: GraphQLInputObjectTypeConfig & { readonly fields: LeanInputType['given'] }) {
    super(config)
    this.given = config.fields
  }
}

/** Whether a type gives its fields anew whenever they are read for an introspection. */
export const isLean = (type: GraphQLNamedType): boolean =>
  type instanceof LeanObjectType || type instanceof LeanInputType

/** The fields of a type as they are given; null: it is another type. */
export function leanMembers(type: GraphQLNamedType): LeanList | null {
  if (type instanceof LeanObjectType) return fieldsIn(type.given()) as LeanList
  return type instanceof LeanInputType ? (inputsIn(type.given()) as LeanList) : null
}
