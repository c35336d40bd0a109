// The world of a run: tables with rows, their metadata, and roles. It is plain data: parts refer to each other by id,
// so that shrinking can remove some.

import type { Expression, Leaf } from './expressions.ts'
import type { Datum, TypeName } from './types.ts'

/** The value of a column that is omitted. */
export type Default =
  | { readonly kind: 'constant'; readonly datum: Datum }
  /** Its own sequence, starting at one. */
  | { readonly kind: 'sequence'; readonly sort: 'serial' | 'identity by default' | 'identity always' }
  /** A generated column: twice the value of another column. */
  | { readonly kind: 'double'; readonly of: string; readonly sort: 'stored' | 'virtual' }

export interface Column {
  readonly id: string
  readonly name: string
  readonly type: TypeName
  readonly nullable: boolean
  /** The configured GraphQL name. */
  readonly customName: string | null
  /** Null: the default is NULL. */
  readonly default: Default | null
  /** For a computed field: the column whose value its function returns. */
  readonly computedOf?: string
}

/** Whether requests may write to a column. */
export const isWritable = ({ default: value }: Column): boolean =>
  value?.kind !== 'double' && !(value?.kind === 'sequence' && value.sort === 'identity always')

/** The action on referring rows when their target changes. */
export type Action = 'no action' | 'cascade' | 'set null'

export interface ForeignKey {
  /** The constraint's name. */
  readonly name: string
  readonly column: string
  readonly table: string
  readonly target: string
  readonly onDelete: Action
  readonly onUpdate: Action
  /** Whether it is checked only at the end of the transaction. */
  readonly isDeferred: boolean
}

/** A primary key or a unique constraint. */
export interface Unique {
  readonly name: string
  readonly columns: readonly string[]
  /** Whether nulls count as equal. */
  readonly nullsAreEqual: boolean
}

/** A constraint that excludes one value of a column. */
export interface Check {
  readonly name: string
  readonly column: string
  readonly not: Datum
}

/** SQL NULL is null; the null of jsonb is wrapped. */
export type Row = { readonly [column: string]: Stored }

export type Stored = { readonly datum: Datum } | null

/** A view: some columns of a table, all of its rows. */
export interface ViewOf {
  readonly of: string
  /** Pairs of a column of the view and a column of the table. */
  readonly columns: readonly (readonly [own: string, base: string])[]
}

export const rootKeys = [
  'select',
  'select_by_pk',
  'select_aggregate',
  'insert',
  'insert_one',
  'update',
  'update_by_pk',
  'update_many',
  'delete',
  'delete_by_pk',
] as const

export type RootKey = (typeof rootKeys)[number]

