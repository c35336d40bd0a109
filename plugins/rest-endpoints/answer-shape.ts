// The shapes of an endpoint's variables and answer, as JSON Schema in the form of OpenAPI 3.0 or 3.1.

import { type graphql as g, graphql, type PlannedSchema } from '../../sdk/graphql.ts'
import type { StoredQuery } from './stored-query.ts'
import { mostComponents, mostFields } from './tuning.ts'

/** A JSON Schema as JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** How schemas are written. */
export interface ShapeForm {
  readonly version: '3.0' | '3.1'
  /** Precedes the names of components, which share their space with those of other endpoints. */
  readonly prefix: string
}

const scalars: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  uuid: { type: 'string', pattern: '[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89aAbB][a-f0-9]{3}-[a-f0-9]{12}' },
}

/** The schema of a scalar or enum. Other scalars of the database can have any form. */
const leafSchema = (name: string, values?: readonly string[]): JsonSchema => ({
  title: name,
  ...(values ? { type: 'string', enum: values } : scalars[name]),
})

type FieldOf = (name: string) => g.GraphQLField<unknown, unknown> | undefined

/** Writes the shapes of one role's schema; throws for queries that are {@link Indescribable}. */
export class ShapeWriter {
  /** Input objects, by the names of their components. */
  readonly components = new Map<string, JsonSchema>()
  readonly #schema: PlannedSchema
  readonly #form: ShapeForm
  #fields = 0

  constructor(schema: PlannedSchema, form: ShapeForm) {
    this.#schema = schema
    this.#form = form
  }

  /** The content of `data`. */
  answer({ node, fragments, kind }: StoredQuery): JsonSchema {
    this.#fields = 0
    const root = this.#schema.root(kind)
    return { type: 'object', properties: this.#members(node.selectionSet, (name) => root.field(name), fragments) }
  }

  /** The variables of a query, in order. */
  variables(query: StoredQuery): { readonly definition: g.VariableDefinitionNode; readonly schema: JsonSchema }[] {
    this.#fields = 0
    const types = this.#usedTypes(query)
    return (query.node.variableDefinitions ?? []).map((definition) => {
      return { definition, schema: this.#declared(definition.type, types) }
    })
  }

  /** Fragments within fragments can make a short text select billions of fields. */
  #count(): void {
    if (++this.#fields > mostFields) throw new TooManyFields()
  }

  #nullable(schema: JsonSchema, isNullable: boolean): JsonSchema {
    if (this.#form.version === '3.0') return '$ref' in schema ? schema : { ...schema, nullable: isNullable }
    if (!isNullable) return schema
    const { type, ...others } = schema
    if (typeof type !== 'string') return schema
    const values = others['enum']
    return { ...others, ...(Array.isArray(values) && { enum: [...values, null] }), type: [type, 'null'] }
  }

  #members(set: g.SelectionSetNode, fieldOf: FieldOf, fragments: StoredQuery['fragments']): Record<string, JsonSchema> {
    const members: Record<string, JsonSchema> = {}
    for (const [key, [first, ...others]] of fieldsIn(set, fragments)) {
      this.#count()
      if (first.name.value === '__typename') members[key] = this.#nullable(leafSchema('String'), false)
      else {
        const definition = fieldOf(first.name.value)
        if (!definition) throw new UnknownField(first.name.value)
        members[key] = this.#output(definition.type, mergedSets([first, ...others]), fragments)
      }
    }
    return members
  }

  #output(
    type: g.GraphQLOutputType,
    set: g.SelectionSetNode | undefined,
    fragments: StoredQuery['fragments'],
    isNullable = true,
  ): JsonSchema {
    if (graphql.isNonNullType(type)) return this.#output(type.ofType, set, fragments, false)
    if (graphql.isListType(type)) {
      return this.#nullable({ type: 'array', items: this.#output(type.ofType, set, fragments) }, isNullable)
    }
    if (graphql.isLeafType(type)) return this.#nullable(this.#leaf(type), isNullable)
    // The object type of an interface or a union is known only when the endpoint answers.
    if (!graphql.isObjectType(type) || !set) return this.#nullable({ title: type.name, type: 'object' }, isNullable)
    const fields = type.getFields()
    const properties = this.#members(set, (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined), fragments)
    return this.#nullable({ title: type.name, type: 'object', properties }, isNullable)
  }

