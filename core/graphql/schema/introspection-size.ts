// Computes the size of an introspection's answer in advance: a text of a few kilobytes can request the whole of a large
// schema hundreds of times.

import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  type GraphQLType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isWrappingType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { validationFailed } from '../../errors/errors.ts'
import type { GraphQLOperation } from '../read/document.ts'
import { leastValues, valuesPerPart } from '../tuning.ts'

/** A selection set with its fragments expanded: the number of fields, and those that have selections. */
interface Selected {
  readonly count: number
  readonly nested: readonly { readonly name: string; readonly set: SelectionSetNode }[]
}

type InputValue = GraphQLArgument | GraphQLInputField
type SchemaField = GraphQLField<unknown, unknown>

/** A selected `__schema`, or `__type` of that name. */
export interface Introspection {
  readonly selections: readonly FieldNode[]
  readonly fragments: GraphQLOperation['fragments']
  readonly typeName: string | null
}

/** Values of all introspections of one operation. */
export interface IntrospectedValues {
  count: number
}

/** Adds the values of an answer to the previous ones; throws when there are more than any tool needs. */
export function countIntrospection(
  schema: GraphQLSchema,
  { selections, fragments, typeName }: Introspection,
  values: IntrospectedValues,
): void {
  const most = Math.max(leastValues, valuesPerPart * partsOf(schema)) - values.count
  const type = typeName === null ? undefined : schema.getType(typeName)
  values.count += new Counting(schema, fragments, most).ofRoot(selections, type)
}

const partCounts = new WeakMap<GraphQLSchema, number>()

/** Number of types, their members, and arguments. */
function partsOf(schema: GraphQLSchema): number {
  let parts = partCounts.get(schema)
  if (parts === undefined) {
    parts = 0
    for (const type of Object.values(schema.getTypeMap())) {
      parts++
      if (isEnumType(type)) parts += type.getValues().length
      else if (isInputObjectType(type)) parts += Object.keys(type.getFields()).length
      else if (isObjectType(type) || isInterfaceType(type)) {
        for (const { args } of Object.values(type.getFields())) parts += 1 + args.length
      }
    }
    partCounts.set(schema, parts)
  }
  return parts
}

class Counting {
  readonly #schema: GraphQLSchema
  readonly #fragments: GraphQLOperation['fragments']
  readonly #most: number
  readonly #selected = new Map<SelectionSetNode, Selected>()
  readonly #ofTypes = new Map<SelectionSetNode, Map<GraphQLType, number>>()

  constructor(schema: GraphQLSchema, fragments: GraphQLOperation['fragments'], most: number) {
    this.#schema = schema
    this.#fragments = fragments
    this.#most = most
  }

  ofRoot(selections: readonly FieldNode[], type: GraphQLType | undefined): number {
    const types = Object.values(this.#schema.getTypeMap())
    return this.#each(selections, ({ name, selectionSet }) => {
      if (!selectionSet) return 1
      if (name.value === '__schema') return this.#ofSchema(selectionSet, types)
      return type ? this.#ofType(type, selectionSet) : 0
    })
  }

  #ofSchema(set: SelectionSetNode, types: readonly GraphQLType[]): number {
    return this.#sum(set, (name, below) => {
      if (name === 'types') return this.#each(types, (type) => this.#ofType(type, below))
      if (name === 'directives') {
        return this.#each(this.#schema.getDirectives(), ({ args }) => this.#ofArguments(args, below))
      }
      const root = this.#rootType(name)
      return root ? this.#ofType(root, below) : 0
    })
  }

  #rootType(name: string): GraphQLType | null | undefined {
    if (name === 'mutationType') return this.#schema.getMutationType()
    return name === 'subscriptionType' ? this.#schema.getSubscriptionType() : this.#schema.getQueryType()
  }

  #ofType(type: GraphQLType, set: SelectionSetNode): number {
    let known = this.#ofTypes.get(set)
    if (!known) {
      known = new Map()
      this.#ofTypes.set(set, known)
    }
    let size = known.get(type)
    if (size === undefined) {
      size = this.#sum(set, (name, below) => this.#ofMember(type, name, below))
      known.set(type, size)
    }
    return size
  }

  #ofMember(type: GraphQLType, name: string, below: SelectionSetNode): number {
    if (name === 'ofType') return isWrappingType(type) ? this.#ofType(type.ofType, below) : 0
    if (name === 'enumValues' && isEnumType(type)) return this.#each(type.getValues(), () => this.#sum(below, () => 0))
    if (name === 'inputFields' && isInputObjectType(type)) {
      return this.#each(Object.values(type.getFields()), (field) => this.#ofTyped(field, below))
    }
    if (name === 'possibleTypes' && isAbstractType(type)) {
      return this.#each(this.#schema.getPossibleTypes(type), (each) => this.#ofType(each, below))
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return 0
    if (name === 'interfaces') return this.#each(type.getInterfaces(), (each) => this.#ofType(each, below))
    if (name !== 'fields') return 0
    return this.#each(Object.values(type.getFields()), (field) => this.#ofTyped(field, below))
  }

  #ofTyped(field: SchemaField | InputValue, set: SelectionSetNode): number {
    return this.#sum(set, (name, below) => {
      if (name === 'type') return this.#ofType(field.type, below)
      return 'args' in field ? this.#each(field.args, (each) => this.#ofTyped(each, below)) : 0
    })
  }

  #ofArguments(args: readonly GraphQLArgument[], set: SelectionSetNode): number {
    return this.#sum(set, (_name, below) => this.#each(args, (each) => this.#ofTyped(each, below)))
  }

  #each<Part>(parts: readonly Part[], sizeOf: (part: Part) => number): number {
    let size = 0
    for (const part of parts) size = this.#checked(size + sizeOf(part))
    return size
  }

  /** The size of all selections of one object. */
  #sum(set: SelectionSetNode, sizeBelow: (name: string, below: SelectionSetNode) => number): number {
    const { count, nested } = this.#selectedBy(set)
    let size = count
    for (const { name, set: below } of nested) size = this.#checked(size + sizeBelow(name, below))
    return size
  }

  #checked(size: number): number {
    if (size > this.#most) throw validationFailed('the introspection is too large')
    return size
  }

  #selectedBy(set: SelectionSetNode): Selected {
    let selected = this.#selected.get(set)
    if (!selected) {
      selected = this.#expand(set)
      this.#selected.set(set, selected)
    }
    return selected
  }

  #expand(set: SelectionSetNode): Selected {
    let count = 0
    const nested: { readonly name: string; readonly set: SelectionSetNode }[] = []
    const spread = new Set<string>()
    const visit = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (selection.kind === Kind.FIELD) {
          count++
          const { name, selectionSet } = selection
          if (selectionSet) nested.push({ name: name.value, set: selectionSet })
        } else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet)
        else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value)
          visit(this.#fragments.get(selection.name.value)!.selectionSet)
        }
      }
    }
    visit(set)
    return { count, nested }
  }
}
