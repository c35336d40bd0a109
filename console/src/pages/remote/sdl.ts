// Actions and custom types as GraphQL's SDL, and back.

import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  print,
} from 'graphql'
import type { Action, ActionArgument, CustomTypes, EnumType, FieldType } from './action-types.ts'

type Described = { readonly description?: string | null | undefined }

const described = ({ description }: Described, indent: string): string =>
  description ? `${indent}${JSON.stringify(description)}\n` : ''

const fieldsText = (fields: FieldType['fields']): string =>
  fields.map((field) => `${described(field, '  ')}  ${field.name}: ${field.type}\n`).join('')

const enumText = ({ name, values, ...type }: EnumType): string => {
  const lines = values.map(
    (each) => `${described(each, '  ')}  ${each.value}${each.is_deprecated ? ' @deprecated' : ''}\n`,
  )
  return `${described(type, '')}enum ${name} {\n${lines.join('')}}\n`
}

/** The SDL of custom types. It does not have their relationships. */
export function typesSdl({ input_objects = [], objects = [], scalars = [], enums = [] }: CustomTypes): string {
  const objectText = (keyword: string) => (type: FieldType) =>
    `${described(type, '')}${keyword} ${type.name} {\n${fieldsText(type.fields)}}\n`
  return [
    ...objects.map(objectText('type')),
    ...input_objects.map(objectText('input')),
    ...enums.map(enumText),
    ...scalars.map((type) => `${described(type, '')}scalar ${type.name}\n`),
  ].join('\n')
}

const descriptionOf = ({ description }: { readonly description?: { readonly value: string } | undefined }) =>
  description ? { description: description.value } : {}

type FieldNode = FieldDefinitionNode | InputValueDefinitionNode

const fieldsOf = (fields: readonly FieldNode[] | undefined): readonly ActionArgument[] =>
  (fields ?? []).map((field) => ({
    ...{ name: field.name.value, type: print(field.type), ...descriptionOf(field) },
    // The server refuses them, and says so.
    ...('arguments' in field && field.arguments?.length && { arguments: fieldsOf(field.arguments) }),
  }))

const definitionsIn = (sdl: string): readonly DefinitionNode[] =>
  sdl.replace(/#.*/g, '').trim() === '' ? [] : parse(sdl).definitions

/** The custom types of an SDL; objects keep the relationships that they have. Throws where the text has anything else. */
export const readTypes = (sdl: string, old: CustomTypes): CustomTypes => typesOf(definitionsIn(sdl), old)

function typesOf(definitions: readonly DefinitionNode[], old: CustomTypes): CustomTypes {
  const types = { input_objects: [], objects: [], scalars: [], enums: [] } as {
    [kind in keyof Required<CustomTypes>]: unknown[]
  }
  for (const node of definitions) {
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION) {
      const relationships = old.objects?.find(({ name }) => name === node.name.value)?.relationships
      types.objects.push({
        ...{ name: node.name.value, ...descriptionOf(node), fields: fieldsOf(node.fields) },
        ...(relationships && { relationships }),
      })
    } else if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
      types.input_objects.push({ name: node.name.value, ...descriptionOf(node), fields: fieldsOf(node.fields) })
    } else if (node.kind === Kind.SCALAR_TYPE_DEFINITION) {
      types.scalars.push({ name: node.name.value, ...descriptionOf(node) })
    } else if (node.kind === Kind.ENUM_TYPE_DEFINITION) {
      // As the server exports them: a document is compared with its own.
      const values = (node.values ?? []).map((value) => ({
        ...{ value: value.name.value, description: value.description?.value ?? null },
        is_deprecated: value.directives?.some(({ name }) => name.value === 'deprecated') || null,
      }))
      types.enums.push({ name: node.name.value, ...descriptionOf(node), values })
    } else {
      throw new Error(`only types, inputs, enums and scalars are expected here, and this is ${words(node.kind)}`)
    }
  }
  return types as CustomTypes
}

const words = (kind: string): string => kind.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

/** The names of objects whose relationships an SDL drops with them. */
export const lostRelationships = (now: CustomTypes, old: CustomTypes): readonly string[] =>
  (old.objects ?? [])
    .filter(
      ({ name, relationships = [] }) => relationships.length > 0 && !now.objects?.some((each) => each.name === name),
    )
    .map(({ name }) => name)

