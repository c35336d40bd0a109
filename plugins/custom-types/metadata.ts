// The slice `custom_types`: the types of actions' arguments and results.

import { badRequest, type Dialect, sameName } from '../../sdk/index.ts'
import {
  type ClaimedTypes,
  type ConflictWording,
  isUniqueBy,
  type MetadataDocument,
  type ObjectDescription,
  type ObjectRef,
  objectKey,
  type PgType,
  type Rename,
  type SliceContext,
  type SliceDefinition,
  type TableModel,
} from '../../sdk/metadata.ts'
import { databaseType, soleSource } from './database-types.ts'
import {
  baseOf,
  type CustomTypesModel,
  type ModelField,
  type NamedType,
  namedType,
  nameOfType,
  type RelationshipOfObject,
  type ResolvedType,
  resolvedType,
} from './model.ts'
import type { RelationshipKinds } from './relationship-kinds.ts'
import {
  type AnyRelationship,
  type CustomObject,
  type CustomTypes,
  documentSchema,
  leadsToTable,
  type ObjectRelationship,
  type TypedField,
} from './schema.ts'
import { violations } from './validate.ts'

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    custom_types: CustomTypesModel
  }
}

/** The reference to all custom types together in inconsistencies. */
export const customTypesRef: ObjectRef = { kind: 'custom types' }

const describe = (
  { input_objects, objects, scalars, enums }: CustomTypes,
  kinds: RelationshipKinds,
): ObjectDescription => ({
  ref: customTypesRef,
  type: 'custom_types',
  later: { name: 'custom_types' },
  definition: {
    input_objects: input_objects?.map((each) => whole({ ...each, fields: each.fields.map(whole) })) ?? null,
    objects: objects?.map((each) => wholeObject(kinds.write(each))) ?? null,
    scalars: scalars?.map(whole) ?? null,
    enums: enums?.map(whole) ?? null,
  },
})

/** Adds null for absent members, as in the definitions of inconsistent objects in v1.3. */
const whole = (entry: object): object => ({ description: null, ...entry })

const wholeObject = (object: CustomObject) => {
  const fields = object.fields.map((field) => ({ arguments: null, ...whole(field) }))
  return { relationships: null, ...whole(object), fields }
}

type Database = (name: string) => PgType | undefined

/** The types by name, still without fields. */
function namesOf({ input_objects = [], objects = [], scalars = [], enums = [] }: CustomTypes) {
  const types = new Map<string, NamedType>()
  for (const { name, description } of input_objects) {
    types.set(name, { kind: 'input', input: { name, ...(description !== undefined && { description }), fields: [] } })
  }
  for (const { name, description } of objects) {
    const object = {
      name,
      ...(description !== undefined && { description }),
      fields: [],
      relationships: [],
      members: [],
    }
    types.set(name, { kind: 'object', object })
  }
  for (const scalar of scalars) types.set(scalar.name, { kind: 'scalar', scalar })
  for (const enumeration of enums) types.set(enumeration.name, { kind: 'enum', enumeration })
  return types
}

/** The type of a text; undefined if the text names an unknown type. */
export const typeOfText = (
  text: string,
  types: Pick<CustomTypesModel, 'types'>,
  context: Pick<SliceContext, 'catalog'>,
): ResolvedType | undefined =>
  resolvedType(text, (name) => namedType(name, types, (other) => databaseType(other, context)))

interface Resolving {
  readonly context: SliceContext
  readonly kinds: RelationshipKinds
}

/** The reference to an object's relationship to a table in dependencies. */
const relationshipRef = (object: string, name: string): ObjectRef => ({
  kind: 'relationship',
  name: object,
  detail: name,
})

/** The reference to a field of a type in dependencies. Cascades do not remove fields, since others may need the whole type. */
const fieldRef = (type: string, name: string): ObjectRef => ({ kind: 'custom type', name: type, detail: name })

