// The body of a request to a remote server: one document of what several calls ask, and its variables. The document's text is
// put together once for all requests that ask the same with other values.

import {
  type GraphQLInputType,
  GraphQLList,
  isInputType,
  Kind,
  print,
  type TypeNode,
  type VariableDefinitionNode,
} from 'graphql'
import type { GroupedCall } from '../../../sdk/graphql.ts'
import { internalError } from '../../../sdk/index.ts'
import type { RemoteTypes } from '../types/remote-types.ts'
import { type AskedField, type Question, type RemotePlan, sentValue } from './questions.ts'

/** What is asked with one request. */
export interface Asked {
  readonly fields: readonly AskedField[]
  /** The values of each field's variables. */
  readonly values: readonly (readonly unknown[])[]
  readonly questions: readonly Question[]
  /** The same for the same fields of the same questions. */
  readonly shape: string
}

/** All that is asked for, the fields of each question in turn. */
export function allOf(questions: readonly Question[]): Pick<Asked, 'fields' | 'values'> {
  const [only] = questions
  if (only && questions.length === 1) return only
  return { fields: questions.flatMap(({ fields }) => fields), values: questions.flatMap(({ values }) => values) }
}

interface Asking extends Asked {
  /** One of those that ask. */
  readonly call: GroupedCall<RemotePlan>
  readonly types: RemoteTypes
}

/** The JSON of a request with room for values. */
interface RequestDocument {
  /** What the fields are called in the answer. */
  readonly aliases: readonly string[]
  readonly start: string
  /** Variables of the client that are used. */
  readonly clients: readonly (readonly [string, VariableDefinitionNode])[]
  /** The names of the fields' variables, as they stand before the values. */
  readonly names: readonly string[]
  readonly end: string
}

interface KnownDocument extends RequestDocument {
  readonly texts: readonly object[]
  readonly shape: string
}

/** By what the first question has in common with others of its texts. */
const known = new WeakMap<object, KnownDocument[]>()

/** Documents that begin with the same question, and characters that one of them may have. */
const mostKnown = 8
const longestKept = 50_000

/** A request as it is sent. */
export interface RemoteRequestBody {
  /** JSON. */
  readonly body: string
  /** What its fields are called in the answer, each having a name of its own. */
  readonly aliases: readonly string[]
}

/** The request that asks for fields. */
export function requestOf(asking: Asking): RemoteRequestBody {
  const { values, questions } = asking
  const { start, clients, names, end, aliases } = documentOf(asking)
  const members = clients.flatMap(([name, definition]) => clientValue(name, definition, asking))
  for (const { own } of questions) for (const { name, value } of own) members.push(member(name, value))
  let next = 0
  for (const each of values) for (const value of each) members.push(`${names[next++]}${JSON.stringify(value)}`)
  return { body: `${start}${members.join(',')}${end}`, aliases }
}

/** A member of an object, named by GraphQL. */
const member = (name: string, value: unknown): string => `${named(name)}${JSON.stringify(value)}`

const named = (name: string): string => `"${name}":`

function documentOf(asking: Asking): RequestDocument {
  const texts = asking.questions.map(({ texts: each }) => each)
  const [first] = texts
  if (!first) return newDocument(asking)
  const kept = known.get(first) ?? []
  const shape = `${asking.shape}${nullsOf(asking.call)}`
  const found = kept.find((each) => each.shape === shape && sameItems(each.texts, texts))
  if (found) return found
  const document = { ...newDocument(asking), texts, shape }
  if (document.start.length > longestKept) return document
  known.set(first, [...kept.slice(-(mostKnown - 1)), document])
  return document
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}

