// Limits the rows of each list that a query selects: a list without a limit gets one, and a higher limit is refused.

import {
  type GraphQLOperation,
  type graphql as g,
  graphql,
  maxSelections,
  type PlannedSchema,
  tooManySelections,
} from '../../sdk/graphql.ts'
import { badRequest } from '../../sdk/index.ts'
import { isRawNumber } from '../../sdk/services.ts'

/** The limit, and the values of variables. */
export interface RowLimit {
  readonly most: number
  readonly variables: Readonly<Record<string, unknown>>
}

/** A type in which fields are selected. */
interface Within {
  fieldOf(name: string): g.GraphQLField<unknown, unknown> | undefined
  /** The members of a union. */
  readonly members: readonly g.GraphQLObjectType[]
}

const nothing: Within = { fieldOf: () => undefined, members: [] }

export class RowLimits {
  readonly #operation: GraphQLOperation
  readonly #most: number
  readonly #variables: Readonly<Record<string, unknown>>
  /** The fragments around the selection that is walked. */
  readonly #open = new Set<string>()
  /** Whether planning will refuse a spread. */
  #isRefused = false
  #walked = 0

  constructor(operation: GraphQLOperation, { most, variables }: RowLimit) {
    this.#operation = operation
    this.#most = most
    this.#variables = variables
  }

  /** The operation with limits. Fields that the schema does not have stay as they are. */
  apply(schema: PlannedSchema): Pick<GraphQLOperation, 'node' | 'fragments'> {
    const { node, fragments } = this.#operation
    const root = schema.root('query')
    const inRoot: Within = { fieldOf: (name) => root.field(name) ?? undefined, members: [] }
    const selectionSet = this.#set(node.selectionSet, inRoot)
    return { node: { ...node, selectionSet }, fragments: this.#isRefused ? fragments : new Map() }
  }

  #set(set: g.SelectionSetNode, within: Within): g.SelectionSetNode {
    const selections = set.selections.map((selection): g.SelectionNode => {
      // A short text can spread fragments within fragments, again and again.
      if (++this.#walked > maxSelections) throw tooManySelections()
      if (selection.kind === graphql.Kind.FIELD) return this.#field(selection, within.fieldOf(selection.name.value))
      if (selection.kind === graphql.Kind.FRAGMENT_SPREAD) return this.#spread(selection, within)
      const { typeCondition } = selection
      const inner = typeCondition ? narrowed(within, typeCondition) : within
      return { ...selection, selectionSet: this.#set(selection.selectionSet, inner) }
    })
    return { ...set, selections }
  }

  /** The fragment itself in place of a spread, since its fields may differ by the type around it. */
  #spread(spread: g.FragmentSpreadNode, within: Within): g.SelectionNode {
    const name = spread.name.value
    const fragment = this.#operation.fragments.get(name)
    // Planning refuses an unknown fragment, and one within itself.
    if (!fragment || this.#open.has(name)) {
      this.#isRefused = true
      return spread
    }
    this.#open.add(name)
    const selectionSet = this.#set(fragment.selectionSet, narrowed(within, fragment.typeCondition))
    this.#open.delete(name)
    const { typeCondition } = fragment
    return { kind: graphql.Kind.INLINE_FRAGMENT, typeCondition, directives: spread.directives, selectionSet }
  }

  #field(node: g.FieldNode, definition: g.GraphQLField<unknown, unknown> | undefined): g.FieldNode {
    if (!definition) return node
    const { selectionSet } = node
    const inner = selectionSet && {
      selectionSet: this.#set(selectionSet, within(graphql.getNamedType(definition.type))),
    }
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

/** Texts, and numbers that keep every digit, as numbers; other values as they are. */
function numberOf(value: unknown): unknown {
  const text = isRawNumber(value) ? value.rawJSON : value
  return typeof text === 'string' && !Number.isNaN(Number(text)) ? Number(text) : text
}

const limitArgument = (most: number): g.ArgumentNode => ({
  kind: graphql.Kind.ARGUMENT,
  name: { kind: graphql.Kind.NAME, value: 'limit' },
  value: { kind: graphql.Kind.INT, value: String(most) },
})

/** The fields of a type. */
function within(type: g.GraphQLNamedType): Within {
  if (graphql.isUnionType(type)) return { ...nothing, members: type.getTypes() }
  if (!graphql.isObjectType(type) && !graphql.isInterfaceType(type)) return nothing
  const fields = type.getFields()
  return { ...nothing, fieldOf: (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined) }
}

/** The type that a fragment in another type is on. One on an interface has fields of the type around it. */
function narrowed(outer: Within, condition: g.NamedTypeNode): Within {
  if (outer.members.length === 0) return outer
  const member = outer.members.find(({ name }) => name === condition.name.value)
  return member ? within(member) : nothing
}
