// Row types of tables, merged with types of the same name that say they are the same. Requests keep both apart, since other
// servers answer the one and the database the other. Introspection may show a name once only.

import {
  type GraphQLFieldConfigMap,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLUnionType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'

/** The types with each row type and its equals as one type, which has the fields of all; the others are kept as they are. */
export function withMergedRows(types: readonly GraphQLNamedType[]): readonly GraphQLNamedType[] {
  const byName = Map.groupBy(types, ({ name }) => name)
  if (byName.size === types.length) return types
  const merged = new MergedTypes()
  return [...byName.values()].flatMap((same) => merged.add(same))
}

class MergedTypes {
  readonly #made = new Map<string, GraphQLNamedType>()

  /** Adds the types of one name. */
  add(same: readonly GraphQLNamedType[]): readonly GraphQLNamedType[] {
    const [type] = same
    const rows = same.length > 1 ? mergeable(same) : null
    if (!type || (same.length > 1 && !rows)) return same
    const made = rows ? this.#object(rows) : this.#copy(type)
    this.#made.set(made.name, made)
    return [made]
  }

  #copy(type: GraphQLNamedType): GraphQLNamedType {
    if (isObjectType(type)) return this.#object([type])
    if (isUnionType(type)) {
      return new GraphQLUnionType({ ...type.toConfig(), types: () => type.getTypes().map((each) => this.#now(each)) })
    }
    if (!isInterfaceType(type)) return type
    const config = type.toConfig()
    const interfaces = () => config.interfaces.map((each) => this.#now(each))
    return new GraphQLInterfaceType({ ...config, interfaces, fields: () => this.#fields(config.fields) })
  }

  /** The object type with the fields of all; the first type counts where several have a field. */
  #object(same: readonly GraphQLObjectType[]): GraphQLObjectType {
    const [config, ...others] = same.map((each) => each.toConfig())
    const all = Object.assign({}, ...others.map(({ fields }) => fields), config!.fields)
    const interfaces = () => config!.interfaces.map((each) => this.#now(each))
    return new GraphQLObjectType({ ...config!, interfaces, fields: () => this.#fields(all) })
  }

  #fields(fields: GraphQLFieldConfigMap<unknown, unknown>): GraphQLFieldConfigMap<unknown, unknown> {
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, { ...field, type: this.#output(field.type) }]),
    )
  }

  #output(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#output(type.ofType) as GraphQLObjectType)
    if (isListType(type)) return new GraphQLList(this.#output(type.ofType))
    return this.#now(type)
  }

  /** The type that stands for another one now: by its name, of the same kind. */
  #now<T extends GraphQLNamedType>(type: T): T {
    return (this.#made.get(type.name) ?? type) as T
  }
}

/** A table's row type followed by its equals; null when the types have nothing but the name in common. */
function mergeable(same: readonly GraphQLNamedType[]): readonly GraphQLObjectType[] | null {
  const objects = same.filter(isObjectType)
  const rows = objects.filter(({ extensions }) => extensions.table !== undefined)
  const equals = objects.filter(({ extensions }) => extensions.equalsRows)
  return rows.length === 1 && rows.length + equals.length === same.length ? [...rows, ...equals] : null
}