/** For a database type that only one tracked table uses: records that the object needs that column or table. */
export function dependOnType(
  { object, type }: { readonly object: ObjectRef; readonly type: ResolvedType },
  context: SliceContext,
): void {
  const base = baseOf(type)
  const source = base.kind === 'database' ? soleSource(nameOfType(base), context) : null
  if (source) context.depend(object, source, source.kind === 'column' ? 'on_type' : 'table')
}

/** Adds the fields of validated types. */
function fillIn(custom: CustomTypes, named: Pick<CustomTypesModel, 'types'>, { context, kinds }: Resolving): void {
  const fieldsOf = (owner: string, fields: readonly TypedField[]): ModelField[] =>
    fields.map(({ name, type, description }) => {
      const resolved = typeOfText(type, named, context)!
      dependOnType({ object: fieldRef(owner, name), type: resolved }, context)
      return { name, type: resolved, ...(description !== undefined && { description }) }
    })
  for (const { name, fields } of custom.input_objects ?? []) {
    const type = named.types.get(name)
    if (type?.kind === 'input') type.input.fields.push(...fieldsOf(name, fields))
  }
  for (const { name, fields, relationships = [] } of custom.objects ?? []) {
    const type = named.types.get(name)
    if (type?.kind !== 'object') continue
    type.object.fields.push(...fieldsOf(name, fields))
    for (const each of relationships) {
      if (leadsToTable(each)) {
        dependOnTable(relationshipRef(name, each.name), each, context)
        type.object.relationships.push(relationshipOf(each, context.table(each.remote_table)!))
        continue
      }
      const member = kinds.resolve(each, type.object, context)
      if (member) type.object.members.push(member)
    }
  }
}

function dependOnTable(
  object: ObjectRef,
  { remote_table: table, field_mapping: mapping }: ObjectRelationship,
  context: SliceContext,
): void {
  context.depend(object, { kind: 'table', table }, 'remote_table')
  for (const name of Object.values(mapping)) context.depend(object, { kind: 'column', table, name }, 'right_column')
}

function relationshipOf(
  { name, type, remote_table: table, field_mapping }: ObjectRelationship,
  { columns, catalog }: TableModel,
): RelationshipOfObject {
  const mapping = Object.entries(field_mapping).map(([field, column]) => {
    return { field, column, type: columns.get(column)!.type }
  })
  const mapped = mapping.map(({ column }) => column)
  return { name, type, table, mapping, unique: isUniqueBy(catalog, mapped) }
}

/** The names to claim; a custom scalar with the name of a database type is that type. */
function claimedNames(custom: CustomTypes, database: Database): ClaimedTypes {
  const { input_objects = [], objects = [], scalars = [], enums = [] } = custom
  const own = scalars.filter(({ name }) => namedType(name, { types: new Map() }, database) === undefined)
  const called = (types: readonly { readonly name: string }[]) => types.map(({ name }) => name)
  return { types: called([...input_objects, ...objects, ...enums]), scalars: called(own) }
}

const broken: CustomTypesModel = { isConsistent: false, types: new Map() }

function resolveTypes(custom: CustomTypes, { context, kinds }: Resolving): CustomTypesModel {
  const description = describe(custom, kinds)
  const named = { types: namesOf(custom) }
  const database: Database = (name) => databaseType(name, context)
  const { lenientSchema: isLenient } = context.dialect
  const reasons = violations(custom, named, { table: (name) => context.table(name), database, isLenient })
  if (reasons.length > 0) {
    context.report(description, `validation for the given custom types failed ${listed(reasons)}`)
    return broken
  }
  if (!context.claimTypeNames(description, claimedNames(custom, database), conflict(context.dialect))) return broken
  fillIn(custom, named, { context, kinds })
  return { isConsistent: true, types: named.types }
}

const listed = (reasons: readonly string[]): string => {
  if (reasons.length === 1) return `because ${reasons[0]}`
  return `for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`
}

