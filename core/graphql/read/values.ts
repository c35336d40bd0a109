// Values of a request, literal or from variables, read against the expected type of their place. All errors about
// values are worded here.

import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type ValueNode,
} from 'graphql'
import type { Operand } from '../../compiler/plan/plan.ts'
import { encodeArray, inputType, jsonKind, listInputType } from '../../compiler/types/codecs.ts'
import type { Codec, InputSource, ParamSource } from '../../database/sql/param.ts'
import { badRequest, TrellisError, validationFailed } from '../../errors/errors.ts'
import { below, type Path, pathKeys } from '../../errors/path.ts'
import { englishList, isGraphQLName } from '../../names/names.ts'
import { maxValueDepth } from '../tuning.ts'
import { unlikeEarlier } from './alike.ts'
import { ArrayType } from './array-type.ts'
import { declaredField, declaredName } from './declared-name.ts'
import { literalJson, literalKind, membersOf, nodeInput } from './literals.ts'
import { type Aspect, type OperationInput, unknownValue } from './operation-input.ts'
import { codecOf } from './scalar-codecs.ts'
import { completedFields, unknownField } from './type-fields.ts'
import { printTypeNode, useWithin, variableFits } from './used-variables.ts'

/** The place of a JSON value within the variables. */
interface VariablePlace {
  readonly name: string
  readonly path: readonly (string | number)[]
}

/** The place of a value. */
export interface ValuePosition {
  readonly type: GraphQLInputType
  readonly path: Path
  /** The number of enclosing values; absent: 0. */
  readonly depth?: number
  /** Whether the place has a default, so that a nullable variable is allowed there. */
  readonly hasDefault?: boolean
}

/** A value as planners receive it; see {@link Value.fromNode}. */
export class Value {
  readonly type: GraphQLInputType
  readonly path: Path
  readonly #context: OperationInput
  readonly #node: ValueNode | null
  readonly #json: unknown
  readonly #place: VariablePlace | null
  readonly #depth: number

  private constructor(
    context: OperationInput,
    from: { node: ValueNode } | { json: unknown; place: VariablePlace | null },
    { type, path, depth = 0 }: ValuePosition,
  ) {
    this.#context = context
    this.type = type
    this.path = path
    this.#node = 'node' in from ? from.node : null
    this.#json = 'node' in from ? null : from.json
    this.#place = 'node' in from ? null : from.place
    this.#depth = depth
    if (depth > maxValueDepth) throw validationFailed('the value is nested too deeply', pathKeys(path))
  }

  /** A literal of the document, or the value of a variable. */
  static fromNode(context: OperationInput, node: ValueNode, position: ValuePosition): Value {
    if (node.kind !== Kind.VARIABLE) return new Value(context, { node }, position)
    const { type, path, hasDefault = false } = position
    const name = node.name.value
    const declared = context.useVariable(name, path)
    if (!variableFits(declared.type, type, declared.defaultNode !== undefined || hasDefault)) {
      const message = `variable "${name}" is declared as ${printTypeNode(declared.type)}, but used where ${type} is expected`
      throw validationFailed(message, pathKeys(path))
    }
    context.variableTypes.set(name, type)
    const { defaultNode } = declared
    if (defaultNode) new Value(context, { node: defaultNode }, position).check()
    const value = new Value(context, { json: declared.value, place: { name, path: [] } }, position)
    const takesNull = declared.type.kind !== Kind.NON_NULL_TYPE || (context.acceptsNulls && !isNonNullType(type))
    if (value.isNull && !takesNull) throw value.nullError()
    return value
  }

  /** Refuses a value if any part of it does not fit its type. */
  check(): void {
    const type = getNullableType(this.type)
    if (this.isUnknown) return
    if (this.isNull) {
      if (isNonNullType(this.type)) throw this.nullError()
    } else if (type instanceof ArrayType) this.#encode(type.codec)
    else if (isListType(type)) for (const item of this.items()) item.check()
    else if (isInputObjectType(type)) for (const member of this.members().values()) member.check()
    else if (isEnumType(type)) this.enumValue()
    else {
      const codec = codecOf(type)
      if (codec) this.#encode(codec)
    }
  }

  /** A default of the schema. */
  static fromDefault(context: OperationInput, json: unknown, position: Pick<ValuePosition, 'type' | 'path'>): Value {
    return new Value(context, { json, place: null }, position)
  }

  get isNull(): boolean {
    return this.#node ? this.#node.kind === Kind.NULL : this.#json === null || this.#json === undefined
  }