function newDocument({ call, fields, questions, types }: Asking): RequestDocument {
  const { node, variables: declared } = call.operation
  const used = new Set(questions.flatMap((question) => [...question.variables]))
  const clients = [...declared].filter(([name]) => used.has(name))
  const own = [...questions.map((question) => question.own), ...fields.map(({ variables }) => variables)].flat()
  const declarations = [
    ...clients.map(([, definition]) => declaration(definition, call, types)),
    ...own.map(({ name, type }) => `$${name}: ${type}`),
  ]
  const kind = call.rows === null ? call.operation.kind : 'query'
  const operationName = node.name ? ` ${node.name.value}` : ''
  const inBrackets = declarations.length > 0 ? `(${declarations.join(', ')})` : ''
  const fragments = [...new Set(questions.flatMap((question) => question.fragments))]
  const aliases = uniqueAliases(fields)
  const selections = fields.map(({ text }, i) => (isNamedSo(text, aliases[i]!) ? text : `${aliases[i]}: ${text}`))
  const query = [`${kind}${operationName}${inBrackets} { ${selections.join(' ')} }`, ...fragments].join(' ')
  const ending = node.name ? `},"operationName":${JSON.stringify(node.name.value)}}` : '}}'
  const names = fields.flatMap(({ variables }) => variables.map(({ name }) => named(name)))
  return { names, aliases, start: `{"query":${JSON.stringify(query)},"variables":{`, clients, end: ending }
}

/** What the client gave a variable. */
function clientValue(name: string, { type, defaultValue }: VariableDefinitionNode, { call, types }: Asking): string[] {
  const { variables, session, plan } = call
  const value = variables[name]
  if (value === undefined) return []
  const { view, skipsNulls } = plan
  // A default would take the place of a null that is left out.
  if (skipsNulls && value === null && !defaultValue) return []
  const isPlain = !view.hasPresets && !skipsNulls
  return [member(name, isPlain ? value : sentValue(value, inputType(type, types), { view, session, skipsNulls }))]
}

/** Which variables with defaults are null, where that is in the text. */
function nullsOf({ plan, operation, variables }: GroupedCall<RemotePlan>): string {
  if (!plan.view.hasPresets) return ''
  const withDefaults = [...operation.variables].filter(([, { defaultValue }]) => defaultValue)
  return withDefaults.map(([name]) => (isNull(variables[name]) ? ' null' : ' value')).join('')
}

const isNull = (value: unknown): boolean => value === undefined || value === null

function declaration(
  { variable, type, defaultValue }: VariableDefinitionNode,
  { plan, variables }: GroupedCall<RemotePlan>,
  types: RemoteTypes,
): string {
  const { value: name } = variable.name
  const declared = `$${name}: ${typeText(type, types)}`
  if (!defaultValue) return declared
  if (!plan.view.hasPresets) return `${declared} = ${print(defaultValue)}`
  // Without its presets it may be none. The value is sent anyway; it may stand wherever one with a default may.
  return isNull(variables[name]) || type.kind === Kind.NON_NULL_TYPE ? declared : `${declared}!`
}

/** A type as the server calls it. */
function typeText(node: TypeNode, types: RemoteTypes): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${typeText(node.type, types)}!`
  if (node.kind === Kind.LIST_TYPE) return `[${typeText(node.type, types)}]`
  return types.names.remoteType(node.name.value)
}

/** The type, but for whether it may be null. */
function inputType(node: TypeNode, types: RemoteTypes): GraphQLInputType {
  if (node.kind === Kind.NON_NULL_TYPE) return inputType(node.type, types)
  if (node.kind === Kind.LIST_TYPE) return new GraphQLList(inputType(node.type, types))
  const { value: name } = node.name
  const type = types.schema.getType(types.names.remoteType(name))
  if (!isInputType(type)) throw internalError(`"${name}" is no type of a variable`)
  return type
}

/** A name of its own for each field. */
function uniqueAliases(fields: readonly AskedField[]): string[] {
  const taken = new Set<string>()
  let numbered = 0
  return fields.map((field) => {
    let alias = field.isNumbered ? `${field.alias}__${numbered++}` : field.alias
    for (let n = 1; taken.has(alias); n++) alias = `${field.alias}__${n}`
    taken.add(alias)
    return alias
  })
}

/** Whether the server calls the field so by itself. */
const isNamedSo = (text: string, alias: string): boolean =>
  text.startsWith(alias) && !/^\w/.test(text.slice(alias.length, alias.length + 1))
