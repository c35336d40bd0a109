// A compact list of everything in a schema that has a name. It is made in steps, searched and compared.

import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isScalarType,
  isUnionType,
} from 'graphql'
import { type PlannedSchema, type SchemaMember, sortedByName, walkSchema } from '../../sdk/graphql.ts'
import type { Steps } from '../../sdk/services.ts'
import { inputTypeText } from './printed.ts'

/**
 * A type. Its parts have a line of tab-separated texts for each field or value and for each argument: see {@link Line}.
 */
export interface IndexedType {
  readonly name: string
  readonly kind: string
  readonly description: string | null
  /** Few members each, so that a part is read without a pause. */
  readonly parts: readonly string[]
}

/** A field or value, or an argument of the field. */
export interface Line {
  readonly member: string
  /** Empty: the line is about the member itself. */
  readonly argument: string
  /** Its type with a default value; empty for a value of an enum. */
  readonly type: string
  readonly description: string | null
}

/** The types of a schema in the order of their names. */
export interface SchemaIndex {
  readonly types: readonly IndexedType[]
  /** Characters, for the limit of kept descriptions. */
  readonly size: number
}

function kindOf(type: GraphQLNamedType): string {
  if (isScalarType(type)) return 'scalar'
  if (isEnumType(type)) return 'enum'
  if (isUnionType(type)) return 'union'
  if (isInterfaceType(type)) return 'interface'
  return isInputObjectType(type) ? 'input object' : 'object'
}

/** A description without the characters that separate lines and their parts. */
const packed = (text: string | null | undefined): string => (text ? JSON.stringify(text) : '')

const lineOf = (...[member, argument, type, description]: readonly [string, string, string, string]): string =>
  `${member}\t${argument}\t${type}\t${description}\n`

function linesOf(member: SchemaMember): string {
  const { name, description } = member
  if (!('type' in member)) return lineOf(name, '', '', packed(description))
  if (!('args' in member)) return lineOf(name, '', inputTypeText(member), packed(description))
  const own = lineOf(name, '', String(member.type), packed(description))
  const args = member.args.map((each) => lineOf(name, each.name, inputTypeText(each), packed(each.description)))
  return own + args.join('')
}

/** The possible types of a union as its members. */
const ownMembers = (type: GraphQLNamedType, members: readonly SchemaMember[]): string =>
  isUnionType(type)
    ? type
        .getTypes()
        .map(({ name }) => lineOf(name, '', '', ''))
        .join('')
    : members.map(linesOf).join('')

/** Makes the index of a schema. */
export function* indexSchema(schema: PlannedSchema): Steps<SchemaIndex> {
  const found = new Map<string, IndexedType & { readonly parts: string[] }>()
  yield* walkSchema(schema, (type, members) => {
    const { name, description = null } = type
    const part = ownMembers(type, members)
    const known = found.get(name)
    if (known) known.parts.push(part)
    else found.set(name, { name, kind: kindOf(type), description: description ?? null, parts: [part] })
  })
  const types = yield* sortedByName([...found.values()])
  let size = 0
  for (const { name, description, parts } of types) {
    size += name.length + (description?.length ?? 0) + parts.reduce((sum, part) => sum + part.length, 0)
    yield
  }
  return { types, size }
}

/** The fields, values and arguments in a part of a type. */
export function linesIn(part: string): readonly Line[] {
  const texts = part.split('\n')
  texts.pop()
  return texts.map((text) => {
    const [member = '', argument = '', type = '', description = ''] = text.split('\t')
    return { member, argument, type, description: description === '' ? null : JSON.parse(description) }
  })
}

/** The schema coordinate of a line. */
export const coordinateOf = (type: string, { member, argument }: Pick<Line, 'member' | 'argument'>): string =>
  argument === '' ? `${type}.${member}` : `${type}.${member}(${argument}:)`
