// `actions.graphql`: the signatures of actions and their types, which the document keeps as JSON.

import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  GraphQLError,
  type InputValueDefinitionNode,
  Kind,
  parse,
  print,
} from 'graphql'
import { isJsonObject } from '../../core/json/json.ts'
import { Failure } from '../exits.ts'
import { type Json, typesFile } from './parts.ts'

/** A list of objects in a document. */
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

/** The actions and custom types of a folder, completed by the text of `actions.graphql`. */
export function withTypes(value: Json, text: string): Json {
  const { actions, types } = readSdl(text)
  const named = listOf(value['actions'])
  const missing = named.find(({ name, definition }) => !actions.has(String(name)) && !hasSignature(definition))
  if (missing) throw new Failure('failed', `${typesFile}: there is no field for the action "${missing['name']}"`)
  const unnamed = [...actions.keys()].find((name) => !named.some((each) => each['name'] === name))
  if (unnamed !== undefined) throw new Failure('failed', `${typesFile}: the action "${unnamed}" is not in actions.yaml`)
  const completed = named.map((action) => {
    const signature = actions.get(String(action['name']))
    const definition = isJsonObject(action['definition']) ? action['definition'] : {}
    return { ...action, definition: { ...definition, ...signature } }
  })
  const own = isJsonObject(value['custom_types']) ? value['custom_types'] : {}
  const custom = Object.fromEntries(kinds.map((kind) => [kind, joined(types[kind], listOf(own[kind]))]))
  return { ...value, actions: completed, custom_types: custom }
}

const hasSignature = (definition: unknown): boolean =>
  isJsonObject(definition) && definition['output_type'] !== undefined

const kinds = ['enums', 'input_objects', 'objects', 'scalars'] as const
type Types = Record<(typeof kinds)[number], Json[]>

/** Types of the text with the members that only the YAML has, such as relationships. */
function joined(types: readonly Json[], own: readonly Json[]): readonly Json[] {
  const others = own.filter(({ name }) => !types.some((each) => each['name'] === name))
  const completed = types.map((type) => ({ ...own.find(({ name }) => name === type['name']), ...type }))
  return [...completed, ...others]
}

interface Sdl {
  readonly actions: ReadonlyMap<string, Json>
  readonly types: Types
}

/** Reads the text; refuses broken GraphQL with its place. */
function readSdl(text: string): Sdl {
  const actions = new Map<string, Json>()
  const types: Types = { enums: [], input_objects: [], objects: [], scalars: [] }
  for (const definition of definitionsIn(text)) {
    if (isRoot(definition))
      for (const field of definition.fields ?? [])
        actions.set(field.name.value, signature(definition.name.value, field))
    else addType(types, definition)
  }
  return { actions, types }
}

