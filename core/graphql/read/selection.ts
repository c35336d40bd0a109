// Flattens selection sets and checks them in one walk: fragments, directives, merging, arguments. Names are looked up
// only in the role's schema.

import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  Kind,
  print,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { repeatedCost, selectionCost } from '../../access/request-cost.ts'
import { rootCost } from '../../access/tuning.ts'
import { validationFailed } from '../../errors/errors.ts'
import { didYouMean } from '../../errors/nearest.ts'
import { below, type Path, pathKeys } from '../../errors/path.ts'
import { compareText } from '../../names/names.ts'
import { maxDepth } from '../tuning.ts'
import { declaredName } from './declared-name.ts'
import { checkFragmentDirectives, isIncluded } from './directives.ts'
import { type FanOut, fanOutBelow, noFanOut } from './fan-out.ts'
import type { OperationInput } from './operation-input.ts'
import { unknownField } from './type-fields.ts'
import { Value } from './values.ts'

/** The type whose fields are selected: an object type, or a root type that creates its fields on demand. */
export interface FieldSource {
  readonly name: string
  /** Interfaces that the type implements, and unions that it claims to belong to: fragments on them apply. */
  readonly interfaces: readonly string[]
  field(name: string): GraphQLField<unknown, unknown> | undefined
  /** Whether its fields are separate subqueries although it is not a root type. Absent: no. */
  readonly isNamespace?: boolean
  /** Names of its fields that are similar to a name. */
  fieldsNear(name: string): Iterable<string>
}

/** A field of the request: all selections under one response name, merged. */
export class FieldSelection {
  readonly responseName: string
  /** The name under which it was declared. */
  readonly name: string
  /** Null for `__typename`. */
  readonly definition: GraphQLField<unknown, unknown> | null
  readonly parentType: string
  readonly path: Path
  /** The field that contains it; null at the root. */
  readonly parent: FieldSelection | null
  /** The place of the fields below it. */
  readonly fanOut: FanOut
  readonly nodes: FieldNode[]
  readonly #context: OperationInput
  readonly #depth: number
  #arguments: ReadonlyMap<string, Value> | null = null
  readonly #fields = new Map<GraphQLObjectType, readonly FieldSelection[]>()
  /** Selections of object types that are not twins of earlier ones, by the types of the fields. */
  readonly #firsts = new Map<GraphQLNamedType, FieldSelection[]>()
  #twin: FieldSelection | null = null

  constructor(
    context: OperationInput,
    node: FieldNode,
    place: Pick<FieldSelection, 'definition' | 'parentType' | 'path' | 'parent' | 'fanOut'> & {
      readonly depth: number
    },
  ) {
    this.#context = context
    this.responseName = (node.alias ?? node.name).value
    this.name = place.definition ? declaredName(place.definition) : node.name.value
    this.definition = place.definition
    this.parentType = place.parentType
    this.path = place.path
    this.parent = place.parent
    this.fanOut = place.fanOut
    this.nodes = [node]
    this.#depth = place.depth
    if (place.depth > maxDepth) throw validationFailed('the selection is nested too deeply', pathKeys(place.path))
  }

  /** The given arguments, with defaults filled in. */
  get arguments(): ReadonlyMap<string, Value> {
    this.#arguments ??= this.#readArguments()
    return this.#arguments
  }

  /** An argument; undefined if it is absent or null. */
  argument(name: string): Value | undefined {
    const value = this.arguments.get(name)
    return value?.isNull ? undefined : value
  }

