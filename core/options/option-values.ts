// Parses the text of the command line or the environment as the value of an option. Reasons are worded for the user.

import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** The syntax of an option. A switch is a flag without a value; its variable holds a boolean text. */
export type OptionKind = 'string' | 'int' | 'boolean' | 'switch' | 'list' | 'enum'

/** The declaration of an option, in addition to its type. */
export interface OptionDeclaration {
  readonly kind: OptionKind
  /** The long flag, without dashes. */
  readonly flag: string
  readonly short?: string
  /** Another name of the flag, in the plural as its {@link laterVariable}, which takes precedence. */
  readonly laterFlag?: string
  /** The environment variable, without the dialect's prefix; absent: none. */
  readonly variable?: string
  /** The name of the variable in later engines, which takes precedence. */
  readonly laterVariable?: string
  /** A former name of the variable; the current name takes precedence. */
  readonly formerVariable?: string
  readonly description: string
  /** The placeholder of the value in the help text. */
  readonly placeholder?: string
  /** Whether the value is secret. It is never printed, and may be given as the content of a file. */
  readonly secret?: boolean
  /** The printable part of the value, if it is neither all nor nothing. */
  shown?(value: never): string
  /** The method that this option enables for requests without the admin secret. */
  readonly authenticates?: Authentication
  /** The page that this option turns on, as the start shows it. */
  readonly turnsOn?: { readonly page: string; readonly api: string }
  /** The text may be, or is, JSON of these types. The configuration file may hold the value itself. */
  readonly json?: 'object' | 'list' | 'object or list' | 'text or object'
  /** The allowed words, in any case. */
  readonly words?: readonly string[]
  /** The reason for refusing a value; absent: a text derived from the type. */
  readonly refusal?: string
  /** Whether the value is a total that the workers of a server share. Each gets a part of it. */
  readonly divided?: boolean
  /** An additional check: the reason why a value of the right type is refused, or null. */
  check?(value: never): string | null
}

/** An authentication method, as messages and the startup log describe it. */
export interface Authentication {
  /** Its name: `JWT`. */
  readonly mode: string
  /** The credential: `token`. */
  readonly by: string
  /** Whether it decides about every request, so that there is no role for requests without credentials. */
  readonly alone?: boolean
}

/** An unusable option. The message is the one line that is shown. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'
  /** The option's key, if the message is only the reason and the caller has to add the source. */
  readonly option: string | null

  constructor(message: string, option: string | null = null) {
    super(message)
    this.option = option
  }
}

/** The one-line error for a value; `source` names its origin. */
export const refusedOption = (source: string, reason: string): OptionsError =>
  new OptionsError(`Fatal Error:- ${source}: ${reason}`)

const trueTexts = ['true', 't', 'yes', 'y']
const falseTexts = ['false', 'f', 'no', 'n']
const booleanRefusal = ` Not a valid boolean text. True values are ${JSON.stringify(trueTexts)} and  False values are ${JSON.stringify(falseTexts)}. All values are case insensitive`

/** The reason why a value is refused. */
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

/** An option with its type, from any source. */
export interface TypedOption {
  readonly declaration: OptionDeclaration
  readonly schema: TSchema
}

/** An option: its key in the configuration file and its declaration. */
export interface Option extends TypedOption {
  readonly key: string
  /** Its group in the help text: a subject of core's, or the name of the plugin. */
  readonly group: string
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

/** Parses a text; `source` names its origin. */
export const valueOfText = (option: TypedOption, text: string, source: string): unknown =>
  blaming(source, () => {
    const { declaration, schema } = option
    const value = decodeText(declaration, text)
    // An empty variable is probably a mistake. An empty list can be written in the configuration file.
    if (Array.isArray(value) && value.length === 0) throw new Refusal(reasonFor(declaration, schema))
    return checked(option, value)
  })

/** Reads a value of the configuration file: the option's JSON type, or a text as in a variable. */
export function valueOfJson(option: TypedOption, { value, texts }: JsonValue, source: string): unknown {
  const { kind, json } = option.declaration
  if (typeof value === 'string' && kind !== 'string' && kind !== 'int') return valueOfText(option, value, source)
  if (kind !== 'string') return blaming(source, () => checked(option, kind === 'list' ? texts : value))
  if (typeof texts === 'string') return blaming(source, () => checked(option, texts))
  const isHeld = json?.includes(Array.isArray(value) ? 'list' : isObject(value) ? 'object' : 'none')
  if (!isHeld) throw refusedOption(source, `Only expecting ${heldTexts[json ?? 'none']}`)
  return blaming(source, () => checked(option, JSON.stringify(texts)))
}

const heldTexts = {
  none: 'a text',
  object: 'a JSON object',
  list: 'a text, or a list of texts',
  'object or list': 'a JSON object, or a list of them',
  'text or object': 'a text, or a JSON object',
} as const

/** A value of the configuration file; `texts`: the same value for options that are texts. */
export interface JsonValue {
  readonly value: unknown
  readonly texts: unknown
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values of a group of options, by option key. */
export type SettingsOf<Options extends Readonly<Record<string, TSchema>>> = {
  readonly [Key in keyof Options]: Static<Options[Key]>
}

/** The values of all options, including those of plugins. */
export type AnySettings = Readonly<Record<string, unknown>>

/** The variables of its value, in order of precedence; `prefix` is the dialect's. */
export function variablesOf({ declaration }: Option, prefix: string): readonly string[] {
  const { laterVariable, variable, formerVariable } = declaration
  return [laterVariable, variable, formerVariable].flatMap((name) => (name === undefined ? [] : [prefix + name]))
}

/** The variable for a file with the value, which every secret option has; null for other options. */
export function fileVariableOf({ declaration: { variable, secret } }: Option, prefix: string): string | null {
  return variable !== undefined && secret ? `${prefix}${variable}_FILE` : null
}
