// The questions that calls put to a remote server: aliased fields of one document, whose answers become the calls' results.

import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql'
import { type GroupedCall, literalJson } from '../../../sdk/graphql.ts'
import { badRequest, type Session } from '../../../sdk/index.ts'
import { jsonType } from '../../../sdk/services.ts'
import type { RemoteError } from '../servers/transport.ts'
import type { Preset, RemoteView, SessionValue } from '../types/view.ts'
import type { AnswerShape } from './answer-shape.ts'
import type { SessionPreset } from './argument-text.ts'
import { type ArrayItem, arrayItems } from './array-literal.ts'

/** A field of the root type, asked for under its own alias. */
export interface AskedField {
  /** Its name in the answer, unless another field has that name. */
  readonly alias: string
  /** Whether a number makes the alias unique, as for fields of rows. */
  readonly isNumbered?: boolean
  /** `user(id: $id) { name }` */
  readonly text: string
  /** Variables that only this field uses, and that are not the client's. */
  readonly variables: readonly DeclaredVariable[]
}

/** A variable that is not the client's. */
export interface DeclaredVariable {
  readonly name: string
  /** The server's name for the type. */
  readonly type: string
}

export interface OwnVariable extends DeclaredVariable {
  readonly value: unknown
}

/** The fields that one call asks for. */
export interface Question {
  readonly fields: readonly AskedField[]
  /** The values of each field's variables. */
  readonly values: readonly (readonly unknown[])[]
  /** Questions with the same texts and as many fields share this object; only the values of variables differ. */
  readonly texts: object
  /** Variables that all its fields use, and that are not the client's. */
  readonly own: readonly OwnVariable[]
  /** The client's variables that it uses. */
  readonly variables: ReadonlySet<string>
  /** Definitions of fragments that it uses. */
  readonly fragments: readonly string[]
  /** Whether the answer has the shape that the client asked for. */
  readonly isExact: boolean
  /** The shape of each field's value; present for fields of rows. */
  readonly shape?: AnswerShape
  /** The result of the call, from the answers to its fields. */
  result(answers: readonly FieldAnswer[]): unknown
}

/** A server's answer to one field; the paths of its errors begin below the field. */
export interface FieldAnswer {
  readonly value: unknown
  readonly errors: readonly RemoteError[]
  /** Whether `data` of the whole answer is null because of errors. */
  readonly isDataLost?: boolean
  /** Set if the request for this field failed, while others of the same step may have succeeded. */
  readonly failure?: Error
}

/** The plan of a remote field. */
export interface RemotePlan {
  readonly view: RemoteView
  /** Whether nulls are left out of arguments. */
  readonly skipsNulls: boolean
  /** The number of root fields that it asks for; null if that depends on rows. */
  readonly fields: number | null
  /** `index` numbers the calls of one request; `isWhole`: the answer may be passed through unparsed. */
  ask(call: GroupedCall, given: { readonly index: number; readonly isWhole: boolean }): Question
}

/** A prefix for variable names that no variable of the client begins with. */
export function prefixBeside(clients: Iterable<string>, beginning: string): string {
  const names = [...clients]
  let prefix = beginning
  while (names.some((name) => name.startsWith(prefix))) prefix += '_'
  return prefix
}

/** The variable for a preset whose value depends on the session. */
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
  if (text === null) {
    throw badRequest('not-found', `missing session variables: "${variable}"`, {
      inInterface2: { message: `"${variable}" session variable expected, but not found` },
    })
  }
  return typedValue(text, type)
}

/** A text as a value of a type. PostgreSQL arrays become lists, as for tables; the server judges values that do not fit. */
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

/** The value of a client's variable as it is sent: with presets in its input objects, and without nulls if these are skipped. */
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

/** The value of a preset, for use in variables. */
export function presetValue(preset: Preset, type: GraphQLInputType, session: Session): unknown {
  return preset.kind === 'session' ? sessionValue(preset.value, type, session) : literalJson(preset.node)
}
