// Arguments of fields that JavaScript answers. They are bound at run time, so that one plan serves all values.

import { getNullableType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { ArrayType } from './array-type.ts'
import type { OperationInput, Variables } from './operation-input.ts'
import type { FieldSelection } from './selection.ts'
import type { Value } from './values.ts'

/** Coerced values by name; absent arguments without a default are omitted. */
export type Arguments = Readonly<Record<string, unknown>>

const none: Arguments = {}

/** The arguments of an operation's calls: constant ones, and the fields whose arguments contain variables. */
export class CallArguments {
  readonly #constants = new Map<FieldSelection, Arguments>()
  readonly #variable: FieldSelection[] = []
  readonly #context: OperationInput

  constructor(context: OperationInput) {
    this.#context = context
  }

  /** Adds a field; refuses values that do not fit. The plan does not depend on values in variables. */
  add(field: FieldSelection): void {
    if (field.arguments.size === 0) return
    const own = this.#context.with(this.#context.variables)
    const args = coercedArguments(field, own)
    if (own.usesVariables) this.#variable.push(field)
    else this.#constants.set(field, args)
  }

  /** Binds the values of a request; throws when a value does not fit. */
  bind(variables: Variables): BoundArguments {
    if (this.#variable.length === 0) return (field) => this.#constants.get(field) ?? none
    const context = this.#context.with(variables)
    const bound = new Map(this.#variable.map((field) => [field, coercedArguments(field, context)]))
    return (field) => this.#constants.get(field) ?? bound.get(field) ?? none
  }
}

/** The arguments of a field for one request. */
export type BoundArguments = (field: FieldSelection) => Arguments

const coercedArguments = (field: FieldSelection, context: OperationInput): Arguments =>
  Object.fromEntries([...field.argumentsIn(context)].map(([name, value]) => [name, coerced(value)]))

/**
 * The value as JSON in the shape of its type: single values become lists where the type is a list; defaults are filled
 * in.
 */
function coerced(value: Value): unknown {
  const type = getNullableType(value.type)
  if (value.isNull) {
    if (isNonNullType(value.type)) throw value.nullError()
    return null
  }
  if (isListType(type) && !(type instanceof ArrayType)) return value.items().map(coerced)
  if (isInputObjectType(type)) {
    const members = [...value.members()].filter(([, member]) => !member.isLeftOut)
    return Object.fromEntries(members.map(([name, member]) => [name, coerced(member)]))
  }
  if (isEnumType(type)) return value.enumValue()
  value.check()
  return value.json()
}
