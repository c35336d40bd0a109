// The model: document and catalog, resolved. It is immutable, replaced as a whole after each change, and the only
// structure that serves requests. Objects refer to each other by name, never by reference. So generations share the
// parts that did not change.

import type { FieldKinds, ModelSlices } from '../../../sdk/registry.ts'
import type { CatalogColumn, CatalogConstraint, CatalogTable, EnumValue, PgType } from '../../catalog/types.ts'
import type { Condition, Mapping, SqlBuilder } from '../../compiler/plan/plan.ts'
import type { Sql } from '../../database/sql/sql.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { LaterRootFieldKey, RootFieldKey, TableConfiguration } from './document.ts'
import type { Dependency, Inconsistency } from './objects.ts'

/** A column of a tracked table. */
export interface ColumnModel {
  readonly kind: 'column'
  /** The database name. */
  readonly name: string
  /**
   * The GraphQL name. Null when neither the column's name nor a custom name is a GraphQL name; the column is then
   * hidden.
   */
  readonly field: string | null
  readonly type: PgType
  readonly nullable: boolean
  readonly comment: string | null
  readonly column: CatalogColumn
  /** The enum table whose key this column references. */
  readonly enumTable: QualifiedName | null
  /** The plugin's transformation of its values, if any. */
  readonly transform?: ColumnTransform
}

/** The place of a value, which a cipher may bind it to. */
export interface ColumnPlace {
  readonly table: QualifiedName
  /** The database name. */
  readonly column: string
}

/** A role that reads a transformed column. */
export interface ColumnReader {
  readonly role: string
  readonly table: TableModel
  readonly column: ColumnModel
  readonly model: Model
}

/**
 * The form in which a role reads a transformed column. `comparable`: the role may also compare it for equality, with
 * the stored values and the operand's `compareAs`.
 */
export type ColumnReading =
  /** As it is stored. Without a `write`, the column is then an ordinary one to the role. */
  | 'stored'
  /** Always null. */
  | 'hidden'
  /**
   * An expression of the column's type, as a part of the statement. It must not fail, or the whole statement does; its
   * parameters are shown to administrators with errors of the database, so they must hold no secret.
   */
  | { sql(value: Sql): Sql; readonly comparable?: boolean }
  /** A function of the stored text, for text columns. Where it throws, the value is null and the error is located. */
  | { value(text: string, place: ColumnPlace): string | null; readonly comparable?: boolean }

/** A plugin's transformation of columns. */
export interface ColumnTransform {
  /** The name in messages; it must be unique. */
  readonly name: string
  /** Whether it transforms this column. Two transformations of one column make the table inconsistent. */
  applies(table: QualifiedName, column: CatalogColumn): boolean
  /**
   * The text to store for a text that a request or a preset gives, for text columns; null is stored as null. Called
   * once for each value and request. Absent: values are stored as they are given.
   */
  write?(text: string, place: ColumnPlace): string
  /** The stored text of equal values, for comparisons; absent: they are refused. */
  compareAs?(text: string, place: ColumnPlace): string
  /**
   * The form in which a role reads the column; called once for each role, table and generation of the model. An inherited
   * role reads the forms of the roles that it has its permission from.
   */
  read(reader: ColumnReader): ColumnReading
}

export interface RelationshipModel {
  readonly kind: 'relationship'
  readonly name: string
  readonly type: 'object' | 'array'
  readonly target: QualifiedName
  /** Columns of this table and the matching columns of the target. */
  readonly mapping: Mapping
  /** Whether each row here has a related row: by a foreign key whose columns are all NOT NULL. */
  readonly required: boolean
  /** Whether at most one target row can match, because of a key of the target. */
  readonly unique: boolean
  /** Whether a nested insert writes the related row after its parent row, with values of the parent row. */
  readonly insertedAfter: boolean
  readonly comment: string | null
}

/** A member of a table's rows; `kind` distinguishes them. */
export type FieldModel = ColumnModel | RelationshipModel | FieldKinds[keyof FieldKinds]

/** The value of a member that is neither a column nor a relationship, as conditions and orders use it. */
export type MemberValue =
  | { readonly kind: 'scalar'; readonly type: PgType; readonly value: SqlBuilder }
  /** Rows of a table, and a condition that tells them from a missing row. */
  | { readonly kind: 'rows'; readonly table: QualifiedName; readonly from: SqlBuilder; readonly where: Condition }

/** The value of a member; null: conditions cannot use it. */
export const memberValue = (field: FieldModel): MemberValue | null =>
  ('inConditions' in field ? (field.inConditions as MemberValue | null) : null) ?? null

/** A value that a permission sets: a literal in the input syntax of the column's type, or a session variable. */
export type PresetValue =
  | { readonly kind: 'literal'; readonly text: string | null }
  | { readonly kind: 'session'; readonly variable: string }

const condition: unique symbol = Symbol('condition')

/**
 * A row condition of a permission. Only `core/access` can read it. That room adds it to all rows and changes that it
 * returns, so no caller can forget it.
 */
