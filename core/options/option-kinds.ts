// The kinds of options. Each function returns the schema of a setting, with the declaration of its option.

import { Type } from '@sinclair/typebox'
import type { OptionDeclaration } from './option-values.ts'

/** The declaration of an option. */
export type Declared = Omit<OptionDeclaration, 'kind'>

/** A text without a default. */
export const text = (option: Declared) =>
  Type.Union([Type.String({ minLength: 1 }), Type.Null()], { default: null, option: { kind: 'string', ...option } })

/** A text with a default. */
export const textWithDefault = (standard: string, option: Declared) =>
  Type.String({ minLength: 1, default: standard, option: { kind: 'string', ...option } })

/** A whole number within limits. */
export const whole = (standard: number, limits: { minimum: number; maximum?: number }, option: Declared) =>
  Type.Integer({ ...limits, default: standard, option: { kind: 'int', ...option } })

/** A whole number within limits, without a default. */
export const wholeOrNone = (limits: { minimum: number; maximum?: number }, option: Declared) =>
  Type.Union([Type.Integer(limits), Type.Null()], { ...limits, default: null, option: { kind: 'int', ...option } })

/** A flag without a value, off by default. */
export const flagOnly = (option: Declared) => Type.Boolean({ default: false, option: { kind: 'switch', ...option } })

/** A flag without a value whose default depends on something else; null if it is not given. */
export const flagOrNone = (option: Declared) =>
  Type.Union([Type.Boolean(), Type.Null()], { default: null, option: { kind: 'switch', ...option } })

/** A flag with a boolean value. */
export const trueOrFalse = (standard: boolean, option: Declared) =>
  Type.Boolean({ default: standard, option: { kind: 'boolean', placeholder: 'true/false', ...option } })

/** A list of texts. */
export const list = (standard: readonly string[], option: Declared) =>
  Type.Array(Type.String({ minLength: 1 }), { default: standard, option: { kind: 'list', ...option } })

/** A list of these words. */
export const listOf = <const W extends readonly string[]>(words: W, standard: readonly W[number][], option: Declared) =>
  Type.Array(Type.Union(words.map((word) => Type.Literal(word as W[number]))), {
    default: standard,
    option: { kind: 'list', words, ...option },
  })

/** One of these words. */
export function choice<const W extends readonly string[]>(words: W, standard: W[number], option: Declared) {
  const literals = words.map((word) => Type.Literal(word as W[number]))
  return Type.Union(literals, { default: standard, option: { kind: 'enum', words, ...option } })
}

/** One of these words, without a default. */
export function choiceOrNone<const W extends readonly string[]>(words: W, option: Declared) {
  const literals = words.map((word) => Type.Literal(word as W[number]))
  return Type.Union([...literals, Type.Null()], { default: null, option: { kind: 'enum', words, ...option } })
}
