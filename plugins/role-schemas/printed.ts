// SDL of types whose fields come in parts. graphql-js prints whole types only, so it gets a type with some of the fields.

import {
  type GraphQLInputField,
  GraphQLInputObjectType,
  type GraphQLNamedType,
  isEnumType,
  isSpecifiedScalarType,
  printType,
} from 'graphql'
import { type PlannedSchema, type SchemaMember, sortedByName, walkSchema } from '../../sdk/graphql.ts'
import type { Steps } from '../../sdk/services.ts'

/** The type with these fields or values alone. */
function withMembers(type: GraphQLNamedType, members: readonly SchemaMember[]): GraphQLNamedType {
  const own = isEnumType(type)
    ? { getValues: () => members }
    : { getFields: () => Object.fromEntries(members.map((member) => [member.name, member])) }
  return Object.assign(Object.create(Object.getPrototypeOf(type)), type, own)
}

const holder = new GraphQLInputObjectType({ name: 'T', fields: {} })

/** The type of an input value, with its default value. */
export function inputTypeText(input: Pick<GraphQLInputField, 'name' | 'type' | 'default' | 'defaultValue'>): string {
  if (input.default === undefined && input.defaultValue === undefined) return String(input.type)
  const { name, type, default: value, defaultValue } = input
  const plain = { name, type, default: value, defaultValue } as GraphQLInputField
  const text = printType(withMembers(holder, [plain]))
  return text.slice(text.indexOf(': ') + 2, text.lastIndexOf('\n'))
}

/** The SDL of one type. */
export interface PrintedType {
  readonly name: string
  readonly text: string
}

/** SDL in the order of the types' names; the definition of the schema comes first, under an empty name. */
export interface PrintedSchema {
  readonly types: readonly PrintedType[]
  /** Characters. */
  readonly size: number
}

/** The parts in which a text differs from the usual SDL of a schema. */
export interface SdlForm {
  /** Whether the text has the type, or the member of it. */
  shows(type: GraphQLNamedType, member: SchemaMember | null, schema: PlannedSchema): boolean
  /** Directives of the type, with a space before each. */
  directivesOf(type: GraphQLNamedType, schema: PlannedSchema): string
}

const usualForm: SdlForm = { shows: () => true, directivesOf: () => '' }

interface Printing {
  readonly name: string
  /** The text up to the directives. */
  readonly head: string
  readonly directives: string
  readonly fields: string[]
}

function begin(type: GraphQLNamedType, directives: string): Printing {
  return { name: type.name, head: printType(withMembers(type, [])), directives, fields: [] }
}

/** Prints the types of a schema. */
export function* printSchemaSteps(schema: PlannedSchema, form = usualForm): Steps<PrintedSchema> {
  const found = new Map<string, Printing>()
  yield* walkSchema(schema, (type, given) => {
    if (isSpecifiedScalarType(type) || !form.shows(type, null, schema)) return
    const members = given.filter((member) => form.shows(type, member, schema))
    if (members.length === 0 && given.length > 0) return
    const printing = found.get(type.name) ?? begin(type, form.directivesOf(type, schema))
    found.set(type.name, printing)
    if (members.length === 0) return
    const whole = printType(withMembers(type, members))
    printing.fields.push(whole.slice(printing.head.length + ' {\n'.length, -'\n}'.length))
  })
  const definition = definitionOf(schema, (name) => found.has(name))
  const types: PrintedType[] = definition === null ? [] : [{ name: '', text: definition }]
  let size = 0
  for (const { name, head, directives, fields } of yield* sortedByName([...found.values()])) {
    const text = fields.length > 0 ? `${head}${directives} {\n${fields.join('\n')}\n}` : `${head}${directives}`
    types.push({ name, text })
    size += text.length
    yield
  }
  return { types, size }
}

/** The definition of the schema, which names its root types; null if it has none of them. */
function definitionOf(schema: PlannedSchema, has: (type: string) => boolean): string | null {
  const kinds = ['query', 'mutation', 'subscription'] as const
  const names = kinds.map((kind) => [kind, schema.root(kind).name] as const)
  const roots = names.filter(([, name]) => has(name)).map(([kind, name]) => `  ${kind}: ${name}`)
  if (roots.length === 0) return null
  return `schema {\n${roots.join('\n')}\n}`
}
