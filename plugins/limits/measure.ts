// Measures an operation as it will be planned: fragments are expanded, and fields with the same response name count
// once. Fields that `@include` and `@skip` omit count, because they are checked as well.

import { type FieldNode, Kind, type SelectionSetNode } from 'graphql'
import { type GraphQLOperation, maxDepth, maxSelections, tooManySelections } from '../../sdk/graphql.ts'

/** The size of an operation, without its introspection. */
export interface Size {
  /** The depth of fields below the root fields: `{a}` is 0, `{a{b}}` is 1. */
  readonly depth: number
  /** Fields that have a selection set. */
  readonly nodes: number
  /** Fields that have an alias. */
  readonly aliases: number
  /** The size of the parts below `__schema` and `__type`. */
  readonly introspection: IntrospectionSize
}

export interface IntrospectionSize {
  readonly nodes: number
  /** How deeply lists of the schema are nested below a type: its fields, the fields of their types, and so on. */
  readonly lists: number
}

/** Fields that lead from a type to other types, and from each of them back. */
const listFields: ReadonlySet<string> = new Set(['fields', 'interfaces', 'possibleTypes', 'inputFields'])

/** Returns the size; throws if the operation is too large to be planned. */
export function sizeOf(operation: GraphQLOperation): Size {
  const walk = new Walk(operation)
  for (const field of walk.fieldsOf([operation.node.selectionSet])) walk.count(field, 0)
  const { depth, nodes, aliases, introspection } = walk
  return { depth, nodes, aliases, introspection }
}

/** All selections with the same response name. */
interface Field {
  readonly name: string
  readonly isAliased: boolean
  readonly sets: SelectionSetNode[]
}

class Walk {
  depth = 0
  nodes = 0
  aliases = 0
  readonly introspection = { nodes: 0, lists: 0 }
  readonly #operation: GraphQLOperation
  #selections = 0

  constructor(operation: GraphQLOperation) {
    this.#operation = operation
  }

  count({ name, isAliased, sets }: Field, level: number): void {
    if (isAliased) this.aliases++
    this.depth = Math.max(this.depth, level)
    if (sets.length === 0) return
    this.nodes++
    if (level === 0 && (name === '__schema' || name === '__type')) {
      for (const field of this.fieldsOf(sets)) this.#countIntrospection(field, 0)
    } else if (level < maxDepth) {
      for (const field of this.fieldsOf(sets)) this.count(field, level + 1)
    } else this.depth = level + 1
  }

  #countIntrospection({ name, sets }: Field, outer: number): void {
    if (sets.length === 0) return
    this.introspection.nodes++
    const lists = listFields.has(name) ? outer + 1 : outer
    this.introspection.lists = Math.max(this.introspection.lists, lists)
    for (const field of this.fieldsOf(sets)) this.#countIntrospection(field, lists)
  }

  fieldsOf(sets: readonly SelectionSetNode[]): Iterable<Field> {
    const fields = new Map<string, Field>()
    const spread = new Set<string>()
    const visit = (set: SelectionSetNode): void => {
      for (const selection of set.selections) {
        if (++this.#selections > maxSelections) throw tooManySelections()
        if (selection.kind === Kind.FIELD) add(selection)
        else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet)
        else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value)
          visit(this.#operation.fragments.get(selection.name.value)!.selectionSet)
        }
      }
    }
    const add = ({ alias, name, selectionSet }: FieldNode): void => {
      const responseName = (alias ?? name).value
      const known = fields.get(responseName)
      if (known) known.sets.push(...(selectionSet ? [selectionSet] : []))
      else {
        const sets = selectionSet ? [selectionSet] : []
        fields.set(responseName, { name: name.value, isAliased: alias !== undefined, sets })
      }
    }
    for (const set of sets) visit(set)
    return fields.values()
  }
}
