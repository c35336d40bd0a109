// Values of calls, cut to what was selected: members picked by selection, lists walked, the types of interfaces and unions
// told apart, `__typename` filled in.

import {
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { internalError, type TrellisError } from '../errors/errors.ts'
import { pathKeys } from '../errors/path.ts'
import { isDeeper, jsonType, maxLevels } from '../json/json.ts'
import { type JsonObject, type Place, placeIn, setAt } from './answer.ts'
import type { PlannedSchema } from './planned-schema.ts'
import { typeOfValue } from './possible-types.ts'
import type { FieldSelection } from './selection.ts'
import type { MemberStep } from './steps.ts'

/** An object of a call's result that has a member which others answer. */
export interface FoundObject {
  /** As the call gave it. */
  readonly object: Readonly<JsonObject>
  /** Of the member. */
  readonly place: Place
}

export interface CompletionOptions {
  readonly schema: PlannedSchema
  readonly members: ReadonlyMap<FieldSelection, MemberStep>
  /** Whether members stand under their response names. */
  readonly byResponseName: boolean
  /** Told of what does not fit its type: throws, unless the rest of the answer is left. */
  readonly refuse: (error: TrellisError, place: Place) => void
}

/** Where a value was to be, and null would not do. */
const lost = Symbol('lost')

const isObjectLike = (value: unknown): boolean => ['Object', 'Array'].includes(jsonType(value))

const notNull = ({ name }: FieldSelection): string => `expecting not null value for field "${name}"`

const nulls = new WeakMap<readonly FieldSelection[], JsonObject>()

/** An object with all members, in their order. Its copies define own properties: a member called `__proto__` is one like any other. */
function nullsOf(fields: readonly FieldSelection[]): JsonObject {
  let object = nulls.get(fields)
  if (!object) {
    object = Object.fromEntries(fields.map(({ responseName }) => [responseName, null]))
    nulls.set(fields, object)
  }
  return object
}

/** Completes the values of one call. */
export class Completion {
  /** What it met of members that others answer. */
  readonly found = new Map<FieldSelection, FoundObject[]>()
  readonly #options: CompletionOptions

  constructor(options: CompletionOptions) {
    this.#options = options
  }

  /** Puts the completed value into its place; false: nothing will do there, so that what is around it has to go. */
  complete(value: unknown, field: FieldSelection, place: Place): boolean {
    const completed = this.#value(value, field.definition!.type, field, place)
    if (completed === lost) return false
    setAt(place, completed)
    return true
  }

  /** Puts a value into its place that has the shape of the response already. */
  take(value: unknown, field: FieldSelection, place: Place): boolean {
    const { isNullable } = place
    if (!isNullable && (value ?? null) === null) {
      this.#refuse(notNull(field), field, place)
      return false
    }
    setAt(place, value ?? null)
    return true
  }

  #value(value: unknown, type: GraphQLOutputType, field: FieldSelection, place: Place): unknown {
    const nullable = getNullableType(type)
    if (value === null || value === undefined) {
      if (!isNonNullType(type)) return null
      return this.#refuse(notNull(field), field, place)
    }
    const completed = this.#nonNull(value, nullable, field, place)
    return completed === lost && !isNonNullType(type) ? null : completed
  }

  #nonNull(value: unknown, type: GraphQLOutputType & GraphQLNullableType, field: FieldSelection, place: Place) {
    if (isLeafType(type)) {
      if (!isObjectLike(value)) return value
      if (isEnumType(type) || isSpecifiedScalarType(type)) {
        return this.#refuse(`expecting a value of type "${type}" for field "${field.name}"`, field, place)
      }
      if (!isDeeper(value, maxLevels)) return value
      return this.#refuse(`the value of field "${field.name}" is nested too deeply`, field, place)
    }
    if (isListType(type)) return this.#list(value, type.ofType, field, place)
    if (typeof value !== 'object' || Array.isArray(value)) {
      return this.#refuse(`expecting an object for field "${field.name}"`, field, place)
    }
    const object = this.#objectType(value as JsonObject, type)
    if (object) return this.#object(value as JsonObject, field.fieldsOf(object), place, object)
    return this.#refuse(`the type of a value of field "${field.name}" is not one of "${type}"`, field, place)
  }

  #objectType(value: JsonObject, type: GraphQLOutputType): GraphQLObjectType | null {
    if (isObjectType(type)) return type
    return isAbstractType(type) ? typeOfValue(value, type, this.#options.schema) : null
  }

  #list(value: unknown, type: GraphQLOutputType, field: FieldSelection, place: Place): unknown {
    if (!Array.isArray(value)) return this.#refuse(`expecting a list for field "${field.name}"`, field, place)
    const list: unknown[] = new Array(value.length).fill(null)
    for (const [i, item] of value.entries()) {
      const completed = this.#value(item, type, field, placeIn(list, i, { type, above: place }))
      if (completed === lost) return lost
      list[i] = completed
    }
    return list
  }

  #object(
    value: JsonObject,
    fields: readonly FieldSelection[],
    place: Place,
    { name: typeName }: GraphQLObjectType,
  ): unknown {
    const object = { ...nullsOf(fields) }
    for (const field of fields) {
      const { definition, responseName, name } = field
      if (definition === null) {
        object[responseName] = typeName
        continue
      }
      const { type } = definition
      const own = placeIn(object, responseName, { type, above: place })
      if (this.#options.members.has(field)) {
        this.#found(field).push({ object: value, place: own })
        continue
      }
      const key = this.#options.byResponseName ? responseName : name
      const completed = this.#value(Object.hasOwn(value, key) ? value[key] : null, type, field, own)
      if (completed === lost) return lost
      object[responseName] = completed
    }
    return object
  }

  #found(field: FieldSelection): FoundObject[] {
    const found = this.found.get(field) ?? []
    this.found.set(field, found)
    return found
  }

  #refuse(message: string, field: FieldSelection, place: Place): typeof lost {
    this.#options.refuse(internalError(message, { path: pathKeys(field.path) }), place)
    return lost
  }
}