/** The signature of an action: its field in the mutation or query root. */
export interface Signature {
  readonly name: string
  readonly type: 'mutation' | 'query'
  readonly arguments: readonly ActionArgument[]
  readonly output_type: string
  readonly comment?: string
}

/** The SDL of an action. */
export function signatureSdl({ name, comment, definition }: Action): string {
  const args = (definition.arguments ?? []).map(
    (each) => `${each.description ? `${JSON.stringify(each.description)} ` : ''}${each.name}: ${each.type}`,
  )
  const root = definition.type === 'query' ? 'Query' : 'Mutation'
  const field = `${name}${args.length > 0 ? `(${args.join(', ')})` : ''}: ${definition.output_type}`
  return `type ${root} {\n${described({ description: comment }, '  ')}  ${field}\n}\n`
}

type RootNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode

const isRoot = (node: DefinitionNode | undefined): node is RootNode =>
  (node?.kind === Kind.OBJECT_TYPE_DEFINITION || node?.kind === Kind.OBJECT_TYPE_EXTENSION) &&
  (node.name.value === 'Query' || node.name.value === 'Mutation')

const signatureOf = (root: RootNode, field: FieldDefinitionNode): Signature => ({
  ...{ name: field.name.value, type: root.name.value === 'Query' ? 'query' : 'mutation' },
  arguments: fieldsOf(field.arguments),
  output_type: print(field.type),
  ...(field.description && { comment: field.description.value }),
})

/** The signature of an SDL. Throws where it is not one field of one root. */
export function readSignature(sdl: string): Signature {
  const [node, ...others] = parse(sdl).definitions
  const [field, ...more] = (isRoot(node) && node.fields) || []
  if (!isRoot(node) || !field || others.length + more.length > 0) {
    throw new Error('expected one field of the type Query or Mutation')
  }
  return signatureOf(node, field)
}

/** The signatures and types of the file `actions.graphql`; objects keep the relationships that they have. */
export function readActionsFile(
  sdl: string,
  old: CustomTypes,
): { readonly signatures: readonly Signature[]; readonly types: CustomTypes } {
  const definitions = definitionsIn(sdl)
  const roots = definitions.filter(isRoot)
  return {
    signatures: roots.flatMap((root) => (root.fields ?? []).map((field) => signatureOf(root, field))),
    types: typesOf(
      definitions.filter((node) => !isRoot(node)),
      old,
    ),
  }
}

/** An operation that calls an action, with its required arguments as variables. */
export function callOf({ definition, name }: Action, types: CustomTypes): string {
  const args = definition.arguments ?? []
  const declared = args.map((each) => `$${each.name}: ${each.type}`).join(', ')
  const given = args.map((each) => `${each.name}: $${each.name}`).join(', ')
  const output = types.objects?.find((each) => each.name === definition.output_type.replaceAll(/[[\]!]/g, ''))
  const isPlain = ({ type }: { readonly type: string }) =>
    !types.objects?.some((each) => each.name === type.replaceAll(/[[\]!]/g, ''))
  const selection =
    output && definition.kind !== 'asynchronous'
      ? ` {\n${output.fields
          .filter(isPlain)
          .map((field) => `    ${field.name}\n`)
          .join('')}  }`
      : ''
  const kind = definition.type === 'query' ? 'query' : 'mutation'
  return `${kind}${declared && ` (${declared})`} {\n  ${name}${given && `(${given})`}${selection}\n}\n`
}

/** An example of a value of each argument. */
export function exampleOf({ definition }: Action, types: CustomTypes): Readonly<Record<string, unknown>> {
  const value = (type: string, depth: number): unknown => {
    if (type.startsWith('[')) return [value(type.slice(1, type.lastIndexOf(']')), depth)]
    const name = type.replaceAll('!', '')
    if (name === 'Int' || name === 'Float') return 1
    if (name === 'Boolean') return true
    const input = types.input_objects?.find((each) => each.name === name)
    if (input && depth < 4)
      return Object.fromEntries(input.fields.map((each) => [each.name, value(each.type, depth + 1)]))
    return types.enums?.find((each) => each.name === name)?.values[0]?.value ?? ''
  }
  return Object.fromEntries((definition.arguments ?? []).map(({ name, type }) => [name, value(type, 0)]))
}
