// What calls ask of a remote server: each a few aliased fields of one document, whose answers they turn into results.

import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql'
import { type GroupedCall, literalJson } from '../../../sdk/graphql.ts'
import { badRequest, type Session } from '../../../sdk/index.ts'
import { jsonType } from '../../../sdk/services.ts'
import type { Preset, RemoteView, SessionValue } from '../types/view.ts'
import type { AnswerShape } from './answer-shape.ts'
import { type ArrayItem, arrayItems } from './array-literal.ts'
import type { SessionPreset } from './request-text.ts'

/** A field of the root type that is asked for under a name of its own. */
export interface AskedField {
  /** What it is called in the answer, unless another one is. */
  readonly alias: string
  /** Whether the name is made unique by a number, as those of rows are. */
  readonly isNumbered?: boolean
  /** `user(id: $id) { name }` */
  readonly text: string
  /** Variables that it alone uses and that are not the client's. */
  readonly variables: readonly DeclaredVariable[]
}

/** A variable that is not the client's. */
export interface DeclaredVariable {
  readonly name: string
  /** As the server calls it. */
  readonly type: string
}

export interface OwnVariable extends DeclaredVariable {
  readonly value: unknown
}

/** What a call asks. */
export interface Question {
  readonly fields: readonly AskedField[]
  /** The values of each field's variables. */
  readonly values: readonly (readonly unknown[])[]
  /** The same for questions whose texts are, as far as both have as many fields: what differs are values of variables. */
  readonly texts: object
  /** Variables that all its fields use and that are not the client's. */
  readonly own: readonly OwnVariable[]
  /** Variables of the client that it uses. */
  readonly variables: ReadonlySet<string>
  /** Definitions of fragments that it uses. */
  readonly fragments: readonly string[]
  /** Whether the answer has the shape that the client asked for. */
  readonly isExact: boolean
  /** What each of its fields gives, where they are fields of rows. */
  readonly shape?: AnswerShape
  /** The result of the call, from the answers to its fields. */
  result(answers: readonly FieldAnswer[]): unknown
}

/** What a server says of a field; paths of errors begin below it. */
export interface FieldAnswer {
  readonly value: unknown
  readonly errors: readonly RemoteError[]
  /** Whether there is no data at all, for reasons that the server gives. */
  readonly isDataLost?: boolean
  /** Why the server said nothing: the request that asked it for this field, one of several, failed. */
  readonly failure?: Error
}

export interface RemoteError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly [member: string]: unknown
}

/** What a planner of a remote field plans. */
export interface RemotePlan {
  readonly view: RemoteView
  /** Whether nulls are left out of arguments. */
  readonly skipsNulls: boolean
  /** How many fields of the server's root type it asks for; null: that depends on rows. */
  readonly fields: number | null
  /** `index` tells the calls of one request apart; `isWhole`: the answer may be handed on as it comes. */
  ask(call: GroupedCall, given: { readonly index: number; readonly isWhole: boolean }): Question
}

/** What no name of a client's variable begins with, for names of variables that are not the client's. */
export function prefixBeside(clients: Iterable<string>, beginning: string): string {
  const names = [...clients]
  let prefix = beginning
  while (names.some((name) => name.startsWith(prefix))) prefix += '_'
  return prefix
}

/** A value for a preset that a session variable gives. */
export function presetVariable({ name, value, type }: SessionPreset, session: Session): OwnVariable {
  return { name, type: String(type), value: sessionValue(value, type, session) }
}

function sessionValue(value: SessionValue, type: GraphQLInputType, session: Session): unknown {
  switch (value.kind) {
    case 'variable':
      return variableValue(value.name, type, session)
    case 'constant':
      return literalJson(value.node)
    case 'list': {
      const list = getNullableType(type)
      return value.items.map((item) => sessionValue(item, isListType(list) ? list.ofType : type, session))
    }
    default: {
      const named = getNamedType(type)
      const fields = isInputObjectType(named) ? named.getFields() : {}
      const members = value.members.map(([name, member]) => {
        return [name, sessionValue(member, fields[name]?.type ?? type, session)] as const
      })
      return Object.fromEntries(members)
    }
  }
}

function variableValue(variable: string, type: GraphQLInputType, { variables }: Session): unknown {
  const text = Object.hasOwn(variables, variable) ? variables[variable]! : null
  if (text === null) throw badRequest('not-found', `missing session variables: "${variable}"`)
  return typedValue(text, type)
}

/** A text as a value of a type: arrays of PostgreSQL are lists, as in tables; what does not fit is left to the server. */
function typedValue(text: string, type: GraphQLInputType): unknown {
  const items = isListType(getNullableType(type)) ? arrayItems(text) : null
  return items ? typedItem(items, type) : typedText(text, type)
}

function typedItem(item: ArrayItem, type: GraphQLInputType): unknown {
  if (item === null) return null
  return typeof item === 'string' ? typedText(item, type) : item.map((each) => typedItem(each, type))
}

function typedText(text: string, type: GraphQLInputType): unknown {
  const { name } = getNamedType(type)
  if ((name === 'Int' || name === 'Float') && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (name === 'Boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

interface Sending {
  readonly view: RemoteView
  readonly session: Session
  readonly skipsNulls: boolean
}

/** The value of a client's variable as it is sent: with presets in its input objects, and without their nulls where those are skipped. */
export function sentValue(value: unknown, type: GraphQLInputType, sending: Sending): unknown {
  const { view, session, skipsNulls } = sending
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const { ofType } = nullable
    const of = (item: unknown) => sentValue(item, ofType, sending)
    return Array.isArray(value) ? value.map(of) : of(value)
  }
  if (!isInputObjectType(nullable) || jsonType(value) !== 'Object') return value
  const fields = nullable.getFields()
  const given = Object.entries(value as object).flatMap(([name, member]): (readonly [string, unknown])[] => {
    if (skipsNulls && member === null) return []
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    return [[name, field ? sentValue(member, field.type, sending) : member]]
  })
  const presets = [...view.inputPresets(nullable.name)].map(([name, preset]) => {
    return [name, presetValue(preset, fields[name]!.type, session)] as const
  })
  return Object.fromEntries([...given, ...presets])
}

/** The value of a preset, as a variable has it. */
export function presetValue(preset: Preset, type: GraphQLInputType, session: Session): unknown {
  return preset.kind === 'session' ? sessionValue(preset.value, type, session) : literalJson(preset.node)
}
