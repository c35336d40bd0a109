// Limits the rows of each list that a query selects: a list without a limit gets one, and a higher limit is refused.

import { type GraphQLOperation, type graphql as g, graphql, type PlannedSchema } from '../../sdk/graphql.ts'
import { badRequest } from '../../sdk/index.ts'

/** The limit, and the values of variables. */
export interface RowLimit {
  readonly most: number
  readonly variables: Readonly<Record<string, unknown>>
}

type FieldOf = (name: string) => g.GraphQLField<unknown, unknown> | undefined

const noFields: FieldOf = () => undefined

export class RowLimits {
  readonly #operation: GraphQLOperation
  readonly #most: number
  readonly #variables: Readonly<Record<string, unknown>>
  /** The fragments with limits; null while one is walked, which refers to itself then and is refused later. */
  readonly #fragments = new Map<string, g.FragmentDefinitionNode | null>()

  constructor(operation: GraphQLOperation, { most, variables }: RowLimit) {
    this.#operation = operation
    this.#most = most
    this.#variables = variables
  }

  /** The operation with limits, and the fragments that it uses. Fields that the schema does not have stay as they are. */
  apply(schema: PlannedSchema): Pick<GraphQLOperation, 'node' | 'fragments'> {
    const { node } = this.#operation
    const root = schema.root('query')
    const selectionSet = this.#set(node.selectionSet, (name) => root.field(name) ?? undefined, null)
    const fragments = [...this.#fragments].flatMap(([name, fragment]) => (fragment ? [[name, fragment] as const] : []))
    return { node: { ...node, selectionSet }, fragments: new Map(fragments) }
  }

  #set(set: g.SelectionSetNode, fieldOf: FieldOf, type: g.GraphQLNamedType | null): g.SelectionSetNode {
    const selections = set.selections.map((selection): g.SelectionNode => {
      if (selection.kind === graphql.Kind.FIELD) return this.#field(selection, fieldOf(selection.name.value))
      if (selection.kind === graphql.Kind.FRAGMENT_SPREAD) {
        this.#fragment(selection.name.value, fieldOf, type)
        return selection
      }
      const within = this.#within(selection.typeCondition, fieldOf, type)
      return { ...selection, selectionSet: this.#set(selection.selectionSet, within.fieldOf, within.type) }
    })
    return { ...set, selections }
  }

  #fragment(name: string, fieldOf: FieldOf, type: g.GraphQLNamedType | null): void {
    const fragment = this.#operation.fragments.get(name)
    if (!fragment || this.#fragments.has(name)) return
    this.#fragments.set(name, null)
    const within = this.#within(fragment.typeCondition, fieldOf, type)
    const selectionSet = this.#set(fragment.selectionSet, within.fieldOf, within.type)
    this.#fragments.set(name, { ...fragment, selectionSet })
  }

  /** The fields of a fragment: those of the type around it, or of a member of a union. */
  #within(condition: g.NamedTypeNode | undefined, fieldOf: FieldOf, type: g.GraphQLNamedType | null) {
    if (!graphql.isUnionType(type)) return { fieldOf, type }
    const member = type.getTypes().find(({ name }) => name === condition?.name.value)
    return member ? { fieldOf: fieldsOf(member), type: member } : { fieldOf: noFields, type: null }
  }

  #field(node: g.FieldNode, definition: g.GraphQLField<unknown, unknown> | undefined): g.FieldNode {
    if (!definition) return node
    const type = graphql.getNamedType(definition.type)
    const { selectionSet } = node
    const inner = selectionSet && { selectionSet: this.#set(selectionSet, fieldsOf(type), type) }
    return { ...node, ...inner, ...this.#argumentsOf(node, definition) }
  }

  #argumentsOf(node: g.FieldNode, { args, type }: g.GraphQLField<unknown, unknown>): Partial<g.FieldNode> {
    const takesLimit = args.some((each) => each.name === 'limit' && graphql.getNamedType(each.type).name === 'Int')
    if (!takesLimit) return {}
    const given = node.arguments?.find(({ name }) => name.value === 'limit')
    const limit = given && this.#valueOf(given.value)
    if (typeof limit === 'number' && limit > this.#most) throw this.#tooMany(node)
    if (limit !== undefined && limit !== null) return {}
    if (!graphql.isListType(graphql.getNullableType(type))) {
      // A limit would change the aggregates beside the rows.
      if (this.#selects(node.selectionSet, 'nodes')) throw this.#needsLimit(node)
      return {}
    }
    // A variable that is replaced would be unused.
    if (given?.value.kind === graphql.Kind.VARIABLE) throw this.#needsLimit(node)
    const others = node.arguments?.filter((argument) => argument !== given) ?? []
    return { arguments: [...others, limitArgument(this.#most)] }
  }

  /** The number of a limit; undefined if a variable has no value, and other values as they are, for the engine to refuse. */
  #valueOf(value: g.ValueNode): unknown {
    if (value.kind !== graphql.Kind.VARIABLE) return numberOf(graphql.valueFromASTUntyped(value))
    const name = value.name.value
    const { defaultValue } = this.#operation.variables.get(name) ?? {}
    const given = Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined
    return numberOf(given === undefined && defaultValue ? graphql.valueFromASTUntyped(defaultValue) : given)
  }

  #selects(set: g.SelectionSetNode | undefined, wanted: string, spread = new Set<string>()): boolean {
    return (set?.selections ?? []).some((selection) => {
      if (selection.kind === graphql.Kind.FIELD) return selection.name.value === wanted
      if (selection.kind === graphql.Kind.INLINE_FRAGMENT) return this.#selects(selection.selectionSet, wanted, spread)
      const name = selection.name.value
      if (spread.has(name)) return false
      spread.add(name)
      return this.#selects(this.#operation.fragments.get(name)?.selectionSet, wanted, spread)
    })
  }

  #tooMany({ name }: g.FieldNode) {
    return badRequest('row-limit-exceeded', `the limit of ${name.value} is above the highest, which is ${this.#most}`)
  }

  #needsLimit({ name }: g.FieldNode) {
    return badRequest('row-limit-exceeded', `${name.value} needs a limit here, of at most ${this.#most}`)
  }
}

/** Texts and numbers that keep every digit as numbers; other values as they are. */
const numberOf = (value: unknown): unknown =>
  value === null || value === undefined || Number.isNaN(Number(value)) ? value : Number(value)

const limitArgument = (most: number): g.ArgumentNode => ({
  kind: graphql.Kind.ARGUMENT,
  name: { kind: graphql.Kind.NAME, value: 'limit' },
  value: { kind: graphql.Kind.INT, value: String(most) },
})

function fieldsOf(type: g.GraphQLNamedType): FieldOf {
  if (!graphql.isObjectType(type) && !graphql.isInterfaceType(type)) return noFields
  const fields = type.getFields()
  return (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined)
}
