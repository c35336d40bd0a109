// The body of a request to a remote server: one document for the fields of several calls, and its variables. The document's
// text is built once, and reused by requests that differ only in values.

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
import { longestKeptDocument, mostKeptDocuments } from '../tuning.ts'
import type { RemoteTypes } from '../types/remote-types.ts'
import { type AskedField, type Question, type RemotePlan, sentValue } from './questions.ts'

/** The fields of one request. */
export interface Asked {
  readonly fields: readonly AskedField[]
  /** The values of each field's variables. */
  readonly values: readonly (readonly unknown[])[]
  readonly questions: readonly Question[]
  /** A key that is equal for the same fields of the same questions. */
  readonly shape: string
}

/** The fields of all questions, in order. */
export function allOf(questions: readonly Question[]): Pick<Asked, 'fields' | 'values'> {
  const [only] = questions
  if (only && questions.length === 1) return only
  return { fields: questions.flatMap(({ fields }) => fields), values: questions.flatMap(({ values }) => values) }
}

interface Asking extends Asked {
  /** One of the calls; all share operation, variables, and session. */
  readonly call: GroupedCall<RemotePlan>
  readonly types: RemoteTypes
}

/** The JSON of a request without the values of variables. */
interface RequestDocument {
  /** The names of the fields in the answer. */
  readonly aliases: readonly string[]
  readonly start: string
  /** The client's variables that are used. */
  readonly clients: readonly (readonly [string, VariableDefinitionNode])[]
  /** The names of the fields' variables, as JSON keys with the colon. */
  readonly names: readonly string[]
  readonly end: string
}

interface KnownDocument extends RequestDocument {
  readonly texts: readonly object[]
  readonly shape: string
}

/** By {@link Question.texts} of the first question. */
const documents = new WeakMap<object, KnownDocument[]>()

/** A request as it is sent. */
export interface RemoteRequestBody {
  /** JSON. */
  readonly body: string
  /** The names of its fields in the answer, all different. */
  readonly aliases: readonly string[]
}

/** The request for these fields. */
export function requestOf(asking: Asking): RemoteRequestBody {
  const { values, questions } = asking
  const { start, clients, names, end, aliases } = documentOf(asking)
  const members = clients.flatMap(([name, definition]) => clientValue(name, definition, asking))
  for (const { own } of questions) for (const { name, value } of own) members.push(member(name, value))
  let next = 0
  for (const each of values) for (const value of each) members.push(`${names[next++]}${JSON.stringify(value)}`)
  return { body: `${start}${members.join(',')}${end}`, aliases }
}

/** A member of a JSON object; its name is a GraphQL name, which needs no escapes. */
const member = (name: string, value: unknown): string => `${named(name)}${JSON.stringify(value)}`

const named = (name: string): string => `"${name}":`

function documentOf(asking: Asking): RequestDocument {
  const texts = asking.questions.map(({ texts: each }) => each)
  const [first] = texts
  if (!first) return newDocument(asking)
  const kept = documents.get(first) ?? []
  const shape = `${asking.shape}${nullsOf(asking.call)}`
  const found = kept.find((each) => each.shape === shape && sameItems(each.texts, texts))
  if (found) return found
  const document = { ...newDocument(asking), texts, shape }
  if (document.start.length > longestKeptDocument) return document
  documents.set(first, [...kept.slice(-(mostKeptDocuments - 1)), document])
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

/** The client's value of a variable, as a list of at most one JSON member. */
function clientValue(name: string, { type, defaultValue }: VariableDefinitionNode, { call, types }: Asking): string[] {
  const { variables, session, plan } = call
  const value = variables[name]
  if (value === undefined) return []
  const { view, skipsNulls } = plan
  // With a default, leaving the null out would change the value.
  if (skipsNulls && value === null && !defaultValue) return []
  const isPlain = !view.hasPresets && !skipsNulls
  return [member(name, isPlain ? value : sentValue(value, inputType(type, types), { view, session, skipsNulls }))]
}

/** Which variables with defaults are null, where the text of the document depends on that. */
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
  // Without its presets the default may be invalid. The value is always sent, so `!` allows it in the same places.
  return isNull(variables[name]) || type.kind === Kind.NON_NULL_TYPE ? declared : `${declared}!`
}

/** A type with the server's names. */
function typeText(node: TypeNode, types: RemoteTypes): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${typeText(node.type, types)}!`
  if (node.kind === Kind.LIST_TYPE) return `[${typeText(node.type, types)}]`
  return types.names.remoteType(node.name.value)
}

/** The input type, without regard to outer nullability. */
function inputType(node: TypeNode, types: RemoteTypes): GraphQLInputType {
  if (node.kind === Kind.NON_NULL_TYPE) return inputType(node.type, types)
  if (node.kind === Kind.LIST_TYPE) return new GraphQLList(inputType(node.type, types))
  const { value: name } = node.name
  const type = types.schema.getType(types.names.remoteType(name))
  if (!isInputType(type)) throw internalError(`"${name}" is not an input type`)
  return type
}

/** A unique alias for each field. */
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

/** Whether the answer has that name without an alias. */
const isNamedSo = (text: string, alias: string): boolean =>
  text.startsWith(alias) && !/^\w/.test(text.slice(alias.length, alias.length + 1))