  /** The arguments in another request of the same operation; an argument with an absent variable is omitted. */
  argumentsIn(context: OperationInput): ReadonlyMap<string, Value> {
    const values = new Map(this.#readArguments(context))
    for (const { name, value } of this.nodes[0]!.arguments ?? []) {
      if (value.kind !== Kind.VARIABLE || context.variables[value.name.value] !== undefined) continue
      const argument = this.definition!.args.find((each) => each.name === name.value)!
      const path = below(this.argumentsPath, argument.name)
      const json = argument.default?.value
      if (json === undefined) values.delete(declaredName(argument))
      else values.set(declaredName(argument), Value.fromDefault(context, json, { type: argument.type, path }))
    }
    return values
  }

  get argumentsPath(): Path {
    return below(this.path, 'args')
  }

  /** The selected fields of the field's object type. */
  fields(): readonly FieldSelection[] {
    return this.fieldsOf(getNamedType(this.definition!.type) as GraphQLObjectType)
  }

  /** The same for an abstract type: the selected fields of a value of this object type. */
  fieldsOf(type: GraphQLObjectType): readonly FieldSelection[] {
    if (this.#twin) return this.#twin.fieldsOf(type)
    const known = this.#fields.get(type)
    if (known) return known
    const outer = { path: this.path, parent: this, depth: this.#depth + 1 }
    const declared = this.definition && getNamedType(this.definition.type)
    const seenAs = isAbstractType(declared) ? compositeSource(declared) : undefined
    const fields = collectFields(this.#context, this.#sets(), { source: compositeSource(type), seenAs, outer })
    if (seenAs) for (const field of fields) field.#twin = this.#twinOf(field)
    this.#fields.set(type, fields)
    return fields
  }

  /**
   * An earlier field of another object type with the same selections, whose selected fields are reused. Without this,
   * each level of an interface would multiply the selections by its number of types.
   */
  get twin(): FieldSelection | null {
    return this.#twin
  }

  #twinOf(field: FieldSelection): FieldSelection | null {
    const type = field.definition && getNamedType(field.definition.type)
    if (!type || !isCompositeType(type)) return null
    const firsts = this.#firsts.get(type) ?? []
    const twin = firsts.find(({ nodes }) => {
      return nodes.length === field.nodes.length && nodes.every((node, i) => node === field.nodes[i])
    })
    if (!twin) this.#firsts.set(type, [...firsts, field])
    return twin ?? null
  }

  /** Refuses a missing or unexpected selection set, and reads the arguments. */
  check(): void {
    const type = this.definition && getNamedType(this.definition.type)
    const selects = this.nodes.some((node) => node.selectionSet !== undefined)
    if (type && isCompositeType(type)) {
      if (!selects) {
        throw validationFailed(`missing selection set for "${type.name}"`, pathKeys(below(this.path, 'selectionSet')))
      }
    } else if (selects) {
      throw validationFailed('unexpected subselection set for non-object field', pathKeys(this.path))
    }
    this.#arguments ??= this.#readArguments()
  }

  #sets(): SelectionSetNode[] {
    return this.nodes.flatMap((node) => node.selectionSet ?? [])
  }

  #readArguments(context = this.#context): ReadonlyMap<string, Value> {
    const known = this.definition?.args ?? []
    const given = this.nodes[0]!.arguments ?? []
    const values = new Map<string, Value>()
    for (const { name, value } of given) {
      const argument = known.find((candidate) => candidate.name === name.value)
      if (!argument) {
        const help = didYouMean(name.value, () => known.map((each) => each.name))
        throw validationFailed(
          `"${this.nodes[0]!.name.value}" has no argument named "${name.value}"`,
          pathKeys(this.path),
          help,
        )
      }
      if (values.has(declaredName(argument))) {
        throw validationFailed(`There can be only one argument named "${name.value}".`, pathKeys(this.path))
      }
      const path = below(this.argumentsPath, name.value)
      const hasDefault = argument.default !== undefined
      const read = Value.fromNode(context, value, { type: argument.type, path, hasDefault })
      if (hasDefault && read.isLeftOut) continue
      if (read.isNull && argument.type instanceof GraphQLNonNull) throw read.nullError()
      values.set(declaredName(argument), read)
    }
    for (const argument of known) {
      if (values.has(declaredName(argument))) continue
      const path = below(this.argumentsPath, argument.name)
      if (isRequiredArgument(argument)) {
        throw validationFailed(`missing required field "${argument.name}"`, pathKeys(path))
      }
      const value = argument.default?.value
      if (value !== undefined)
        values.set(declaredName(argument), Value.fromDefault(context, value, { type: argument.type, path }))
    }
    return values
  }
}

/** A type as a source of fields. */
function compositeSource(type: GraphQLCompositeType): FieldSource {
  const onDemand = isObjectType(type) ? type.extensions.fieldSource : undefined
  if (onDemand) return onDemand
  const fieldsOf = () => (isUnionType(type) ? {} : type.getFields())
  return {
    name: type.name,
    interfaces: abstractTypesOf(type),
    field(name) {
      const fields = fieldsOf()
      return Object.hasOwn(fields, name) ? fields[name] : undefined
    },
    fieldsNear: () => Object.keys(fieldsOf()),
  }
}

function abstractTypesOf(type: GraphQLCompositeType): readonly string[] {
  if (isUnionType(type)) return []
  const interfaces = type.getInterfaces().map(({ name }) => name)
  const unions = isObjectType(type) ? type.extensions.unions?.() : undefined
  return unions ? [...interfaces, ...unions] : interfaces
}

const atRoot = { path: null, parent: null, depth: 0 }

/** The context of selection sets. */
interface SelectedOf {
  /** The type whose fields are selected. */
  readonly source: FieldSource
  /** The abstract type that the sets belong to, if any; outside of fragments they may only name its fields. */
  readonly seenAs?: FieldSource | undefined
  /** Absent: at the root of the operation. */
  readonly outer?: { readonly path: Path | null; readonly parent: FieldSelection | null; readonly depth: number }
}

/** Flattens selection sets into fields, in order of first appearance. */
export function collectFields(
  context: OperationInput,
  sets: readonly SelectionSetNode[],
  of: SelectedOf,
): readonly FieldSelection[] {
  const collector = new FieldCollector(context, of)
  for (const set of sets) collector.visit(set)
  const collected = [...collector.fields.values()]
  for (const field of collected) field.check()
  return collected
}

class FieldCollector {
  readonly fields = new Map<string, FieldSelection>()
  readonly #context: OperationInput
  readonly #source: FieldSource
  readonly #seenAs: FieldSource
  readonly #outer: NonNullable<SelectedOf['outer']>
  readonly #path: Path
  readonly #spread = new Set<string>()
  /** Number of fields found that have a selection set. */
  #siblings = 0

