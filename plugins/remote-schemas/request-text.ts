// Selected fields in the words of a remote server: names as it has them, presets added, fragments inlined, and nothing in
// it that was not checked against what the role sees.

import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  print,
  type ValueNode,
  type VariableNode,
  visit,
} from 'graphql'
import type { FieldSelection } from '../../sdk/graphql.ts'
import { badRequest, pathKeys } from '../../sdk/index.ts'
import { typeMember } from './role-types.ts'
import type { Preset, RemoteView, SessionValue } from './view.ts'

/** A preset that a request gives a value: the variable that stands for it. */
export interface SessionPreset {
  readonly name: string
  readonly value: SessionValue
  readonly type: GraphQLInputType
}

export interface TextOptions {
  /** Whether values are to tell their types, so that they can be completed. */
  readonly tellTypes: boolean
  /** Begins the names of variables for presets: of one request no two may begin alike. */
  readonly presetPrefix: string
  /** Whether arguments and members of input objects that are null are left out. */
  readonly skipsNulls: boolean
}

/** What is selected of the values of one object type. */
interface SelectedPart {
  readonly object: GraphQLObjectType
  readonly fields: readonly FieldSelection[]
  /** Of the fields. */
  readonly texts: readonly string[]
}

/** A field that is selected of all types of an abstract one. */
interface SharedField {
  readonly text: string
  /** How it is asked of the abstract type. */
  readonly asked: string
}

/** Writes selections of one request part. */
export class RequestText {
  /** Variables of the client that are used. */
  readonly variables = new Set<string>()
  readonly presets: SessionPreset[] = []
  /** Whether the answer has the shape that the client asked for. */
  isExact = true
  readonly #view: RemoteView
  readonly #options: TextOptions

  constructor(view: RemoteView, options: TextOptions) {
    this.#view = view
    this.#options = options
  }

  /** A field without its response name: `user(id: 1) { name }`. */
  field(selection: FieldSelection, parent: GraphQLObjectType | GraphQLInterfaceType): string {
    const field = this.#remoteField(selection, parent)
    const args = this.#arguments(selection, parent, field)
    return `${field.name}${args}${this.selectionSet(selection, field)}`
  }

  /** The selection set of a field of the server; empty for leaves. */
  selectionSet(selection: FieldSelection, field: GraphQLField<unknown, unknown>): string {
    const type = getNamedType(field.type)
    if (isObjectType(type)) return ` { ${this.#object(selection, type)} }`
    if (isInterfaceType(type) || isUnionType(type)) return ` { ${this.#abstract(selection, type)} }`
    return ''
  }

