// Text of the command line or the environment -> the value of an option. Reasons are worded for the person who typed it.

import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** How an option is written. A switch is a flag without value; its variable holds a boolean text. */
export type OptionKind = 'string' | 'int' | 'boolean' | 'switch' | 'list' | 'enum'

/** What an option declares beside its type. */
export interface OptionDeclaration {
  readonly kind: OptionKind
  /** Long flag without its dashes. */
  readonly flag: string
  readonly short?: string
  /** Environment variable without the dialect's prefix; absent: it has none. */
  readonly variable?: string
  /** A name that the variable had; the present one wins. */
  readonly formerVariable?: string
  readonly description: string
  /** Stands for the value in the help text. */
  readonly placeholder?: string
  /** Never printed; may also be given as the content of a file. */
  readonly secret?: boolean
  /** What of the value may be printed, where that is neither all of it nor nothing. */
  shown?(value: never): string
  /** Whoever gives it has requests without the admin secret authenticated that way. */
  readonly authenticates?: Authentication
  /** The text may be, or is, JSON of this type; the configuration file may hold the value itself. */
  readonly json?: 'object' | 'list'
  /** The allowed words; matched in any case. */
  readonly words?: readonly string[]
  /** Says what is wrong with a value; absent: a text made from the type. */
  readonly refusal?: string
  /** What the type cannot say: the reason why a value of the right type is refused, or null. */
  check?(value: never): string | null
}

/** A way to authenticate requests that carry no admin secret, as those who start the server read of it. */
export interface Authentication {
  /** What it is called: `JWT`. */
  readonly mode: string
  /** What it goes by: `token`. */
  readonly by: string
  /** Whether it decides about every request, so that there is no role for those that bring nothing. */
  readonly alone?: boolean
}

/** An option that cannot be used; the message is the one line that is shown. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'
  /** The key of the option, when the message is only the reason: whoever knows the source adds it. */
  readonly option: string | null

  constructor(message: string, option: string | null = null) {
    super(message)
    this.option = option
  }
}

/** The one line about an option's value; `source` names where the value comes from. */
export const refusedOption = (source: string, reason: string): OptionsError =>
  new OptionsError(`Fatal Error:- ${source}: ${reason}`)

const trueTexts = ['true', 't', 'yes', 'y']
const falseTexts = ['false', 'f', 'no', 'n']
const booleanRefusal = ` Not a valid boolean text. True values are ${JSON.stringify(trueTexts)} and  False values are ${JSON.stringify(falseTexts)}. All values are case insensitive`

/** A reason why a value is refused. */
class Refusal extends Error {}

function decodeBoolean(text: string): boolean {
  const lower = text.toLowerCase()
  if (trueTexts.includes(lower)) return true
  if (falseTexts.includes(lower)) return false
  throw new Refusal(booleanRefusal)
}

const words = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const decodeWord = (declaration: OptionDeclaration, text: string): string =>
  declaration.words?.find((word) => word === text.trim().toLowerCase()) ?? text

function decodeText(declaration: OptionDeclaration, text: string): unknown {
  switch (declaration.kind) {
    case 'string':
      return text
    case 'int':
      return /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN
    case 'boolean':
    case 'switch':
      return decodeBoolean(text)
    case 'enum':
      return decodeWord(declaration, text)
    case 'list':
      return words(text).map((item) => decodeWord(declaration, item))
    default:
      return declaration.kind satisfies never
  }
}

function reasonFor(declaration: OptionDeclaration, schema: TSchema): string {
  if (declaration.refusal) return declaration.refusal
  switch (declaration.kind) {
    case 'int': {
      const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
      const range = maximum === undefined ? `not below ${minimum}` : `from ${minimum} to ${maximum}`
      return `Only expecting a whole number ${range}`
    }
    case 'boolean':
    case 'switch':
      return 'Only expecting true or false'
    case 'list':
      return 'Only expecting a list of texts that are not empty'
    case 'enum':
      return `Only expecting ${declaration.words?.join(' / ')}`
    case 'string':
      return 'Only expecting a text that is not empty'
    default:
      return declaration.kind satisfies never
  }
}

/** An option with its type, from whatever source its value comes. */
export interface TypedOption {
  readonly declaration: OptionDeclaration
  readonly schema: TSchema
}

/** One option: its key in the configuration file with what it declares. */
export interface Option extends TypedOption {
  readonly key: string
  readonly default: unknown
}

function checked({ declaration, schema }: TypedOption, value: unknown): unknown {
  if (!Value.Check(schema, value)) throw new Refusal(reasonFor(declaration, schema))
  const reason = declaration.check?.(value as never)
  if (reason) throw new Refusal(reason)
  return value
}

function blaming(source: string, value: () => unknown): unknown {
  try {
    return value()
  } catch (error) {
    if (error instanceof Refusal) throw refusedOption(source, error.message)
    throw error
  }
}

/** The value that a text stands for; `source` names where the text comes from. */
export const valueOfText = (option: TypedOption, text: string, source: string): unknown =>
  blaming(source, () => {
    const { declaration, schema } = option
    const value = decodeText(declaration, text)
    // A variable that is there and says nothing is a slip; who means an empty list writes one, in the configuration file.
    if (Array.isArray(value) && value.length === 0) throw new Refusal(reasonFor(declaration, schema))
    return checked(option, value)
  })

/** A value of the configuration file: of the option's JSON type, or in words as a variable has it. */
export function valueOfJson(option: TypedOption, { value, texts }: JsonValue, source: string): unknown {
  const { kind, json } = option.declaration
  if (typeof value === 'string' && kind !== 'string' && kind !== 'int') return valueOfText(option, value, source)
  if (kind !== 'string') return blaming(source, () => checked(option, kind === 'list' ? texts : value))
  if (typeof texts === 'string') return blaming(source, () => checked(option, texts))
  const isHeld = json === 'object' ? isObject(value) : json === 'list' && Array.isArray(value)
  if (!isHeld) throw refusedOption(source, `Only expecting ${heldTexts[json ?? 'none']}`)
  return blaming(source, () => checked(option, JSON.stringify(texts)))
}

const heldTexts = { none: 'a text', object: 'a JSON object', list: 'a text, or a list of texts' } as const

/** A value of the configuration file; `texts`: the same for options that are texts. */
export interface JsonValue {
  readonly value: unknown
  readonly texts: unknown
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values of a group of options, by the keys of the options. */
export type SettingsOf<Options extends Readonly<Record<string, TSchema>>> = {
  readonly [Key in keyof Options]: Static<Options[Key]>
}

/** The values of all options, those of plugins among them. */
export type AnySettings = Readonly<Record<string, unknown>>
