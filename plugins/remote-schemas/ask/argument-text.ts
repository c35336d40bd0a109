// Prints the arguments of fields for a remote server: checked against the role's view, with its presets added.

import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  print,
  type ValueNode,
  type VariableNode,
  visit,
} from 'graphql'
import type { FieldSelection } from '../../../sdk/graphql.ts'
import { badRequest, pathKeys } from '../../../sdk/index.ts'
import type { Preset, RemoteView, SessionValue } from '../types/view.ts'

/** A preset whose value depends on the session: it is sent as a variable. */
export interface SessionPreset {
  readonly name: string
  readonly value: SessionValue
  readonly type: GraphQLInputType
}

export interface ArgumentOptions {
  /** Prefix of the variables for presets; unique within a request. */
  readonly presetPrefix: string
  /** Whether null arguments and null members of input objects are left out. */
  readonly skipsNulls: boolean
}

/** Prints the arguments of one part of a request. */
export class ArgumentText {
  /** The client's variables that the texts use. */
  readonly variables = new Set<string>()
  readonly presets: SessionPreset[] = []
  readonly #view: RemoteView
  readonly #options: ArgumentOptions

  constructor(view: RemoteView, options: ArgumentOptions) {
    this.#view = view
    this.#options = options
  }

  /** The arguments of a selected field, those of presets included; empty without any. */
  of(selection: FieldSelection, parent: GraphQLNamedType, field: GraphQLField<unknown, unknown>): string {
    const visible = this.#view.arguments(parent, field)
    const given = (selection.nodes[0]!.arguments ?? []).flatMap((node) => this.#argument(node, visible, selection))
    const added = this.ofPresets(parent, field)
    const all = [...given, ...added]
    return all.length > 0 ? `(${all.join(', ')})` : ''
  }

  /** The arguments of a field that presets give, except those in `given`. */
  ofPresets(
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
    if (argument) return [`${name.value}: ${this.#value(value, argument.type)}`]
    const message = `"${selection.name}" has no argument named "${name.value}"`
    throw badRequest('validation-failed', message, { path: pathKeys(selection.path) })
  }

  #isSkipped({ kind }: ValueNode): boolean {
    return kind === Kind.NULL && this.#options.skipsNulls
  }

  /** Prints a value for a type of the server. */
  #value(node: ValueNode, type: GraphQLInputType): string {
    const isAsGiven = !this.#view.hasPresets && !this.#options.skipsNulls
    const nullable = getNullableType(type)
    if (!isAsGiven && node.kind === Kind.LIST && isListType(nullable)) {
      return `[${node.values.map((item) => this.#value(item, nullable.ofType)).join(', ')}]`
    }
    const named = getNamedType(type)
    if (isAsGiven || node.kind !== Kind.OBJECT || !isInputObjectType(named)) {
      visit(node, { Variable: ({ name }: VariableNode) => void this.variables.add(name.value) })
      return print(node)
    }
    const fields = named.getFields()
    const presets = this.#view.inputPresets(named.name)
    const members = node.fields.flatMap(({ name, value }) => {
      const field = fields[name.value]
      return field && !presets.has(name.value) && !this.#isSkipped(value)
        ? [`${name.value}: ${this.#value(value, field.type)}`]
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
