// The model: document and catalog, resolved. Immutable, replaced whole after each change, and the only thing that
// serves requests. Objects refer to each other by name, never by reference, so that parts that did not change are
// shared between generations.

import type { FieldKinds, ModelSlices } from '../../../sdk/registry.ts'
import type { CatalogColumn, CatalogConstraint, CatalogTable, EnumValue, PgType } from '../../catalog/types.ts'
import type { Condition, Mapping } from '../../compiler/plan/plan.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { LaterRootFieldKey, RootFieldKey, TableConfiguration } from './document.ts'
import type { Dependency, Inconsistency } from './objects.ts'

export interface ColumnModel {
  readonly kind: 'column'
  /** The database name. */
  readonly name: string
  /** The GraphQL name; null when neither the column's name nor a custom one is a GraphQL name: then it is not exposed. */
  readonly field: string | null
  readonly type: PgType
  readonly nullable: boolean
  readonly comment: string | null
  readonly column: CatalogColumn
  /** The enum table whose key this column references. */
  readonly enumTable: QualifiedName | null
}

export interface RelationshipModel {
  readonly kind: 'relationship'
  readonly name: string
  readonly type: 'object' | 'array'
  readonly target: QualifiedName
  /** From this table to the target. */
  readonly mapping: Mapping
  /** Whether a row here always has a related row: by foreign key, and every column NOT NULL. */
  readonly required: boolean
  /** Whether at most one target row can match, by a key of the target. */
  readonly unique: boolean
  /** Whether nested inserts take the related row after the row that it is nested in, with values of that row. */
  readonly insertedAfter: boolean
  readonly comment: string | null
}

/** A member of a table's rows; `kind` tells them apart. */
export type FieldModel = ColumnModel | RelationshipModel | FieldKinds[keyof FieldKinds]

/** A value that a permission sets: a literal in the input syntax of the column's type, or a session variable. */
export type PresetValue =
  | { readonly kind: 'literal'; readonly text: string | null }
  | { readonly kind: 'session'; readonly variable: string }

const condition: unique symbol = Symbol('condition')

/**
 * A condition of a permission on rows of its table. What is in it is for `core/access` alone, which merges it into the rows
 * and changes that it hands out: nobody else can forget it.
 */
export interface RowCondition {
  readonly [condition]: Condition
}

/** The condition, as a part of a permission. */
export const rowCondition = (of: Condition): RowCondition => ({ [condition]: of })

/** What is in a permission's condition. */
export const conditionOf = (of: RowCondition): Condition => of[condition]

export interface SelectPermission {
  /** Database names. */
  readonly columns: ReadonlySet<string>
  readonly computedFields: ReadonlySet<string>
  readonly filter: RowCondition
  readonly limit: number | null
  readonly allowAggregations: boolean
  /** The root fields that lead to rows of the table; absent: all. */
  readonly rootFields?: RootFieldVisibility
}

/** Which root fields of a table a role sees, by root; absent: all. */
export interface RootFieldVisibility {
  readonly query?: ReadonlySet<RootFieldKey>
  readonly subscription?: ReadonlySet<RootFieldKey | LaterRootFieldKey>
}

export interface InsertPermission {
  readonly columns: ReadonlySet<string>
  readonly check: RowCondition
  readonly presets: ReadonlyMap<string, PresetValue>
  readonly backendOnly: boolean
}

export interface UpdatePermission {
  readonly columns: ReadonlySet<string>
  readonly filter: RowCondition
  readonly check: RowCondition | null
  readonly presets: ReadonlyMap<string, PresetValue>
  readonly backendOnly: boolean
}

export interface DeletePermission {
  readonly filter: RowCondition
  readonly backendOnly: boolean
}

export interface TablePermissions {
  readonly select?: SelectPermission
  readonly insert?: InsertPermission
  readonly update?: UpdatePermission
  readonly delete?: DeletePermission
}

export interface TableModel {
  readonly name: QualifiedName
  /** Base of the generated names; null when it is not a GraphQL name and the table is not in GraphQL. */
  readonly graphqlName: string | null
  readonly catalog: CatalogTable
  readonly configuration: TableConfiguration
  readonly isEnum: boolean
  readonly enumValues: readonly EnumValue[] | null
  /** By database name, in the database's order. */
  readonly columns: ReadonlyMap<string, ColumnModel>
  readonly primaryKey: CatalogConstraint | null
  /** Members of a row by the name that expressions and GraphQL use: exposed columns and what facets attach. */
  readonly fields: ReadonlyMap<string, FieldModel>
  /** By role, without `admin`, who may do all. */
  readonly permissions: ReadonlyMap<string, TablePermissions>
  /** What facets of other plugins resolved to: facet key, then the entry's identity. */
  readonly extensions: ReadonlyMap<string, ReadonlyMap<string, unknown>>
}

export interface Model {
  readonly resourceVersion: number
  /** By `nameKey`; only what is consistent. */
  readonly tables: ReadonlyMap<string, TableModel>
  readonly slices: Readonly<Partial<ModelSlices>>
  readonly inconsistencies: readonly Inconsistency[]
  readonly dependencies: readonly Dependency[]
}
