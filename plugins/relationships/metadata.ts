// The facets `object_relationships` and `array_relationships` of a table.

import { badRequest, nameText, type QualifiedName, sameName } from '../../sdk/index.ts'
import {
  type CatalogForeignKey,
  type ColumnModel,
  type Facet,
  isUniqueBy,
  type ObjectDescription,
  type ObjectRef,
  type RelationshipModel,
  type ResolveContext,
  type TableEntry,
  type TableModel,
} from '../../sdk/metadata.ts'
import { columnPair, type Mapping } from '../../sdk/sql.ts'
import { renameInRelationship } from './rename.ts'
import {
  type ForeignKeyColumns,
  type ManualConfiguration,
  type RelationshipEntry,
  type RelationshipType,
  relationshipEntrySchema,
} from './schema.ts'

/** A relationship as dependencies and inconsistencies name it. */
export const relationshipRef = (table: QualifiedName, name: string): ObjectRef => ({
  kind: 'relationship',
  table,
  name,
})

/** A relationship as it is listed when it is inconsistent. */
export const describeRelationship = (
  type: RelationshipType,
  table: QualifiedName,
  { name, using, comment }: RelationshipEntry,
): ObjectDescription => ({
  ref: relationshipRef(table, name),
  type: `${type}_relation`,
  definition: { table, name, using, comment: comment ?? null },
})

type FacetKey<T extends RelationshipType> = `${T}_relationships` & keyof TableEntry

/** The part of a relationship's model that its configuration decides. */
export type Link = Pick<RelationshipModel, 'target' | 'mapping' | 'required' | 'unique' | 'insertedAfter'>

type ResolveForeignKey<T extends RelationshipType> = (
  key: ForeignKeyColumns[T],
  table: TableModel,
  context: ResolveContext,
  explain: (reason: string) => Error,
) => Link

function relationshipFacet<T extends RelationshipType>(
  type: T,
  resolveForeignKey: ResolveForeignKey<T>,
): Facet<RelationshipEntry<T>, RelationshipModel> & { readonly key: FacetKey<T> } {
  return {
    key: `${type}_relationships` as FacetKey<T>,
    stage: 'fields',
    schema: relationshipEntrySchema(type),
    duplicates: { kind: 'relationships', name: ({ name }) => name },
    identify: ({ name }) => name,
    describe: (table, entry) => describeRelationship(type, table, entry),
    resolve({ name, using, comment = null }, table, context) {
      const explain = (reason: string) =>
        broken(`in table "${nameText(table.name)}": in relationship "${name}": ${reason}`)
      const link = using.manual_configuration
        ? resolveColumns(type, using.manual_configuration, { table, context, explain })
        : resolveForeignKey(using.foreign_key_constraint_on as ForeignKeyColumns[T], table, context, explain)
      return { kind: 'relationship', name, type, comment, ...link }
    },
    attach(table, name, relationship) {
      table.fields.set(name, relationship)
    },
    rename: (entry, rename, { table }) => renameInRelationship(entry, rename, table),
  }
}

const broken = (reason: string): Error => badRequest('constraint-violation', reason)

/** The only foreign key over these columns, in any order. */
function foreignKeyOn(
  keys: readonly CatalogForeignKey[],
  columns: readonly string[],
  explain: (reason: string) => Error,
): CatalogForeignKey {
  const wanted = new Set(columns)
  const [key, ...others] = keys.filter((each) => {
    return each.columns.length === wanted.size && each.columns.every((column) => wanted.has(column))
  })
  const given = wanted.size === 1 ? 'the given column' : 'the given column(s)'
  if (!key) throw explain(`no foreign constraint exists on ${given}`)
  if (others.length > 0) throw explain(`more than one foreign key constraint exists on ${given}`)
  if (key.isPeriod)
    throw explain(`the foreign key constraint on ${given} has a PERIOD, so that equal values do not link rows`)
  return key
}

const constraintRef = (table: QualifiedName, { name }: CatalogForeignKey): ObjectRef => ({
  kind: 'constraint',
  table,
  name,
})