  constructor(context: OperationInput, { source, seenAs = source, outer = atRoot }: SelectedOf) {
    this.#context = context
    this.#source = source
    this.#seenAs = seenAs
    this.#outer = outer
    this.#path = below(outer.path, 'selectionSet')
  }

  /** Adds the fields of a selection set on a type. */
  visit(set: SelectionSetNode, on = this.#seenAs): void {
    for (const selection of set.selections) {
      this.#context.countSelection()
      if (!isIncluded(this.#context, selection, this.#path)) continue
      if (selection.kind === Kind.FIELD) this.#add(selection, on)
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition, selectionSet } = selection
        if (typeCondition) this.#visitConditioned(selectionSet, typeCondition.name.value)
        else this.visit(selectionSet, on)
      } else this.#spreadFragment(selection.name.value)
    }
  }

  #spreadFragment(name: string): void {
    if (this.#spread.has(name)) return
    this.#spread.add(name)
    const fragment = this.#context.operation.fragments.get(name)!
    checkFragmentDirectives(fragment, this.#path)
    this.#visitConditioned(fragment.selectionSet, fragment.typeCondition.name.value)
  }

  /** Adds the fields of a fragment, if it applies to the type whose fields are selected. */
  #visitConditioned(set: SelectionSetNode, type: string): void {
    const { name, interfaces } = this.#source
    const isSeen = type === this.#seenAs.name
    const applies = isSeen || type === name || interfaces.includes(type) || this.#context.unionHas(type, name)
    if (applies) this.visit(set, isSeen ? this.#seenAs : this.#source)
  }

  /** Root fields are separate subqueries; other fields are joined. */
  #selectionCost(): number {
    return this.#outer.depth === 0 || this.#source.isNamespace ? rootCost : selectionCost(this.#siblings++)
  }

  #add(node: FieldNode, on: FieldSource): void {
    const name = node.name.value
    const path = below(this.#path, name)
    if (on !== this.#source) requireField(on, name, path)
    const responseName = (node.alias ?? node.name).value
    const known = this.fields.get(responseName)
    if (known) {
      mergeField(known, node, this.#path)
      return
    }
    const definition = requireField(this.#source, name, path)
    // No statement runs for introspection, which has a limit of its own.
    const isJoined = node.selectionSet && !this.#source.name.startsWith('__')
    this.#context.addCost(isJoined ? this.#selectionCost() : 1, path)
    const { parent, depth } = this.#outer
    const outer = parent?.fanOut ?? noFanOut
    const fanOut = isJoined && definition ? fanOutBelow(outer, definition, parent?.definition ?? null) : outer
    if (fanOut.multiplied > outer.multiplied) this.#context.addCost(repeatedCost(fanOut.multiplied), path)
    const place = { definition, parentType: this.#source.name, path, parent, depth, fanOut }
    this.fields.set(responseName, new FieldSelection(this.#context, node, place))
  }
}

/** The definition of a type's field; null for `__typename`. */
function requireField(type: FieldSource, name: string, path: Path): GraphQLField<unknown, unknown> | null {
  if (name === '__typename') return null
  const definition = type.field(name)
  if (definition === undefined) throw unknownField(name, type.name, path, () => type.fieldsNear(name))
  return definition
}

function mergeField(known: FieldSelection, node: FieldNode, path: Path): void {
  const knownName = known.nodes[0]!.name.value
  if (knownName !== node.name.value) {
    const message = `selection of both "${knownName}" and "${node.name.value}" specify the same response name, "${known.responseName}"`
    throw validationFailed(message, pathKeys(path))
  }
  if (argumentsText(known.nodes[0]!.arguments) !== argumentsText(node.arguments)) {
    const message = `inconsistent arguments between multiple selections of field "${known.name}"`
    throw validationFailed(message, pathKeys(path))
  }
  known.nodes.push(node)
}

function argumentsText(nodes: readonly ArgumentNode[] | undefined): string {
  if (!nodes || nodes.length === 0) return ''
  const texts = nodes.map(({ name, value }) => `${name.value}:${valueText(value)}`)
  return texts.sort(compareText).join()
}

/** A canonical text of a value: the order of object members does not matter. */
function valueText(node: ValueNode): string {
  if (node.kind === Kind.LIST) return `[${node.values.map(valueText).join()}]`
  if (node.kind !== Kind.OBJECT) return print(node)
  return `{${node.fields
    .map(({ name, value }) => `${name.value}:${valueText(value)}`)
    .sort(compareText)
    .join()}}`
}