/** The messages for names that are already taken. */
const conflict = ({ generatedTypes }: Dialect): ConflictWording => ({
  reason: ({ names }) =>
    `following custom types conflict with the ${generatedTypes} or from remote schemas: ${names.join(', ')}`,
  refusal(found) {
    return badRequest('invalid-custom-types', this.reason(found))
  },
})

/** The types, with a table or column renamed in their relationships. */
function renameInTypes(custom: CustomTypes, rename: Rename): CustomTypes {
  const { objects } = custom
  if (!objects || rename.kind === 'relationship') return custom
  return {
    ...custom,
    objects: objects.map((object) => {
      const { relationships } = object
      return relationships ? { ...object, relationships: relationships.map((each) => renamed(each, rename)) } : object
    }),
  }
}

function renamed(relationship: AnyRelationship, rename: Exclude<Rename, { kind: 'relationship' }>): AnyRelationship {
  if (!leadsToTable(relationship)) return relationship
  const { remote_table, field_mapping } = relationship
  if (rename.kind === 'table') {
    return sameName(remote_table, rename.from) ? { ...relationship, remote_table: rename.to } : relationship
  }
  if (rename.kind !== 'column' || !sameName(remote_table, rename.table)) return relationship
  const mapping = Object.entries(field_mapping).map(([field, column]) => {
    return [field, column === rename.from ? rename.to : column]
  })
  return { ...relationship, field_mapping: Object.fromEntries(mapping) }
}

/** The types in the order of documents. */
function writeTypes(
  custom: CustomTypes,
  kinds: RelationshipKinds,
  { formatVersion, source }: { readonly formatVersion: number; readonly source: string },
): CustomTypes | undefined {
  const { input_objects, objects, scalars, enums } = custom
  if (!input_objects && !objects && !scalars && !enums) return undefined
  // Documents of version 2 name the source of a relationship's table.
  const inSource = ({ relationships, ...object }: CustomObject): CustomObject =>
    formatVersion === 3 && relationships
      ? { ...object, relationships: relationships.map((each) => (leadsToTable(each) ? { ...each, source } : each)) }
      : { ...object, ...(relationships && { relationships }) }
  return {
    ...(input_objects && { input_objects }),
    ...(objects && { objects: objects.map((object) => inSource(kinds.write(object))) }),
    ...(scalars && { scalars }),
    ...(enums && { enums }),
  }
}

type CustomTypesSlice = SliceDefinition<'custom_types', ReturnType<typeof documentSchema>>

/** The slice `custom_types`. */
export const customTypesSlice = (kinds: RelationshipKinds): CustomTypesSlice => ({
  schema: documentSchema(kinds),
  empty: {},
  after: kinds.after,
  write: (custom, context) => writeTypes(custom, kinds, context),
  resolve: (custom, context) => resolveTypes(custom, { context, kinds }),
  rename: renameInTypes,
  remove(draft, object) {
    if (object.kind !== customTypesRef.kind) return removeRelationship(draft, object, kinds)
    draft.custom_types = {}
    return true
  },
})

function removeRelationship(draft: MetadataDocument, object: ObjectRef, kinds: RelationshipKinds): boolean {
  const key = objectKey(object)
  const objects = draft.custom_types.objects ?? []
  const toTables = objects.flatMap((owner) =>
    (owner.relationships ?? []).filter(leadsToTable).map((entry) => ({
      ...{ object: owner, entry, ref: relationshipRef(owner.name, entry.name) },
    })),
  )
  const ofKinds = kinds.entriesOf(objects).map(({ description, ...placed }) => ({ ...placed, ref: description.ref }))
  const found = [...toTables, ...ofKinds].find(({ ref }) => objectKey(ref) === key)
  if (!found) return false
  const rest = (found.object.relationships ?? []).filter((entry) => entry !== found.entry)
  if (rest.length > 0) found.object.relationships = rest
  else delete found.object.relationships
  return true
}
