// Binds the parameters of a statement for one request.

import type { Codec, InputSource, ParamSource, TextEncoding } from '../../database/sql/param.ts'
import { badRequest, TrellisError } from '../../errors/errors.ts'
import { below, type Path, pathKeys } from '../../errors/path.ts'
import type { Session } from '../../session/session.ts'
import { encodeArray } from '../types/codecs.ts'

/** The sources of parameter values. */
export interface Bindings {
  readonly variables: Readonly<Record<string, unknown>>
  readonly session: Session
  /** Values from earlier statements of the request, by slot. */
  readonly slots?: readonly (readonly (string | null)[])[]
  /** The result of {@link bindInputs}. */
  readonly bound?: BoundInputs
}

/** The values of parameters that come from the request. */
export type BoundInputs = ReadonlyMap<ParamSource, string | null>

/** PostgreSQL's protocol counts the parameters of a statement in two bytes. */
const maxParams = 65_535

/** The values of the parameters as PostgreSQL's input texts. */
export function bindParams(params: readonly ParamSource[], bindings: Bindings): (string | null)[] {
  if (params.length > maxParams) {
    throw badRequest(
      'validation-failed',
      `one statement takes at most ${maxParams} values, but this one needs ${params.length}`,
    )
  }
  const values: (string | null)[] = new Array(params.length)
  for (let i = 0; i < params.length; i++) values[i] = bindParam(params[i]!, bindings)
  return values
}

/** As {@link bindParams}, but an error without a path gets this one, as PostgreSQL's errors do. */
export function bindParamsAt(params: readonly ParamSource[], bindings: Bindings, path: Path | null): (string | null)[] {
  try {
    return bindParams(params, bindings)
  } catch (error) {
    throw error instanceof TrellisError && error.path.length === 0 ? located(error, path) : error
  }
}

function bindParam(source: ParamSource, bindings: Bindings): string | null {
  const value = bindings.bound?.get(source) ?? readParam(source, bindings)
  if (value === null) return null
  if (typeof value !== 'string') throw noText(source, value)
  if ('check' in source) source.check?.(value)
  return 'encode' in source && source.encode ? encodedText(source, source.encode, value) : value
}

function encodedText(source: ParamSource, encode: TextEncoding, value: string): string {
  let text: unknown
  try {
    text = encode(value)
  } catch (error) {
    throw located(error, 'path' in source ? source.path : null)
  }
  if (typeof text !== 'string') throw noText(source, text)
  return text
}

/** The error for a plugin's value that is not a text. PostgreSQL's client would treat it as a broken connection. */
function noText(source: ParamSource, value: unknown): Error {
  const what =
    'codec' in source
      ? `the result of the codec of type "${source.codec.type}"`
      : source.from === 'session'
        ? `the session variable "${source.variable}"`
        : 'a constant'
  return new Error(`${what} must be a string, but is of type ${typeof value}`)
}

function readParam(source: ParamSource, bindings: Bindings): string | null {
  switch (source.from) {
    case 'constant':
      return source.value
    case 'session':
      return sessionValue(bindings.session, source.variable)
    case 'session-object':
      return JSON.stringify(bindings.session.variables)
    case 'slot':
      return bindings.slots?.[source.slot]?.[source.column] ?? null
    case 'input':
      return inputValue(source, bindings.variables)
    case 'members':
      return memberValues(source, bindings.variables)
    case 'each':
      return encodeArray(source.sources.map((each) => bindParam(each, bindings)))
  }
}

/** The sources, with those that one takes the values of in its place. */
const alone = (params: readonly ParamSource[]): ParamSource[] =>
  params.flatMap((source) => (source.from === 'each' ? alone(source.sources) : source))

/** The parameters whose values come from the request, each once. */
export const inputsOf = (params: readonly ParamSource[]): ParamSource[] => [
  ...new Set(alone(params).filter(({ from }) => from === 'input' || from === 'members')),
]

/** Binds the result of {@link inputsOf}, so that wrong values are refused before anything runs. */
export const bindInputs = (inputs: readonly ParamSource[], bindings: Bindings): BoundInputs =>
  new Map(inputs.map((source) => [source, readParam(source, bindings)]))

const sessionValue = (session: Session, name: string): string => {
  if (Object.hasOwn(session.variables, name)) return session.variables[name]!
  throw missingSessionVariables([name])
}

/** The session variables that statements need, so that one error can name all missing ones. */
export function sessionVariablesOf(params: readonly ParamSource[]): string[] {
  const names = new Set<string>()
  for (const source of alone(params)) if (source.from === 'session') names.add(source.variable)
  return [...names]
}

/** Throws if the session lacks some of the variables. */
export function requireSessionVariables(names: readonly string[], session: Session): void {
  const missing = names.filter((name) => !Object.hasOwn(session.variables, name))
  if (missing.length > 0) throw missingSessionVariables(missing)
}

const missingSessionVariables = (names: readonly string[]): TrellisError =>
  badRequest('not-found', `missing session variables: ${names.map((name) => `"${name}"`).join(', ')}`, {
    inInterface2: { message: `missing session variable: "${names[0]}"` },
  })

function inputValue(source: Extract<ParamSource, { from: 'input' }>, variables: Bindings['variables']): string | null {
  const value = readInput(source.input, variables)
  if (value === null || value === undefined) return null
  const { codec, list, path } = source
  if (list) return encodeAll(codec, Array.isArray(value) ? value : [value], (i) => path && below(path, i))
  try {
    return codec.encode(value)
  } catch (error) {
    throw located(error, path)
  }
}

function memberValues(
  { input, member, codec, path }: Extract<ParamSource, { from: 'members' }>,
  variables: Bindings['variables'],
): string {
  const value = readInput(input, variables)
  const objects = (Array.isArray(value) ? value : [value]) as Readonly<Record<string, unknown>>[]
  const values = objects.map((object) => memberValue(object, member))
  return encodeAll(codec, values, (i) => below(below(path, i), member))
}

/** A member of an object of a list; null if it is missing. */
export const memberValue = (object: Readonly<Record<string, unknown>>, member: string): unknown =>
  member in Object.prototype && !Object.hasOwn(object, member) ? null : (object[member] ?? null)

/** PostgreSQL's text of an array of the values; `pathOf` is the path of an error in one of them. */
function encodeAll(codec: Codec, values: readonly unknown[], pathOf: (index: number) => Path | null): string {
  const items: (string | number | null)[] = new Array(values.length)
  let i = 0
  try {
    for (; i < values.length; i++) items[i] = encodeItem(codec, values[i])
  } catch (error) {
    throw located(error, pathOf(i))
  }
  return encodeArray(items)
}

/** A value of a list as an item of PostgreSQL's array. */
export function encodeItem(codec: Codec, value: unknown): string | number | null {
  if (value === null) return null
  return typeof value === 'number' && codec.isPlain?.(value) ? value : codec.encode(value)
}

/** Puts an error of a request at the path of its cause. */
export const located = (error: unknown, path: Path | null): unknown =>
  error instanceof TrellisError ? error.at(...pathKeys(path)) : error

/** The JSON value of an input source. */
export function readInput(input: InputSource, variables: Bindings['variables']): unknown {
  switch (input.kind) {
    case 'constant':
      return input.value
    case 'variable': {
      let value: unknown = variables[input.name]
      for (const key of input.path) value = (value as Record<string | number, unknown> | null)?.[key]
      return value ?? null
    }
    case 'list':
      return input.items.map((item) => readInput(item, variables))
    case 'object':
      return Object.fromEntries(input.entries.map(([key, value]) => [key, readInput(value, variables)]))
  }
}
