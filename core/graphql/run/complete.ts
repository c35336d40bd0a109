// Completes values of calls against the selection: picks members, walks lists, resolves the types of interfaces and
// unions, and fills in `__typename`.

import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isEnumType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql'
import { internalError, type TrellisError } from '../../errors/errors.ts'
import { pathKeys } from '../../errors/path.ts'
import { isDeeper, jsonType } from '../../json/json.ts'
import { maxLevels } from '../../json/tuning.ts'
import type { MemberStep } from '../plan/steps.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import type { FieldSelection } from '../read/selection.ts'
import { type OutputShape, shapeOf } from '../schema/output-shape.ts'
import { typeOfValue } from '../schema/possible-types.ts'
import { type JsonObject, type Place, setAt } from './answer.ts'

/** An object of a call's result with a member that has another executor. */
export interface FoundObject {
  /** As the call returned it. */
  readonly object: Readonly<JsonObject>
  /** The place of the member. */
  readonly place: Place
}

export interface CompletionOptions {
  readonly schema: PlannedSchema
  readonly members: ReadonlyMap<FieldSelection, MemberStep>
  /** Whether members are stored under their response names. */
  readonly byResponseName: boolean
  /** Called with a value that does not fit its type; throws, unless the rest of the answer survives. */
  readonly refuse: (error: TrellisError, place: Place) => void
}

/** Marks a value that is missing from a place that cannot be null. */
const lost = Symbol('lost')

const isObjectLike = (value: unknown): boolean => ['Object', 'Array'].includes(jsonType(value))

const notNull = ({ name }: FieldSelection): string => `expecting not null value for field "${name}"`

/** The selected members of an object. */
interface Members {
  /**
   * An object with all members set to null, in order. Copies define own properties, so a member named `__proto__` is an
   * ordinary one.
   */
  readonly nulls: JsonObject
  readonly all: readonly Member[]
}

interface Member {
  readonly field: FieldSelection
  /** Null for `__typename`. */
  readonly shape: OutputShape | null
}

const membersOf = new WeakMap<readonly FieldSelection[], Members>()

function membersBy(fields: readonly FieldSelection[]): Members {
  let members = membersOf.get(fields)
  if (!members) {
    const nulls = Object.fromEntries(fields.map(({ responseName }) => [responseName, null]))
    const all = fields.map((field) => ({ field, shape: field.definition && shapeOf(field.definition.type) }))
    members = { nulls, all }
    membersOf.set(fields, members)
  }
  return members
}

/** Whether a value can be used unchanged. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || Number.isFinite(value) || typeof value === 'boolean'

/** Whether the value is null. Numbers that JSON cannot express count as null. */
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value))

const isInJson = (value: unknown): boolean => isPlain(value) || typeof value === 'object'

/** Completes the values of one call. */
export class Completion {
  /** The objects with members that have another executor. */
  readonly found = new Map<FieldSelection, FoundObject[]>()
  readonly #options: CompletionOptions

  constructor(options: CompletionOptions) {
    this.#options = options
  }

  /**
   * Stores the completed value in its place. Returns false if neither a value nor null is possible there, so that the
   * surrounding value becomes null.
   */
  complete(value: unknown, field: FieldSelection, place: Place): boolean {
    const completed = this.#value(value, shapeOf(field.definition!.type), field, place)
    if (completed === lost) return false
    setAt(place, completed)
    return true
  }

  /** Stores a value that already has the shape of the response. */
  take(value: unknown, field: FieldSelection, place: Place): boolean {
    const { isNullable } = place
    if (!isNullable && (value ?? null) === null) {
      this.#refuse(notNull(field), field, place)
      return false
    }
    setAt(place, value ?? null)
    return true
  }

  #value(value: unknown, shape: OutputShape, field: FieldSelection, place: Place): unknown {
    const { isNullable } = shape
    if (isNothing(value)) {
      if (isNullable) return null
      return this.#refuse(notNull(field), field, place)
    }
    const completed = this.#nonNull(value, shape, field, place)
    return completed === lost && isNullable ? null : completed
  }

  #nonNull(value: unknown, { type, item, isLeaf }: OutputShape, field: FieldSelection, place: Place): unknown {
    if (isLeaf) {
      if (!isInJson(value)) {
        return this.#refuse(
          `the value of field "${field.name}" is a ${typeof value}, which JSON cannot express`,
          field,
          place,
        )
      }
      if (!isObjectLike(value)) return value
      if (isEnumType(type) || (isScalarType(type) && isSpecifiedScalarType(type))) {
        return this.#refuse(`expecting a value of type "${type}" for field "${field.name}"`, field, place)
      }
      if (!isDeeper(value, maxLevels)) return value
      return this.#refuse(`the value of field "${field.name}" is nested too deeply`, field, place)
    }
    if (item) return this.#list(value, item, field, place)
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

  #list(value: unknown, shape: OutputShape, field: FieldSelection, place: Place): unknown {
    if (!Array.isArray(value)) return this.#refuse(`expecting a list for field "${field.name}"`, field, place)
    const list: unknown[] = new Array(value.length).fill(null)
    const { isNullable } = shape
    for (const [key, item] of value.entries()) {
      const completed = this.#value(item, shape, field, { holder: list, key, isNullable, above: place })
      if (completed === lost) return lost
      list[key] = completed
    }
    return list
  }

  #object(
    value: JsonObject,
    fields: readonly FieldSelection[],
    place: Place,
    { name: typeName }: GraphQLObjectType,
  ): unknown {
    const { nulls, all } = membersBy(fields)
    const object = { ...nulls }
    const { members, byResponseName } = this.#options
    for (const { field, shape } of all) {
      const { responseName, name } = field
      if (shape === null) {
        object[responseName] = typeName
        continue
      }
      const key = byResponseName ? responseName : name
      const found = Object.hasOwn(value, key) ? value[key] : null
      const isOthers = members.size > 0 && members.has(field)
      if (shape.isLeaf && isPlain(found) && !isOthers) {
        object[responseName] = found
        continue
      }
      const own: Place = { holder: object, key: responseName, isNullable: shape.isNullable, above: place }
      if (isOthers) {
        this.#found(field).push({ object: value, place: own })
        continue
      }
      const completed = this.#value(found, shape, field, own)
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