  #remoteField(
    selection: FieldSelection,
    parent: GraphQLObjectType | GraphQLInterfaceType,
  ): GraphQLField<unknown, unknown> {
    const { names } = this.#view.types
    const found = this.#view.fields(parent).find(({ name }) => names.localField(parent.name, name) === selection.name)
    if (found) return found
    // Types that several servers have in common are made once, and may show what this server's part does not.
    const message = `field "${selection.name}" not found in type: '${names.localType(parent.name)}'`
    throw badRequest('validation-failed', message, { path: pathKeys(selection.path) })
  }

  #object(selection: FieldSelection, type: GraphQLObjectType): string {
    const local = localTypeOf(selection, this.#view.types.names.localType(type.name))
    const fields = local ? selection.fieldsOf(local) : []
    if (fields.length > 0) return this.#fields(fields, type)
    this.isExact = false
    return `${typeMember}: __typename`
  }

  #fields(fields: readonly FieldSelection[], type: GraphQLObjectType): string {
    return this.#texts(fields, type).join(' ')
  }

  #texts(fields: readonly FieldSelection[], type: GraphQLObjectType): string[] {
    return fields.map((each) => `${aliasOf(each, this.#view, type)}${this.#member(each, type)}`)
  }

  #member(field: FieldSelection, type: GraphQLObjectType): string {
    return field.definition === null ? '__typename' : this.field(field, type)
  }

  #abstract(selection: FieldSelection, type: GraphQLNamedType): string {
    const { tellTypes } = this.#options
    const told = tellTypes ? [`${typeMember}: __typename`] : []
    // A value of a type that is hidden has to be known for one.
    if (this.#view.hidesTypes(type)) this.isExact = false
    const parts = this.#view.possibleTypes(type).flatMap((object): SelectedPart[] => {
      const local = localTypeOf(selection, this.#view.types.names.localType(object.name))
      const fields = local ? selection.fieldsOf(local) : []
      return fields.length === 0 ? [] : [{ object, fields, texts: this.#texts(fields, object) }]
    })
    if (parts.length === 0) {
      this.isExact = false
      return tellTypes ? told[0]! : `${typeMember}: __typename`
    }
    return [...told, ...inOrder(parts, this.#shared(type, parts))].join(' ')
  }

  /**
   * What all types of an abstract one are asked for in the same order, where it may be asked of all at once: thousands of
   * fragments are a burden, and fields that differ in whether they may be null cannot stand in fragments beside each other.
   */
  #shared(type: GraphQLNamedType, parts: readonly SelectedPart[]): SharedField[] {
    if (!this.#view.isWhole || this.#view.possibleTypes(type).length !== parts.length) return []
    const [first] = parts
    const holders = isInterfaceType(type) ? [type] : first!.object.getInterfaces()
    const common = holders.filter((each) => parts.every(({ object }) => isOf(object, each)))
    const from = parts.map(() => 0)
    return first!.texts.flatMap((text, i) => {
      const places = parts.map(({ texts }, part) => texts.indexOf(text, from[part]))
      if (places.includes(-1)) return []
      const isField = first!.fields[i]!.definition !== null
      const holder = common.find((each) => parts.every((part, p) => this.#holds(each, part, places[p]!)))
      if (isField && !holder) return []
      for (const [part, place] of places.entries()) from[part] = place + 1
      return [{ text, asked: isField && holder !== type ? `... on ${holder!.name} { ${text} }` : text }]
    })
  }

  /** Whether the field of an object type can be asked of an interface just as well. */
  #holds(holder: GraphQLInterfaceType, { object, fields }: SelectedPart, place: number): boolean {
    const { definition, name, nodes } = fields[place]!
    if (definition === null) return true
    const { names } = this.#view.types
    const field = Object.values(object.getFields()).find((each) => names.localField(object.name, each.name) === name)
    const held = field && holder.getFields()[field.name]
    if (!held || getNamedType(held.type) !== getNamedType(field.type)) return false
    const given = nodes[0]!.arguments ?? []
    return given.every((node) => held.args.some((argument) => argument.name === node.name.value))
  }

  #arguments(selection: FieldSelection, parent: GraphQLNamedType, field: GraphQLField<unknown, unknown>): string {
    const visible = this.#view.arguments(parent, field)
    const given = (selection.nodes[0]!.arguments ?? []).flatMap((node) => this.#argument(node, visible, selection))
    const added = this.presetArguments(parent, field)
    const all = [...given, ...added]
    return all.length > 0 ? `(${all.join(', ')})` : ''
  }

  /** The arguments of a field that presets give, but for those of these names. */
  presetArguments(
    parent: GraphQLNamedType,
    field: GraphQLField<unknown, unknown>,
    given: ReadonlySet<string> = new Set(),
  ): string[] {
    const presets = [...this.#view.argumentPresets(parent.name, field.name)].filter(([name]) => !given.has(name))
    return presets.map(([name, preset]) => {
      return `${name}: ${this.#preset(preset, field.args.find((each) => each.name === name)!)}`
    })
  }

  #argument({ name, value }: ArgumentNode, visible: readonly GraphQLArgument[], selection: FieldSelection): string[] {
    const argument = visible.find((each) => each.name === name.value)
    if (argument && this.#isSkipped(value)) return []
    if (argument) return [`${name.value}: ${this.value(value, argument.type)}`]
    const message = `"${selection.name}" has no argument named "${name.value}"`
    throw badRequest('validation-failed', message, { path: pathKeys(selection.path) })
  }

  #isSkipped({ kind }: ValueNode): boolean {
    return kind === Kind.NULL && this.#options.skipsNulls
  }

  /** A value of a type of the server. */
  value(node: ValueNode, type: GraphQLInputType): string {
    if (!this.#view.hasPresets && !this.#options.skipsNulls) {
      visit(node, { Variable: ({ name }: VariableNode) => void this.variables.add(name.value) })
      return print(node)
    }
    const nullable = getNullableType(type)
    if (node.kind === Kind.VARIABLE) {
      this.variables.add(node.name.value)
      return print(node)
    }
    if (node.kind === Kind.LIST && isListType(nullable)) {
      return `[${node.values.map((item) => this.value(item, nullable.ofType)).join(', ')}]`
    }
    const named = getNamedType(type)
    if (node.kind !== Kind.OBJECT || !isInputObjectType(named)) {
      visit(node, { Variable: ({ name }: VariableNode) => void this.variables.add(name.value) })
      return print(node)
    }
    const fields = named.getFields()
    const presets = this.#view.inputPresets(named.name)
    const members = node.fields.flatMap(({ name, value }) => {
      const field = fields[name.value]
      return field && !presets.has(name.value) && !this.#isSkipped(value)
        ? [`${name.value}: ${this.value(value, field.type)}`]
        : []
    })
    const added = [...presets].map(([name, preset]) => `${name}: ${this.#preset(preset, fields[name]!)}`)
    return `{${[...members, ...added].join(', ')}}`
  }

  #preset(preset: Preset, { type }: GraphQLArgument | GraphQLInputField): string {
    if (preset.kind === 'value') return print(preset.node)
    const name = `${this.#options.presetPrefix}${this.presets.length}`
    this.presets.push({ name, value: preset.value, type })
    return `$${name}`
  }
}

/** Fields of each type in their order, those that all have once. */
function inOrder(parts: readonly SelectedPart[], shared: readonly SharedField[]): string[] {
  const from = parts.map(() => 0)
  const upTo = (text: string | null): string[] =>
    parts.flatMap(({ object, texts }, part) => {
      const end = text === null ? texts.length : texts.indexOf(text, from[part])
      const own = texts.slice(from[part], end)
      from[part] = end + 1
      return own.length > 0 ? [`... on ${object.name} { ${own.join(' ')} }`] : []
    })
  return [...shared.flatMap(({ text, asked }) => [...upTo(text), asked]), ...upTo(null)]
}

const isOf = (object: GraphQLObjectType, type: GraphQLInterfaceType): boolean => object.getInterfaces().includes(type)

function aliasOf(field: FieldSelection, { types: { names } }: RemoteView, type: GraphQLObjectType): string {
  if (field.definition === null) return field.responseName === '__typename' ? '' : `${field.responseName}: `
  const isSameName = field.responseName === field.name && names.localField(type.name, field.name) === field.name
  return isSameName && Object.hasOwn(type.getFields(), field.name) ? '' : `${field.responseName}: `
}

/** The type of that name among those that values of a field can have here. */
function localTypeOf({ definition }: FieldSelection, name: string): GraphQLObjectType | null {
  const type = definition && getNamedType(definition.type)
  if (isObjectType(type)) return type.name === name ? type : null
  const possible = isUnionType(type)
    ? type.getTypes()
    : isInterfaceType(type)
      ? (type.extensions.possibleTypes?.() ?? [])
      : []
  return possible.find((each) => each.name === name) ?? null
}