export interface RowCondition {
  readonly [condition]: Condition
}

/** Seals a condition as a part of a permission. */
export const rowCondition = (of: Condition): RowCondition => ({ [condition]: of })

/** Opens a sealed condition. */
export const conditionOf = (of: RowCondition): Condition => of[condition]

export interface SelectPermission {
  /** Database names. */
  readonly columns: ReadonlySet<string>
  readonly computedFields: ReadonlySet<string>
  readonly filter: RowCondition
  readonly limit: number | null
  readonly allowAggregations: boolean
  /** The root fields that return rows of the table; absent: all. */
  readonly rootFields?: RootFieldVisibility
  /** The members that the role sees in some rows only; absent: none. */
  readonly masks?: SelectMasks
}

/** Members that a role sees only in the rows that fulfil a condition, and as null in all others. */
export interface SelectMasks {
  /** By database name; `columns` lacks these. */
  readonly columns: ReadonlyMap<string, RowCondition>
  /** `computedFields` lacks these. */
  readonly computedFields: ReadonlyMap<string, RowCondition>
  /** By name; empty: the role cannot follow the relationship. Others lead from every row to all that the role sees. */
  readonly relationships: ReadonlyMap<string, readonly RowPair[]>
  /** Whether each row may lead to rows of that table by a computed field. */
  reaches(table: QualifiedName): boolean
  /** The roles whose permissions show a column. */
  showing(column: string): readonly string[]
  /** The rows that some of these roles see; null: all that the role sees. */
  seenBy(roles: readonly string[]): RowCondition | null
}

/** Rows of two tables. A role may know that they are tied if it sees both. */
export interface RowPair {
  readonly outer: RowCondition
  readonly inner: RowCondition
}

/** The root fields of a table that a role sees, by root; absent: all. */
export interface RootFieldVisibility {
  readonly query?: ReadonlySet<RootFieldKey>
  readonly subscription?: ReadonlySet<RootFieldKey | LaterRootFieldKey>
}

/** Permissions to change rows of a table grant the same if their columns and the rest of their definitions are equal. */
export interface DefinedPermission {
  /** As the document has it. */
  readonly definition: object
}

export interface InsertPermission extends DefinedPermission {
  readonly columns: ReadonlySet<string>
  readonly check: RowCondition
  readonly presets: ReadonlyMap<string, PresetValue>
  readonly backendOnly: boolean
}

export interface UpdatePermission extends DefinedPermission {
  readonly columns: ReadonlySet<string>
  readonly filter: RowCondition
  readonly check: RowCondition | null
  readonly presets: ReadonlyMap<string, PresetValue>
  readonly backendOnly: boolean
}

export interface DeletePermission extends DefinedPermission {
  readonly filter: RowCondition
  readonly backendOnly: boolean
}

/** The permissions of one role on a table. */
export interface TablePermissions {
  readonly select?: SelectPermission
  readonly insert?: InsertPermission
  readonly update?: UpdatePermission
  readonly delete?: DeletePermission
}

/** A tracked table. */
export interface TableModel {
  readonly name: QualifiedName
  /** Base of the generated names. Null when it is not a GraphQL name; the table is then missing from GraphQL. */
  readonly graphqlName: string | null
  /** Whether its generated names are in camel case. */
  readonly isCamel: boolean
  readonly catalog: CatalogTable
  readonly configuration: TableConfiguration
  readonly isEnum: boolean
  readonly enumValues: readonly EnumValue[] | null
  /** By database name, in the order of the database. */
  readonly columns: ReadonlyMap<string, ColumnModel>
  readonly primaryKey: CatalogConstraint | null
  /**
   * Members of a row, by the name that expressions and GraphQL use: exposed columns and the fields that facets attach.
   */
  readonly fields: ReadonlyMap<string, FieldModel>
  /** By role. `admin` is missing: it may do everything. */
  readonly permissions: ReadonlyMap<string, TablePermissions>
  /** Results of facets of other plugins, by facet key and then by the entry's identity. */
  readonly extensions: ReadonlyMap<string, ReadonlyMap<string, unknown>>
}

/** The configuration, resolved against the database. It is immutable, and replaced as a whole. */
export interface Model {
  readonly resourceVersion: number
  /** By `nameKey`; consistent tables only. */
  readonly tables: ReadonlyMap<string, TableModel>
  readonly slices: Readonly<Partial<ModelSlices>>
  readonly inconsistencies: readonly Inconsistency[]
  readonly dependencies: readonly Dependency[]
  /** The parts that the model was built from, stage by stage: tables by key, and slices. Absent in models made by hand. */
  readonly parts?: readonly ReadonlyMap<string, DependentPart>[]
}

/** A part of a model with the dependencies of its objects. Its reads include every table that these dependencies reach. */
export interface DependentPart {
  readonly dependencies: readonly Dependency[]
  readonly reads: { readonly tables: ReadonlySet<string> }
}
