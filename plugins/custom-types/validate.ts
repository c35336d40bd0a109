// Validates custom types. The messages are those of v1.3.

import { Kind } from 'graphql'
import { isEnumValueName, nameText } from '../../sdk/index.ts'
import type { PgType, TableModel } from '../../sdk/metadata.ts'
import { columnPair } from '../../sdk/sql.ts'
import { type CustomTypesModel, type NamedType, namedType } from './model.ts'
import { type CustomObject, type CustomTypes, leadsToTable, type ObjectRelationship } from './schema.ts'
import { baseName, isList, typeNode } from './type-text.ts'

/** The tables and types that custom types may refer to. */
export interface TypesWorld {
  table(name: ObjectRelationship['remote_table']): TableModel | undefined
  database(name: string): PgType | undefined
  /** Whether to accept all names and inputs of v1.3, although clients' tools refuse schemas with some of them. */
  readonly isLenient: boolean
}

/** The names that a list has more than once. */
function repeated(names: readonly string[]): string[] {
  const met = new Set<string>()
  return [...new Set(names.filter((name) => met.size === met.add(name).size))]
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/** All reasons why the types cannot be used. */
export function violations(types: CustomTypes, named: Pick<CustomTypesModel, 'types'>, world: TypesWorld): string[] {
  const { input_objects: inputs = [], objects = [], scalars = [], enums = [] } = types
  const names = repeated([...inputs, ...objects, ...scalars, ...enums].map(({ name }) => name))
  const find = (name: string) => namedType(name, named, world.database)
  return [
    ...(names.length > 0 ? [`duplicate type names: ${quoted(names)}`] : []),
    ...enums.flatMap(({ name, values }) => enumViolations(name, values)),
    ...inputs.flatMap(({ name, fields }) => {
      const twice = repeated(fields.map((field) => field.name))
      const unknown = fields.filter(({ type }) => !isInput(find(baseName(type))))
      return [
        ...(twice.length > 0 ? [`the input object "${name}" has duplicate fields: ${quoted(twice)}`] : []),
        ...unknown.map((field) => noSuchType(field, `input object type "${name}"`)),
      ]
    }),
    ...objects.flatMap((object) => objectViolations(object, find, world)),
    ...(world.isLenient ? [] : [...reservedNames(types), ...endlessInputs(inputs)]),
  ]
}

function reservedNames({ input_objects = [], objects = [], scalars = [], enums = [] }: CustomTypes): string[] {
  const members = [
    ...[...input_objects, ...objects].flatMap(({ fields }) => fields.map(({ name }) => name)),
    ...objects.flatMap(({ relationships = [] }) => relationships.map(({ name }) => name)),
    ...enums.flatMap(({ values }) => values.map(({ value }) => value)),
  ]
  const types = [...input_objects, ...objects, ...scalars, ...enums].map(({ name }) => name)
  const reserved = [...new Set([...types, ...members])].filter((name) => name.startsWith('__'))
  return reserved.length > 0 ? [`names that begin with two underscores are GraphQL's own: ${quoted(reserved)}`] : []
}

type Inputs = NonNullable<CustomTypes['input_objects']>

/** An input object on the path that {@link endlessInputs} searches. */
interface Need {
  readonly type: string
  /** The non-null input fields that are still to be searched. */
  readonly open: { readonly field: string; readonly needed: string }[]
  /** The field that is searched now. */
  field: string
}

/** The input objects that need a value of their own type; each cycle is reported once. */
function endlessInputs(inputs: Inputs): string[] {
  const byName = new Map(inputs.map((input) => [input.name, input]))
  const met = new Set<string>()
  const reasons: string[] = []
  // An explicit stack: recursion would overflow with chains of thousands of types.
  const way: Need[] = []
  const enter = (type: string): void => {
    met.add(type)
    const open = (byName.get(type)?.fields ?? []).flatMap((field) => {
      const needed = neededType(field.type)
      return needed === null || !byName.has(needed) ? [] : [{ field: field.name, needed }]
    })
    way.push({ type, open: open.reverse(), field: '' })
  }
  for (const { name } of inputs) {
    if (!met.has(name)) enter(name)
    for (let last = way.at(-1); last; last = way.at(-1)) {
      const next = last.open.pop()
      if (!next) {
        way.pop()
        continue
      }
      last.field = next.field
      if (!met.has(next.needed)) {
        enter(next.needed)
        continue
      }
      const start = way.findIndex(({ type }) => type === next.needed)
      if (start < 0) continue
      const circle = way.slice(start).map(({ type, field }) => `"${type}"."${field}"`)
      reasons.push(`the input object "${next.needed}" needs a value of itself: ${circle.join(', ')}`)
    }
  }
  return reasons
}

/** The name in a non-null type that is not a list; null for other types. */
function neededType(text: string): string | null {
  const node = typeNode(text)
  return node.kind === Kind.NON_NULL_TYPE && node.type.kind === Kind.NAMED_TYPE ? node.type.name.value : null
}

function enumViolations(name: string, values: readonly { readonly value: string }[]): string[] {
  const all = values.map(({ value }) => value)
  const twice = repeated(all)
  const reserved = all.filter((value) => !isEnumValueName(value))
  return [
    ...(twice.length > 0 ? [`the enum type "${name}" has duplicate values: ${quoted(twice)}`] : []),
    ...(reserved.length > 0 ? [`the enum type "${name}" has values that GraphQL reserves: ${quoted(reserved)}`] : []),
  ]
}

/** The message has two spaces there, as in v1.3. */
const noSuchType = ({ name, type }: { readonly name: string; readonly type: string }, place: string): string =>
  `the type "${baseName(type)}" for field "${name}" in  ${place} does not exist`

/** Whether arguments can have the type. */
export const isInput = (type: NamedType | undefined): boolean => type !== undefined && type.kind !== 'object'

function objectViolations(
  { name, fields, relationships = [] }: CustomObject,
  find: (name: string) => NamedType | undefined,
  world: TypesWorld,
): string[] {
  const twice = repeated([...fields, ...relationships].map((member) => member.name))
  const isOutput = (type: NamedType | undefined) => type !== undefined && type.kind !== 'input'
  return [
    ...(twice.length > 0 ? [`the object "${name}" has duplicate fields: ${quoted(twice)}`] : []),
    ...(fields.some((field) => field.arguments !== undefined) ? [`the object "${name}" can't have arguments`] : []),
    ...fields
      .filter(({ type }) => !isOutput(find(baseName(type))))
      .map((field) => noSuchType(field, `object type "${name}"`)),
    ...relationships
      .filter(leadsToTable)
      .flatMap((relationship) => relationshipViolations(relationship, { name, fields, world })),
  ]
}

interface PlaceOfRelationship extends Pick<CustomObject, 'name' | 'fields'> {
  readonly world: TypesWorld
}

function relationshipViolations(
  { name, remote_table, field_mapping }: ObjectRelationship,
  { name: object, fields, world }: PlaceOfRelationship,
): string[] {
  const where = `for relationship "${name}" of object type "${object}" does not exist`
  const table = world.table(remote_table)
  const text = nameText(remote_table)
  if (!table) return [`the remote table "${text}" ${where}`]
  return Object.entries(field_mapping).flatMap(([mapped, column]) => {
    const place = `for relationship "${name}" in object type "${object}"`
    const field = fields.find((each) => each.name === mapped)
    const reasons: string[] = []
    if (!field) reasons.push(`the field "${mapped}" ${place} does not exist`)
    else if (isList(field.type)) reasons.push(`the type of the field "${mapped}" ${place} is a list type`)
    const { type, transform } = table.columns.get(column) ?? {}
    if (!type) reasons.push(`the column "${column}" of remote table "${text}" ${where}`)
    else if (!columnPair([mapped, column], [type, type])) {
      const values = `is of type ${type.sql}, whose values PostgreSQL cannot compare`
      reasons.push(`the column "${column}" of remote table "${text}" ${place} ${values}`)
    }
    if (transform) {
      reasons.push(`the column "${column}" of remote table "${text}" ${place} is transformed by "${transform.name}"`)
    }
    return reasons
  })
}