function definitionsIn(text: string): readonly DefinitionNode[] {
  if (text.replace(/#.*/g, '').trim() === '') return []
  try {
    return parse(text, { noLocation: false }).definitions
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const { line = 1, column = 1 } = error.locations?.[0] ?? {}
    throw new Failure('failed', `${typesFile}:${line}:${column}: ${error.message}`)
  }
}

type Root = Extract<DefinitionNode, { kind: Kind.OBJECT_TYPE_DEFINITION | Kind.OBJECT_TYPE_EXTENSION }>

const isRoot = (definition: DefinitionNode): definition is Root =>
  (definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION) &&
  (definition.name.value === 'Query' || definition.name.value === 'Mutation')

const signature = (root: string, field: FieldDefinitionNode): Json => ({
  arguments: (field.arguments ?? []).map(inputOf),
  output_type: print(field.type),
  type: root.toLowerCase(),
})

const described = (node: { readonly description?: { readonly value: string } | undefined }): Json =>
  node.description ? { description: node.description.value } : {}

const inputOf = (node: InputValueDefinitionNode): Json => ({
  name: node.name.value,
  type: print(node.type),
  ...described(node),
})

const fieldOf = (node: FieldDefinitionNode): Json => ({
  name: node.name.value,
  type: print(node.type),
  ...((node.arguments ?? []).length > 0 && { arguments: node.arguments!.map(inputOf) }),
  ...described(node),
})

const isDeprecated = (directives: readonly ConstDirectiveNode[] | undefined): boolean =>
  (directives ?? []).some(({ name }) => name.value === 'deprecated')

function addType(types: Types, node: DefinitionNode): void {
  switch (node.kind) {
    case Kind.SCALAR_TYPE_DEFINITION:
      types.scalars.push({ name: node.name.value, ...described(node) })
      return
    case Kind.ENUM_TYPE_DEFINITION: {
      const values = (node.values ?? []).map((value) => ({
        value: value.name.value,
        ...described(value),
        ...(isDeprecated(value.directives) && { is_deprecated: true }),
      }))
      types.enums.push({ name: node.name.value, ...described(node), values })
      return
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      types.input_objects.push({ name: node.name.value, ...described(node), fields: (node.fields ?? []).map(inputOf) })
      return
    case Kind.OBJECT_TYPE_DEFINITION:
      types.objects.push({ name: node.name.value, ...described(node), fields: (node.fields ?? []).map(fieldOf) })
      return
    default: {
      const line = node.loc?.startToken.line ?? 1
      throw new Failure('failed', `${typesFile}:${line}: actions have no use for this kind of definition`)
    }
  }
}

/** The parts of a document for `actions.yaml` and for `actions.graphql`. */
export function splitTypes(document: Json): { readonly value: Json; readonly text: string } {
  const actions = listOf(document['actions'])
  const types = isJsonObject(document['custom_types']) ? document['custom_types'] : {}
  const value = {
    actions: actions.map((action) => ({ ...action, definition: withoutSignature(action['definition']) })),
    custom_types: Object.fromEntries(
      kinds.flatMap((kind) => {
        const list = listOf(types[kind]).map(({ fields: _f, values: _v, description: _d, ...rest }) => rest)
        return list.length > 0 ? [[kind, list]] : []
      }),
    ),
  }
  return { value, text: textOf(actions, types) }
}

function withoutSignature(definition: unknown): Json {
  const { arguments: _a, output_type: _o, type: _t, ...rest } = isJsonObject(definition) ? definition : {}
  return rest
}

const rootOf = ({ definition }: Json): string =>
  isJsonObject(definition) && definition['type'] === 'query' ? 'Query' : 'Mutation'

function textOf(actions: readonly Json[], types: Json): string {
  const roots = actions.map((action) => {
    const definition = action['definition'] as Json
    return block(`type ${rootOf(action)}`, [
      `${action['name']}${argumentsText(definition['arguments'])}: ${definition['output_type']}`,
    ])
  })
  const blocks = [
    ...roots,
    ...listOf(types['enums']).map(
      (type) => withDescription(type, '') + block(`enum ${type['name']}`, valuesText(type)),
    ),
    ...listOf(types['input_objects']).map(
      (type) => withDescription(type, '') + block(`input ${type['name']}`, fieldsText(type)),
    ),
    ...listOf(types['objects']).map(
      (type) => withDescription(type, '') + block(`type ${type['name']}`, fieldsText(type)),
    ),
    ...listOf(types['scalars']).map((type) => `${withDescription(type, '')}scalar ${type['name']}\n`),
  ]
  return blocks.join('\n')
}

const block = (head: string, lines: readonly string[]): string =>
  `${head} {\n${lines.map((line) => line.replace(/^/gm, '  ')).join('\n')}\n}\n`

const withDescription = ({ description }: Json, _indent: string): string =>
  typeof description === 'string' && description !== ''
    ? `${print({ kind: Kind.STRING, value: description, block: true })}\n`
    : ''

const argumentsText = (list: unknown): string => {
  const inputs = listOf(list)
  if (inputs.length === 0) return ''
  return `(${inputs.map((each) => `${withDescription(each, '')}${each['name']}: ${each['type']}`).join(', ')})`
}

const fieldsText = (type: Json): readonly string[] =>
  listOf(type['fields']).map(
    (field) => `${withDescription(field, '')}${field['name']}${argumentsText(field['arguments'])}: ${field['type']}`,
  )

const valuesText = (type: Json): readonly string[] =>
  listOf(type['values']).map(
    (value) => `${withDescription(value, '')}${value['value']}${value['is_deprecated'] === true ? ' @deprecated' : ''}`,
  )

/** Whether two texts declare the same, whatever their order and layout. */
export function sameTypes(one: string, other: string): boolean {
  const plain = (text: string) => {
    const { actions, types } = readSdl(text)
    const byName = (list: readonly Json[]) => Object.fromEntries(list.map((type) => [type['name'], type]))
    return [Object.fromEntries(actions), kinds.map((kind) => byName(types[kind]))]
  }
  return canonical(plain(one)) === canonical(plain(other))
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  )
