// An answer under construction from values: the place of each value, the effect of a failure on its surroundings, and
// further results such as errors and headers.

import type { GraphQLOutputType } from 'graphql'
import { type PathKey, pathKeys, pathText } from '../../errors/path.ts'
import type { FieldSelection } from '../read/selection.ts'
import type { AnswerError, AnswerExtras } from '../schema/call.ts'
import { type OutputShape, shapeOf } from '../schema/output-shape.ts'

export type JsonObject = Record<string, unknown>

/** The place of a value in the answer. */
export interface Place {
  readonly holder: JsonObject | unknown[]
  readonly key: PathKey
  readonly isNullable: boolean
  /** Null at the root. */
  readonly above: Place | null
}

/** The place of a value of a type. */
export const placeIn = (
  holder: Place['holder'],
  key: PathKey,
  { type, above }: { readonly type: GraphQLOutputType; readonly above: Place | null },
): Place => ({ holder, key, isNullable: shapeOf(type).isNullable, above })

export function setAt({ holder, key }: Place, value: unknown): void {
  if (Array.isArray(holder)) holder[key as number] = value
  else holder[key] = value
}

export function valueAt({ holder, key }: Place): unknown {
  return Array.isArray(holder) ? holder[key as number] : holder[key]
}

/** The keys from the root of the answer. */
export function keysOf(place: Place): PathKey[] {
  const keys: PathKey[] = []
  for (let at: Place | null = place; at; at = at.above) keys.push(at.key)
  return keys.reverse()
}

/** An object of the answer, and the fields that lead from it to a field. */
export interface WayTo {
  readonly holder: JsonObject
  readonly above: Place | null
  /** Each is selected within the previous one; the last one is the target. */
  readonly fields: readonly FieldSelection[]
}

/** The fields from the root, or from an enclosing field, down to a field. */
export function fieldsTo(field: FieldSelection, from: FieldSelection | null): FieldSelection[] {
  const fields: FieldSelection[] = []
  for (let at: FieldSelection | null = field; at; at = at === from ? null : at.parent) fields.push(at)
  return fields.reverse()
}

/** The places of a field's values. Lists on the way contribute each element; nulls contribute nothing. */
export function placesOf({ holder, above, fields }: WayTo): Place[] {
  const places: Place[] = []
  const enter = (value: unknown, shape: OutputShape, place: Place, depth: number): void => {
    if (Array.isArray(value)) {
      const item = shape.item ?? shape
      const { isNullable } = item
      for (const [key, each] of value.entries())
        enter(each, item, { holder: value, key, isNullable, above: place }, depth)
    } else if (typeof value === 'object' && value !== null) visit(value as JsonObject, place, depth)
  }
  const visit = (object: JsonObject, outer: Place | null, depth: number): void => {
    const { responseName, definition } = fields[depth]!
    const shape = shapeOf(definition!.type)
    const place: Place = { holder: object, key: responseName, isNullable: shape.isNullable, above: outer }
    if (depth === fields.length - 1) places.push(place)
    else enter(object[responseName], shape, place, depth + 1)
  }
  visit(holder, above, 0)
  return places
}

/** Extensions of an answer that has none. */
export const noExtensions: JsonObject = Object.freeze({})

/** The errors, headers and extensions of an answer, and its state. */
export class Answer {
  readonly errors: unknown[] = []
  readonly headers: (readonly [name: string, value: string | readonly string[]])[] = []
  /** Whether `data` is null as a whole. */
  isNull = false
  /** Whether a failure occurred that a retry may avoid. */
  isLacking = false
  /** Members of `extensions`, which change hooks added. */
  extensions: JsonObject = noExtensions
  /** The whole body, if a group provided it. */
  whole: Buffer | string | null = null

  /** Sets the value to null, or the nearest enclosing value that is nullable. */
  clear(place: Place): void {
    let at: Place | null = place
    while (at && !at.isNullable) at = at.above
    if (at) setAt(at, null)
    else this.isNull = true
  }

  /** Adds the errors and headers that a call returned with a field's value. */
  take({ errors, headers, endsAnswer }: AnswerExtras, field: FieldSelection, place: Place): void {
    if (errors) for (const error of errors) this.errors.push(endsAnswer ? error : located(error, field, place))
    this.takeHeaders(headers)
    if (endsAnswer) this.isNull = true
  }

  takeHeaders(headers: AnswerExtras['headers']): void {
    if (headers) this.headers.push(...Object.entries(headers))
  }
}

/** The error as it is shown. An error without path and code is unchanged: its maker located it. */
function located({ path, code, ...error }: AnswerError, field: FieldSelection, place: Place): unknown {
  if (path === undefined && code === undefined) return error
  const extensions = { path: pathText(pathKeys(field.path)), code: code ?? 'unexpected' }
  return { ...(error.extensions === undefined && { extensions }), ...error, path: [...keysOf(place), ...(path ?? [])] }
}
