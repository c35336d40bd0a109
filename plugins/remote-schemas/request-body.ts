// The body of a request to a remote server: one document of what several calls ask, and its variables.

import { type GraphQLInputType, isInputType, Kind, print, type TypeNode, type VariableDefinitionNode } from 'graphql'
import type { GroupedCall } from '../../sdk/graphql.ts'
import { internalError } from '../../sdk/index.ts'
import { type AskedField, type Question, type RemotePlan, withPresets } from './questions.ts'
import type { RemoteTypes } from './remote-types.ts'

/** What is asked with one request. */
export interface Asked {
  readonly fields: readonly AskedField[]
  readonly questions: readonly Question[]
}

interface Asking extends Asked {
  /** One of those that ask. */
  readonly call: GroupedCall<RemotePlan>
  readonly types: RemoteTypes
}

/** The JSON of a request. */
export function requestBody(asking: Asking): string {
  const { call, fields, questions, types } = asking
  const { node, variables: declared } = call.operation
  const used = new Set(questions.flatMap((question) => [...question.variables]))
  const clients = [...declared].filter(([name]) => used.has(name))
  const own = [...new Map(fields.flatMap((field) => field.variables.map((each) => [each.name, each]))).values()]
  const declarations = [
    ...clients.map(([, definition]) => declaration(definition, types)),
    ...own.map(({ name, type }) => `$${name}: ${type}`),
  ]
  const kind = call.rows === null ? call.operation.kind : 'query'
  const name = node.name ? ` ${node.name.value}` : ''
  const inBrackets = declarations.length > 0 ? `(${declarations.join(', ')})` : ''
  const fragments = [...new Set(questions.flatMap((question) => question.fragments))]
  const selections = fields.map((field) => (isNamedSo(field) ? field.text : `${field.alias}: ${field.text}`))
  const query = [`${kind}${name}${inBrackets} { ${selections.join(' ')} }`, ...fragments].join(' ')
  const values = [
    ...clients.flatMap(([variable, definition]) => clientValue(variable, definition, asking)),
    ...own.map(({ name: variable, value }) => [variable, value] as const),
  ]
  const variables = Object.fromEntries(values)
  return JSON.stringify({ query, variables, ...(node.name && { operationName: node.name.value }) })
}

/** What the client gave a variable, with the presets of input objects in it. */
function clientValue(
  name: string,
  { type }: VariableDefinitionNode,
  { call, types }: Asking,
): (readonly [string, unknown])[] {
  const { variables, session, plan } = call
  const value = variables[name]
  if (value === undefined) return []
  const { view } = plan
  return [[name, view.hasPresets ? withPresets(value, inputType(type, types), { view, session }) : value]]
}

function declaration({ variable, type, defaultValue }: VariableDefinitionNode, types: RemoteTypes): string {
  const byDefault = defaultValue ? ` = ${print(defaultValue)}` : ''
  return `$${variable.name.value}: ${typeText(type, types)}${byDefault}`
}

/** A type as the server calls it. */
function typeText(node: TypeNode, types: RemoteTypes): string {
  if (node.kind === Kind.NON_NULL_TYPE) return `${typeText(node.type, types)}!`
  if (node.kind === Kind.LIST_TYPE) return `[${typeText(node.type, types)}]`
  return types.names.remoteType(node.name.value)
}

function inputType(node: TypeNode, { schema, names }: RemoteTypes): GraphQLInputType {
  let named = node
  while (named.kind !== Kind.NAMED_TYPE) named = named.type
  const type = schema.getType(names.remoteType(named.name.value))
  if (!isInputType(type)) throw internalError(`"${named.name.value}" is no type of a variable`)
  return type
}

/** Whether the field is called in the answer as the server calls it. */
const isNamedSo = ({ alias, text, isNumbered }: AskedField): boolean =>
  !isNumbered && text.startsWith(alias) && !/^\w/.test(text.slice(alias.length, alias.length + 1))
