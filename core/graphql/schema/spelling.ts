// The names of fields, arguments and enum values that the naming convention of the source changes. Planners go on to use
// the names that they declared: the reading of requests turns one into the other.

import {
  GraphQLEnumType,
  type GraphQLEnumValueConfigMap,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { camelCase, withSuffix } from '../../metadata/naming/casing.ts'
import type { Given } from '../read/lean-members.ts'
import { TableEnumType, type TableInputType, type TableObjectType } from '../read/table-types.ts'

/** Arguments whose names are words of the interface; others are columns, or arguments of functions. */
const spelledArguments = new Set(['distinct_on', 'order_by', 'on_conflict', 'pk_columns', 'batch_size'])
const isSpelled = (name: string) => name.startsWith('_') || spelledArguments.has(name)

/** A field with its arguments in camel case. */
export function spelledField<F extends GraphQLFieldConfig<unknown, unknown>>(field: F): F {
  const { args } = field
  if (!args || !Object.keys(args).some(isSpelled)) return field
  const spelled: GraphQLFieldConfigArgumentMap = {}
  for (const [name, argument] of Object.entries(args)) {
    const given = { ...argument, extensions: { ...argument.extensions, declaredName: name } }
    if (isSpelled(name)) spelled[camelCase(name)] = given
    else spelled[name] = argument
  }
  return { ...field, args: spelled }
}

/** The members of rows, which have names of their own. */
type OwnNames = Pick<ReadonlyMap<string, unknown>, 'has'>

/** Suffixes that stand behind the name of a member. */
const memberSuffixes = ['_aggregate', '_connection']

function spelledName(name: string, own: OwnNames): string {
  if (own.has(name)) return name
  const suffix = memberSuffixes.find((each) => name.endsWith(each) && own.has(name.slice(0, -each.length)))
  return suffix ? withSuffix(name.slice(0, -suffix.length), suffix, true) : camelCase(name)
}

interface Named {
  name: string
  extensions: object
}

function rename(named: Named, name: string): void {
  if (named.name === name) return
  named.extensions = { ...named.extensions, declaredName: named.name }
  named.name = name
}

type Fields = Readonly<Record<string, Named & { readonly args?: readonly Named[] }>>

/** The same configuration of a field or an argument, of which requests see another name. */
function spelledConfig<Config extends object>(config: Config, name: string, spelled: string): Config {
  const field = spelledField(config as Config & GraphQLFieldConfig<unknown, unknown>)
  if (spelled === name) return field
  return { ...field, extensions: { ...field.extensions, declaredName: name } }
}

/** The members of a type in the naming convention, as introspection reads them; those that do not change stay as they are. */
function spelledMembers<Config extends object>(given: Given<Config>, own: OwnNames): Given<Config> {
  if (given instanceof Map) {
    const makers = Array.from(given as ReadonlyMap<string, () => Config>, ([name, make]) => {
      const spelled = spelledName(name, own)
      return [spelled, () => spelledConfig(make(), name, spelled)] as const
    })
    return new Map(makers)
  }
  const configs = Object.entries(given as Readonly<Record<string, Config>>)
  const isSame = ([name, config]: [string, Config]) =>
    spelledName(name, own) === name && spelledConfig(config, name, name) === config
  if (configs.every(isSame)) return given
  return Object.fromEntries(
    configs.map(([name, config]) => {
      const spelled = spelledName(name, own)
      return [spelled, spelledConfig(config, name, spelled)]
    }),
  )
}

/** Lets a type of a table give its fields and their arguments in the naming convention. */
export function spellMembers(type: TableObjectType | TableInputType | TableEnumType, own: OwnNames): void {
  if (type instanceof TableEnumType) return
  const lean = type as { given(): Given<object> }
  const given = lean.given.bind(type)
  lean.given = () => spelledMembers(given(), own)
}

/** A type of no table with its fields, their arguments, or its values in the naming convention. */
export function spelledType<T extends GraphQLNamedType>(type: T): T {
  if (isEnumType(type)) return type.name === 'order_by' ? (spelledEnum(type) as GraphQLNamedType as T) : type
  if (!isObjectType(type) && !isInputObjectType(type)) return type
  const holder = type as GraphQLNamedType as { _fields?: Fields | (() => Fields) }
  const declared = holder._fields!
  holder._fields = () => {
    const spelled: Record<string, Fields[string]> = Object.create(null)
    for (const field of Object.values(typeof declared === 'function' ? declared() : declared)) {
      rename(field, camelCase(field.name))
      for (const argument of field.args ?? []) {
        if (isSpelled(argument.name)) rename(argument, camelCase(argument.name))
      }
      spelled[field.name] = field
    }
    return spelled
  }
  return type
}

/** An enum with its values in capitals. */
export function spelledEnum(type: GraphQLEnumType): GraphQLEnumType {
  const values: GraphQLEnumValueConfigMap = {}
  for (const { name, description, extensions } of type.getValues()) {
    values[name.toUpperCase()] = { description, extensions: { ...extensions, declaredName: name } }
  }
  return new GraphQLEnumType({ ...type.toConfig(), values })
}
