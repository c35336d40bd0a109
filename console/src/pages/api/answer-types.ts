// TypeScript types of the variables and the answer of an operation. It is loaded apart, with the parser.

import {
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  type TypeNode,
} from 'graphql'
import type { GraphqlRequest } from './operations.ts'
import { type SchemaField, type SchemaType, typeText } from './schema.ts'

type ReadType = (name: string) => Promise<SchemaType | null>

type Reference = SchemaField['type']

const scalars: Readonly<Record<string, string>> = {
  ...{ Int: 'number', Float: 'number', Boolean: 'boolean', String: 'string', ID: 'string', uuid: 'string' },
  ...{ smallint: 'number', numeric: 'number', bigint: 'number', float8: 'number', float4: 'number', date: 'string' },
  ...{ timestamptz: 'string', timestamp: 'string', time: 'string', timetz: 'string', citext: 'string' },
}

const rootTypes = { query: 'query_root', mutation: 'mutation_root', subscription: 'subscription_root' } as const

/** Writes a type around the text of its innermost one. */
function around(type: Reference, inner: string): string {
  if (type.kind === 'NON_NULL' && type.ofType) return aroundPresent(type.ofType, inner)
  return `${aroundPresent(type, inner)} | null`
}

const aroundPresent = (type: Reference, inner: string): string =>
  type.kind === 'LIST' && type.ofType ? `ReadonlyArray<${around(type.ofType, inner)}>` : inner

class Writer {
  readonly #read: ReadType
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #known = new Map<string, Promise<SchemaType | null>>()

  constructor(read: ReadType, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#read = read
    this.#fragments = fragments
  }

  #type(name: string): Promise<SchemaType | null> {
    const known = this.#known.get(name) ?? this.#read(name)
    this.#known.set(name, known)
    return known
  }

  /** The type of a leaf: a scalar, or the values of an enum. */
  async leaf(name: string): Promise<string> {
    const scalar = scalars[name]
    if (scalar !== undefined) return scalar
    const type = await this.#type(name)
    const values = type?.enumValues ?? []
    return values.length > 0 ? values.map((each) => JSON.stringify(each.name)).join(' | ') : 'unknown'
  }

  /** The members of a selection, by their names in the answer. */
  async #members(selection: SelectionSetNode, typeName: string, indent: string): Promise<Map<string, string>> {
    const type = await this.#type(typeName)
    const members = new Map<string, string>()
    for (const node of selection.selections) {
      if (node.kind !== Kind.FIELD) {
        const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragments.get(node.name.value)
        if (!fragment) continue
        const on = fragment.typeCondition?.name.value ?? typeName
        const inner = await this.#members(fragment.selectionSet, on, indent)
        for (const [name, text] of inner) members.set(name, on === typeName ? text : `${text} | undefined`)
        continue
      }
      const name = node.alias?.value ?? node.name.value
      if (node.name.value === '__typename') {
        members.set(name, JSON.stringify(typeName))
        continue
      }
      const field = type?.fields?.find((each) => each.name === node.name.value)
      if (!field) {
        members.set(name, 'unknown')
        continue
      }
      const { name: inner } = typeText(field.type)
      const text = node.selectionSet
        ? await this.object(node.selectionSet, inner, `${indent}  `)
        : await this.leaf(inner)
      members.set(name, around(field.type, text))
    }
    return members
  }

  async object(selection: SelectionSetNode, typeName: string, indent = ''): Promise<string> {
    const members = await this.#members(selection, typeName, indent)
    return `{\n${[...members].map(([name, text]) => `${indent}  readonly ${name}: ${text}\n`).join('')}${indent}}`
  }

  /** The type of a variable; inputs are not written out. */
  async variable(type: TypeNode): Promise<string> {
    if (type.kind === Kind.NON_NULL_TYPE) return (await this.variable(type.type)).replace(/ \| null$/, '')
    if (type.kind === Kind.LIST_TYPE) return `ReadonlyArray<${await this.variable(type.type)}> | null`
    return `${await this.leaf(type.name.value)} | null`
  }
}

/** The types of a request. Throws where its text is not GraphQL. */
export async function typesOf({ query, operationName }: GraphqlRequest, read: ReadType): Promise<string> {
  const { definitions } = parse(query)
  const operations = definitions.filter(
    (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
  )
  const operation = operations.find(({ name }) => name?.value === operationName) ?? operations[0]
  if (!operation) throw new Error('the text has no operation')
  const fragments = definitions.filter((each): each is FragmentDefinitionNode => each.kind === Kind.FRAGMENT_DEFINITION)
  const writer = new Writer(read, new Map(fragments.map((each) => [each.name.value, each])))
  const name = operation.name?.value ?? 'operation'
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  const variables = await Promise.all(
    (operation.variableDefinitions ?? []).map(async ({ variable, type, defaultValue }) => {
      const isOptional = type.kind !== Kind.NON_NULL_TYPE || defaultValue !== undefined
      const text = await writer.variable(type)
      return `  readonly ${variable.name.value}${isOptional ? '?' : ''}: ${text} // ${print(type)}\n`
    }),
  )
  const data = await writer.object(operation.selectionSet, rootTypes[operation.operation])
  return [
    ...(variables.length > 0 ? [`export interface ${title}Variables {\n${variables.join('')}}\n`] : []),
    `export interface ${title}Data ${data}\n`,
  ].join('\n')
}