  /** Whether it is an absent variable, so that a default applies. */
  get isLeftOut(): boolean {
    if (!this.#place || this.#place.path.length > 0 || !this.isNull) return false
    return this.#context.variables[this.#place.name] === undefined
  }

  /** Whether it is a variable without a value, in the validation of a document; only its type is known. */
  get isUnknown(): boolean {
    return this.#json === unknownValue
  }

  /** The kind of the value in messages: `a string`, `an integer`, `null`. */
  get kind(): string {
    return this.#node ? literalKind(this.#node) : jsonKind(this.#json)
  }

  /** An error located at this value. */
  fail(message: string, code = 'validation-failed'): TrellisError {
    return badRequest(code, message, { path: pathKeys(this.path) })
  }

  /** The error `expected <what> for type "<T>", but found <kind>`. */
  mismatch(what: string): TrellisError {
    return this.fail(`expected ${what} for type "${getNamedType(this.type)}", but found ${this.kind}`)
  }

  /** The members of an input object: those given, and those with a default. `cost` is added for each given member. */
  members(cost = 0): ReadonlyMap<string, Value> {
    const type = getNamedType(this.type) as GraphQLInputObjectType
    const given = this.#rawMembers()
    if (!given) throw this.mismatch('an object')
    if (cost > 0) this.#context.addCost(cost * given.size, this.path)
    const fields = type.getFields()
    const members = new Map<string, Value>()
    for (const [name, make] of given) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      const path = below(this.path, name)
      if (!field) throw unknownField(name, type.name, path, () => Object.keys(fields))
      const hasDefault = field.default !== undefined
      const member = make({ type: field.type, path, hasDefault })
      if (hasDefault && member.isLeftOut) continue
      if (member.isNull && isNonNullType(field.type)) throw member.nullError()
      members.set(declaredName(field), member)
    }
    for (const field of completedFields(type)) {
      if (members.has(declaredName(field))) continue
      const path = below(this.path, field.name)
      if (isRequiredInputField(field)) throw validationFailed(`missing required field "${field.name}"`, pathKeys(path))
      const value = field.default?.value
      if (value !== undefined)
        members.set(declaredName(field), Value.fromDefault(this.#context, value, { type: field.type, path }))
    }
    return members
  }

  #rawMembers(): Map<string, (at: ValuePosition) => Value> | null {
    const members = new Map<string, (at: ValuePosition) => Value>()
    const depth = this.#depth + 1
    const node = this.#node
    if (node) {
      if (node.kind !== Kind.OBJECT) return null
      for (const [name, value] of this.#located(() => membersOf(node))) {
        members.set(name, (at) => Value.fromNode(this.#context, value, { ...at, depth }))
      }
      return members
    }
    if (jsonKind(this.#json) !== 'an object') return null
    for (const [key, json] of Object.entries(this.#json as object)) {
      if (!isGraphQLName(key)) {
        const message = `variable value contains object with key "${key}", which is not a legal GraphQL name`
        throw this.fail(message)
      }
      members.set(key, (at) => new Value(this.#context, { json, place: this.#placeOf(key) }, { ...at, depth }))
    }
    return members
  }

  /**
   * The elements of a list; a single value counts as a list of one. The plan depends on the number of elements, and
   * `cost` is added for each.
   */
  items(cost = 0): Value[] {
    if (this.isNull) throw this.fail('expected a list, but found null')
    this.dependOnLength()
    if (cost > 0) this.#context.addCost(cost * this.#length, this.path)
    return this.#elements()
  }

  /** Records that the plan depends on the length of the list. */
  dependOnLength(): void {
    if (this.#place) this.#context.dependOnLengths(this.#place.name)
  }

  get #length(): number {
    if (this.#node) return this.#node.kind === Kind.LIST ? this.#node.values.length : 1
    return Array.isArray(this.#json) ? this.#json.length : 1
  }

  #elements(): Value[] {
    if (this.#node) {
      const nodes = this.#node.kind === Kind.LIST ? this.#node.values : [this.#node]
      return nodes.map((node, i) => Value.fromNode(this.#context, node, this.#positionOf(i)))
    }
    const values = Array.isArray(this.#json) ? this.#json : [this.#json]
    return values.map((json, i) => this.#element(json, i))
  }

  /** An element of a list in a variable, or the single value that replaces the list. */
  #element(json: unknown, i: number): Value {
    const place = Array.isArray(this.#json) ? this.#placeOf(i) : this.#place
    return new Value(this.#context, { json, place }, this.#positionOf(i))
  }

  #positionOf(i: number): ValuePosition {
    const nullable = isNonNullType(this.type) ? this.type.ofType : this.type
    const type = isListType(nullable) ? nullable.ofType : nullable
    return { type, path: below(this.path, i), depth: this.#depth + 1 }
  }

  /**
   * The elements of a list in a variable, one for each shape; null for any other value. The plan may depend on these
   * shapes but not on the length: see {@link memberParam}. A cost is added for each returned element.
   */
  rows(): Value[] | null {
    if (!this.#place || this.isNull) return null
    const values: readonly unknown[] = Array.isArray(this.#json) ? this.#json : [this.#json]
    return unlikeEarlier(values, () => this.#context.addCost(1, this.path)).map((i) => this.#element(values[i], i))
  }

  /** One member of each of the {@link rows}, as an array of texts; NULL where it is null or absent. */
  memberParam(member: string, codec: Codec): ParamSource {
    const type = getNamedType(this.type)
    const name = isInputObjectType(type) ? (declaredField(type.getFields(), member)?.name ?? member) : member
    return { from: 'members', input: { kind: 'variable', ...this.#place! }, member: name, codec, path: this.path }
  }

  /** The name of an enum value, as it was declared; the plan then depends on it. */
  enumValue(): string {
    const type = getNamedType(this.type) as GraphQLEnumType
    const name = this.#enumName()
    if (name === null) throw this.mismatch('an enum value')
    const value = type.getValue(name)
    if (!value) {
      const names = englishList(
        type.getValues().map((each) => each.name),
        'or',
      )
      throw this.fail(`expected one of the values ${names} for type "${type.name}", but found "${name}"`)
    }
    if (this.#place) this.#context.dependOnValue(this.#place.name)
    return declaredName(value)
  }

  #enumName(): string | null {
    if (this.#node) return this.#node.kind === Kind.ENUM ? this.#node.value : null
    return typeof this.#json === 'string' ? this.#json : null
  }

  /** A Boolean; the plan then depends on it. */
  boolean(): boolean {
    const json = this.json()
    if (typeof json !== 'boolean') throw this.mismatch('a boolean')
    return json
  }

  /** A 32-bit integer, never null; the plan then depends on it. */
  integer(): number {
    if (this.isNull) throw this.nullError()
    const codec = codecOf(getNamedType(this.type))
    if (this.#place) this.#context.dependOnValue(this.#place.name)
    return Number(this.#encode(codec!))
  }

  /** A String; the plan then depends on it. */
  string(): string {
    const json = this.json()
    if (typeof json !== 'string' || this.#node?.kind === Kind.ENUM) throw this.mismatch('a string')
    return json
  }

  /** The value as JSON with exact numbers; the plan then depends on it. */
  json(): unknown {
    if (!this.#node) {
      if (this.#place) this.#context.dependOnValue(this.#place.name)
      return this.#json
    }
    const node = this.#node
    return this.#located(() =>
      literalJson(node, (name) => {
        const value = useWithin(this.#context, name)
        this.#context.dependOnValue(name)
        return value
      }),
    )
  }

  /** The same if the plan depends on an aspect only; for scalars. */
  jsonOf(aspect: Aspect): unknown {
    if (!this.#place || this.#place.path.length > 0) return this.json()
    this.#context.dependOnAspect(this.#place.name, aspect)
    return this.#json
  }

  /**
   * The value as a parameter of PostgreSQL type `sqlType`. Null becomes SQL NULL. Errors of the codec are located below
   * `path`.
   */
  param(codec: Codec, sqlType: string, path = this.path): Operand {
    return { kind: 'param', source: this.#source(codec, false, path), type: inputType(codec, sqlType) }
  }

  /** A list as one array parameter, so that the plan does not depend on its length. */
  listParam(codec: Codec, elementType: string): Operand {
    if (this.isNull) throw this.fail('expected a list, but found null')
    this.#refuseNullItem()
    return { kind: 'param', source: this.#source(codec, true), type: listInputType(codec, elementType) }
  }

  /** Lists in variables are checked as raw JSON, because they may be long. */
  #refuseNullItem(): void {
    const at = Array.isArray(this.#json) ? this.#json.indexOf(null) : -1
    if (at >= 0) throw this.#element(null, at).nullError()
    if (this.#node) for (const item of this.#elements()) if (item.isNull) throw item.nullError()
  }

  /** The error about a null where the interface requires a value. */
  nullError(): TrellisError {
    if (isListType(isNonNullType(this.type) ? this.type.ofType : this.type)) {
      return this.fail('expected a list, but found null')
    }
    const type = getNamedType(this.type)
    const what = isEnumType(type) ? 'an enum value' : isInputObjectType(type) ? 'an object' : codecOf(type)?.expects
    return what ? this.mismatch(what) : this.fail(`unexpected null value for type "${type}"`)
  }

  #source(codec: Codec, list: boolean, path = this.path): ParamSource {
    const input = this.#input()
    if (input.kind !== 'constant') return { from: 'input', input, codec, list, path }
    if (!list) return { from: 'constant', value: this.#encode(codec, path) }
    const items = this.#elements().map((item) => item.#encode(codec))
    return { from: 'constant', value: encodeArray(items) }
  }

  #encode(codec: Codec, path = this.path): string | null {
    if (this.isNull) return null
    const node = this.#node
    return this.#located(
      () =>
        node
          ? codec.encode(
              literalJson(node, () => null),
              literalKind(node),
            )
          : codec.encode(this.#json),
      path,
    )
  }

  /** Runs `work`; errors are located at this value. */
  #located<T>(work: () => T, path = this.path): T {
    try {
      return work()
    } catch (error) {
      throw error instanceof TrellisError ? error.at(...pathKeys(path)) : error
    }
  }

  /** The source of the value, as data; `constant` if no variable is involved. */
  #input(): InputSource {
    const node = this.#node
    if (!node) return this.#place ? { kind: 'variable', ...this.#place } : { kind: 'constant', value: this.#json }
    return this.#located(() => nodeInput(node, (name) => useWithin(this.#context, name)))
  }

  #placeOf(key: string | number): VariablePlace | null {
    return this.#place && { name: this.#place.name, path: [...this.#place.path, key] }
  }
}