  #leaf(type: g.GraphQLLeafType): JsonSchema {
    const values = graphql.isEnumType(type) ? type.getValues().map(({ name }) => name) : undefined
    return leafSchema(type.name, values)
  }

  #declared(node: g.TypeNode, types: ReadonlyMap<string, g.GraphQLNamedType>, isNullable = true): JsonSchema {
    if (node.kind === graphql.Kind.NON_NULL_TYPE) return this.#declared(node.type, types, false)
    if (node.kind === graphql.Kind.LIST_TYPE) {
      return this.#nullable({ type: 'array', items: this.#declared(node.type, types) }, isNullable)
    }
    const type = types.get(node.name.value)
    return this.#nullable(type ? this.#named(type) : leafSchema(node.name.value), isNullable)
  }

  #named(type: g.GraphQLNamedType): JsonSchema {
    if (graphql.isLeafType(type)) return this.#leaf(type)
    return graphql.isInputObjectType(type) ? this.#component(type) : { title: type.name }
  }

  #input(type: g.GraphQLInputType, isNullable = true): JsonSchema {
    if (graphql.isNonNullType(type)) return this.#input(type.ofType, false)
    if (graphql.isListType(type)) return this.#nullable({ type: 'array', items: this.#input(type.ofType) }, isNullable)
    return this.#nullable(this.#named(type), isNullable)
  }

  /** A reference to an input object; the objects of a large schema refer to thousands of others. */
  #component(type: g.GraphQLInputObjectType): JsonSchema {
    const name = `${this.#form.prefix}${type.name}`
    if (!this.components.has(name)) {
      if (this.components.size >= mostComponents) return { title: type.name, type: 'object' }
      // Holds the name while the object refers to itself.
      this.components.set(name, {})
      const fields = Object.values(type.getFields())
      const required = fields.filter(graphql.isRequiredInputField).map((field) => field.name)
      this.components.set(name, {
        title: type.name,
        type: 'object',
        ...(required.length > 0 && { required }),
        properties: Object.fromEntries(fields.map((field) => [field.name, this.#input(field.type)])),
      })
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** The types of the places where variables stand, by name. */
  #usedTypes({ node, fragments, kind }: StoredQuery): ReadonlyMap<string, g.GraphQLNamedType> {
    const types = new Map<string, g.GraphQLNamedType>()
    const ofValue = (value: g.ValueNode, type: g.GraphQLInputType): void => {
      const inner = graphql.getNullableType(type)
      const named = graphql.getNamedType(type)
      if (value.kind === graphql.Kind.VARIABLE) types.set(named.name, named)
      if (value.kind === graphql.Kind.LIST) {
        for (const item of value.values) ofValue(item, graphql.isListType(inner) ? inner.ofType : type)
      }
      if (value.kind !== graphql.Kind.OBJECT || !graphql.isInputObjectType(named)) return
      const fields = named.getFields()
      for (const { name, value: member } of value.fields) {
        if (Object.hasOwn(fields, name.value)) ofValue(member, fields[name.value]!.type)
      }
    }
    const ofSet = (set: g.SelectionSetNode, fieldOf: FieldOf): void => {
      for (const selection of [...fieldsIn(set, fragments).values()].flat()) {
        this.#count()
        const definition = fieldOf(selection.name.value)
        if (!definition) continue
        for (const { name, value } of selection.arguments ?? []) {
          const argument = definition.args.find((each) => each.name === name.value)
          if (argument) ofValue(value, argument.type)
        }
        const type = graphql.getNamedType(definition.type)
        if (!selection.selectionSet || !graphql.isObjectType(type)) continue
        const fields = type.getFields()
        ofSet(selection.selectionSet, (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined))
      }
    }
    const root = this.#schema.root(kind)
    ofSet(node.selectionSet, (name) => root.field(name))
    return types
  }
}

type Fields = Map<string, [g.FieldNode, ...g.FieldNode[]]>

/** The fields of a selection set and of its fragments, by response name. */
function fieldsIn(root: g.SelectionSetNode, fragments: StoredQuery['fragments']): Fields {
  const fields: Fields = new Map()
  const spread = new Set<string>()
  const add = (set: g.SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === graphql.Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value
        const known = fields.get(key)
        if (known) known.push(selection)
        else fields.set(key, [selection])
      } else if (selection.kind === graphql.Kind.INLINE_FRAGMENT) add(selection.selectionSet)
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value)
        add(fragments.get(selection.name.value)!.selectionSet)
      }
    }
  }
  add(root)
  return fields
}

function mergedSets(nodes: readonly g.FieldNode[]): g.SelectionSetNode | undefined {
  const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  return selections.length > 0 ? { kind: graphql.Kind.SELECTION_SET, selections } : undefined
}

/** A stored query that cannot be described. */
export class Indescribable extends Error {}

/** A field that the schema does not have. */
class UnknownField extends Indescribable {}

class TooManyFields extends Indescribable {}