export interface Table {
  readonly id: string
  readonly schema: string
  readonly name: string
  readonly columns: readonly Column[]
  /** Computed fields. */
  readonly computed?: readonly Column[]
  /** Column ids; empty without a primary key. */
  readonly primaryKey: readonly string[]
  /** In order of creation, without the primary key. */
  readonly uniques: readonly Unique[]
  readonly checks: readonly Check[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly customRoots: { readonly [key in RootKey]?: string }
  /** Whether its keys are the values of a GraphQL enum. */
  readonly isEnum: boolean
  /** Null: an ordinary table. */
  readonly view: ViewOf | null
  /** For a view, the rows of its table: see {@link withViews}. */
  readonly rows: readonly Row[]
}

/** A function that returns rows of a table: all of them, or the one with this key. */
export interface TableFunction {
  readonly id: string
  readonly name: string
  readonly table: string
  /** The root whose field it is. A mutation is VOLATILE. */
  readonly root: 'query' | 'mutation'
  /** Null: it returns all rows. */
  readonly row: Row | null
  /** The roles with a permission; null: all that may select from the table. */
  readonly roles: readonly string[] | null
}

export interface Relationship {
  readonly id: string
  readonly name: string
  readonly type: 'object' | 'array'
  readonly table: string
  readonly target: string
  /** Pairs of a column of the table and one of the target. */
  readonly mapping: readonly (readonly [string, string])[]
  readonly byForeignKey: boolean
  /** Whether nested rows of an insert follow the row itself, with values of it. */
  readonly after: boolean
}

export interface SelectPermission {
  readonly table: string
  readonly columns: readonly string[]
  readonly computed?: readonly string[]
  readonly filter: Expression
  readonly limit: number | null
  readonly aggregations: boolean
}

/** A value that a permission sets. */
export interface Preset {
  readonly column: string
  readonly value:
    | { readonly kind: 'literal'; readonly leaf: Leaf<Datum | null> }
    | { readonly kind: 'session'; readonly variable: string; readonly datum: Datum }
}

export interface InsertPermission {
  readonly table: string
  readonly columns: readonly string[]
  readonly check: Expression
  readonly presets: readonly Preset[]
}

export interface UpdatePermission {
  readonly table: string
  readonly columns: readonly string[]
  readonly filter: Expression
  readonly check: Expression | null
  readonly presets: readonly Preset[]
}

export interface DeletePermission {
  readonly table: string
  readonly filter: Expression
}

export interface Role {
  readonly name: string
  /** The roles that an inherited role has its permissions from, beside its own. */
  readonly parents?: readonly string[]
  readonly selects: readonly SelectPermission[]
  readonly inserts: readonly InsertPermission[]
  readonly updates: readonly UpdatePermission[]
  readonly deletes: readonly DeletePermission[]
  /** Session variables, lower-case names. */
  readonly session: { readonly [name: string]: string }
}

export interface World {
  readonly tables: readonly Table[]
  readonly relationships: readonly Relationship[]
  readonly functions: readonly TableFunction[]
  readonly roles: readonly Role[]
  /** Whether rows are entities of Apollo Federation. */
  readonly entities?: boolean
  /** The last values of sequences, by column; absent: not used yet. */
  readonly sequences: { readonly [column: string]: bigint }
}

/** Whether a name is valid in GraphQL without a custom name. */
export const isGraphQLName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** The name of a column in GraphQL; null when it is not exposed. */
export const fieldName = ({ name, customName }: Column): string | null =>
  customName ?? (isGraphQLName(name) ? name : null)

/** The base of a table's GraphQL names. */
export const displayName = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  schema === 'public' ? name : `${schema}_${name}`

/** The primary key as a constraint; null without a primary key. */
export const primaryKeyOf = ({ name, primaryKey }: Table): Unique | null =>
  primaryKey.length === 0 ? null : { name: `${name}_pkey`, columns: primaryKey, nullsAreEqual: false }

/** All unique constraints, in the order in which they are checked. */
export function uniquesOf(table: Table): readonly Unique[] {
  const key = primaryKeyOf(table)
  return key ? [key, ...table.uniques] : table.uniques
}

/** The columns and the computed fields. */
export const fieldsOf = ({ columns, computed = [] }: Table): readonly Column[] => [...columns, ...computed]

/** The value of a column or computed field. */
export const valueIn = (row: Row, { id, computedOf = id }: Pick<Column, 'id' | 'computedOf'>): Stored =>
  row[computedOf] ?? null

export function tableOf(world: World, id: string): Table {
  const table = world.tables.find((candidate) => candidate.id === id)
  if (!table) throw new Invalid(`there is no table ${id}`)
  return table
}

export function columnOf(world: World, id: string): Column {
  for (const table of world.tables) {
    const column = fieldsOf(table).find((candidate) => candidate.id === id)
    if (column) return column
  }
  throw new Invalid(`there is no column ${id}`)
}

export function functionOf(world: World, id: string): TableFunction {
  const found = world.functions.find((candidate) => candidate.id === id)
  if (!found) throw new Invalid(`there is no function ${id}`)
  return found
}

export function relationshipOf(world: World, id: string): Relationship {
  const relationship = world.relationships.find((candidate) => candidate.id === id)
  if (!relationship) throw new Invalid(`there is no relationship ${id}`)
  return relationship
}

/**
 * The column that hides rows: rows where it is true are invisible to everyone, as in the plugin of `hidden-rows.ts`.
 * Null: the table has no hidden rows.
 */
export const hidingColumn = ({ columns }: Table): Column | null =>
  columns.find(({ name, type }) => name === 'hidden' && type === 'boolean') ?? null

/** Whether a row of a table is not hidden. */
export function isThere(row: Row, table: Table): boolean {
  const column = hidingColumn(table)
  return column === null || row[column.id]?.datum !== true
}

/** The rows of a table that are not hidden. */
export function rowsThere(world: World, id: string): readonly Row[] {
  const table = tableOf(world, id)
  return hidingColumn(table) ? table.rows.filter((row) => isThere(row, table)) : table.rows
}

/** A row of a table as a view shows it. */
export const viewRow = ({ columns }: ViewOf, row: Row): Row =>
  Object.fromEntries(columns.map(([own, base]) => [own, row[base] ?? null]))

/** The world with the rows of its views computed from its tables. */
export function withViews(world: World): World {
  const tables = world.tables.map((table) => {
    const { view } = table
    return view ? { ...table, rows: tableOf(world, view.of).rows.map((row) => viewRow(view, row)) } : table
  })
  return { ...world, tables }
}

/** The table and the columns that store a table's rows; they differ for views. */
export function baseOf(world: World, id: string): { readonly table: Table; column(id: string): string } {
  const table = tableOf(world, id)
  if (!table.view) return { table, column: (column) => column }
  const bases = new Map(table.view.columns)
  return { table: tableOf(world, table.view.of), column: (column) => bases.get(column)! }
}

/** A case that is invalid and proves nothing, as shrinking creates them. */
export class Invalid extends Error {}