const columnRef = (table: QualifiedName, name: string): ObjectRef => ({ kind: 'column', table, name })

const resolveObjectKey: ResolveForeignKey<'object'> = (given, table, context, explain) => {
  if (typeof given === 'object' && !Array.isArray(given)) return resolveOtherKey(given, table, context, explain)
  const key = foreignKeyOn(table.catalog.foreignKeys, [given].flat(), explain)
  const { columns, target, targetColumns } = key
  const other = context.table(target)
  if (!other) throw broken(`table "${nameText(target)}" is not tracked`)
  context.depend(constraintRef(table.name, key), 'fkey')
  for (const column of columns) context.depend(columnRef(table.name, column), 'using_column')
  context.depend({ kind: 'table', table: target }, 'remote_table')
  const required = !key.isUnproven && columns.every((column) => table.columns.get(column)?.nullable === false)
  const mapping = mappingOf(
    { table, other, explain },
    columns.map((column, i) => [column, targetColumns[i]!]),
  )
  return { target, mapping, required, unique: isUniqueBy(other.catalog, targetColumns), insertedAfter: false }
}

const resolveOtherKey: ResolveForeignKey<'array'> = (given, table, context, explain) => {
  const target = given.table
  const other = context.table(target)
  if (!other) throw explain(`table "${nameText(target)}" does not exist`)
  const keys = other.catalog.foreignKeys.filter((key) => sameName(key.target, table.name))
  const key = foreignKeyOn(keys, given.columns ?? [given.column], explain)
  const { columns, targetColumns } = key
  context.depend(constraintRef(target, key), 'remote_fkey')
  for (const column of columns) context.depend(columnRef(target, column), 'using_column')
  context.depend({ kind: 'table', table: target }, 'remote_table')
  const mapping = mappingOf(
    { table, other, explain },
    columns.map((column, i) => [targetColumns[i]!, column]),
  )
  return { target, mapping, required: false, unique: isUniqueBy(other.catalog, columns), insertedAfter: true }
}

/** The place of such a configuration. */
export interface ManualPlace {
  readonly table: TableModel
  readonly context: ResolveContext
  explain(reason: string): Error
}

/** The link of a relationship whose configuration names the columns of both tables. */
export function resolveColumns(
  type: RelationshipType,
  { remote_table: target, column_mapping, insertion_order: order }: ManualConfiguration,
  { table, context, explain }: ManualPlace,
): Link {
  const other = context.table(target)
  if (!other) throw broken(`table "${nameText(target)}" is not tracked`)
  const pairs = Object.entries(column_mapping)
  for (const [left, right] of pairs) {
    context.depend(columnRef(table.name, left), 'left_column')
    context.depend(columnRef(target, right), 'right_column')
  }
  const mapping = mappingOf({ table, other, explain }, pairs)
  const columns = mapping.map(([, right]) => right)
  const insertedAfter = type === 'array' || order === 'after_parent'
  return { target, mapping, required: false, unique: isUniqueBy(other.catalog, columns), insertedAfter }
}

interface Ends {
  readonly table: TableModel
  readonly other: TableModel
  explain(reason: string): Error
}

/** The pairs of columns, each with how it is compared; throws where PostgreSQL cannot. */
const mappingOf = ({ table, other, explain }: Ends, pairs: readonly (readonly [string, string])[]): Mapping =>
  pairs.map(([left, right]) => {
    const types = [requiredColumn(table, left).type, requiredColumn(other, right).type] as const
    const pair = columnPair([left, right], types)
    if (pair) return pair
    const [own, theirs] = types.map(({ sql }) => sql)
    const place = `column "${right}" of type ${theirs} of table "${nameText(other.name)}"`
    throw explain(`column "${left}" of type ${own} cannot be compared with ${place}`)
  })

function requiredColumn(table: TableModel, name: string): ColumnModel {
  const column = table.columns.get(name)
  if (column) return column
  throw broken(`table "${nameText(table.name)}" has no field named "${name}"`)
}

export const objectRelationships = relationshipFacet('object', resolveObjectKey)
export const arrayRelationships = relationshipFacet('array', resolveOtherKey)
