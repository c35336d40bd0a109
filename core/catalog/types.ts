// What PostgreSQL has: tables, columns, constraints and functions as introspected, unaware of metadata.

import type { QualifiedName } from '../names/names.ts'

/** How a column's type looks from outside. */
export interface PgType {
  readonly schema: string
  /** `pg_type.typname` after domains were resolved one level: `int4`, `_text`, `uuid`. */
  readonly name: string
  /** The type as a cast spells it, quoted where needed: `integer`, `character varying`, `crm."Mood"[]`. */
  readonly sql: string
  /** `pg_type.typtype`: b base, c composite, d domain, e enum, p pseudo, r range, m multirange. */
  readonly kind: string
  readonly isArray: boolean
  /** Whether it is an enum that stands for a domain over it, which PostgreSQL has no comparisons for. Absent: no. */
  readonly isEnumDomain?: boolean
  /** Whether its values are rows of a table, or of what is read like one. Absent: no. */
  readonly isTableRow?: boolean
  /** `pg_type.oid`: identity of a type across renames; absent where none was read. */
  readonly oid?: number
  /** Absent where none was read: as PostgreSQL's own types are. */
  readonly comparison?: TypeComparison
}

/** The operators that values are compared by, by the names that PostgreSQL's own types have for them. */
export type ComparisonSymbol = '=' | '<>' | '<' | '<=' | '>' | '>='

export type OperatorName = readonly [schema: string, name: string]

/** What PostgreSQL compares values of a type by, whatever the search path is. */
export interface TypeComparison {
  /** OID of the type without domains. */
  readonly base: number
  /** Whether values are rows, which SQL takes for null when all their members are. */
  readonly isRow: boolean
  /** Whether rows can be sorted by values, and told apart. */
  readonly isSorted: boolean
  /** The type lacks those that are absent. */
  readonly operators: Readonly<Partial<Record<ComparisonSymbol, OperatorName>>>
  /** The schema of the aggregates `min` and `max`; null: the type has none. */
  readonly extremes: string | null
  /** The schema of the type's own operators for patterns (`~~` and its like); null: it has none. */
  readonly patterns: string | null
  /** OIDs of the members' types, where values are rows. */
  readonly attributes: readonly number[]
  /** OIDs of the types that a value is taken for without a cast, its own among them. */
  readonly takenFor: readonly number[]
  /** The types that `=` compares a value with, and the schema of that operator. */
  readonly equalTo: readonly (readonly [type: number, schema: string])[]
}

/** A base type of PostgreSQL itself, by its `typname`. */
export const builtInType = (name: string): PgType => ({
  schema: 'pg_catalog',
  name,
  sql: name,
  kind: 'b',
  isArray: false,
})

export interface CatalogColumn {
  readonly name: string
  /** `pg_attribute.attnum`: identity of a column across renames. */
  readonly number: number
  readonly type: PgType
  /** Unless every row is known to have a value: NOT NULL is validated, and holds in the tables that inherit from it. */
  readonly nullable: boolean
  readonly hasDefault: boolean
  /** `GENERATED ALWAYS AS (...) STORED/VIRTUAL`: never writable. */
  readonly generated: boolean
  /** `a` for GENERATED ALWAYS AS IDENTITY, `d` BY DEFAULT, '' otherwise. */
  readonly identity: string
  readonly comment: string | null
  /** One that is not deterministic, which PostgreSQL has no patterns for, or not all. Absent: it is. */
  readonly collation?: QualifiedName
}

export interface CatalogConstraint {
  readonly name: string
  readonly oid: number
  readonly columns: readonly string[]
  /** Whether it may be checked at the end of the transaction; PostgreSQL has no ON CONFLICT for such keys. Absent: no. */
  readonly isDeferrable?: boolean
  /**
   * Whether its last column is a period: a key WITHOUT OVERLAPS, which ON CONFLICT does not update by, or a foreign key that is
   * fulfilled by rows whose periods cover the one here. Absent: no.
   */
  readonly isPeriod?: boolean
}

export interface CatalogForeignKey extends CatalogConstraint {
  readonly target: QualifiedName
  /** The referenced columns, in the order of `columns`. */
  readonly targetColumns: readonly string[]
  /** Whether rows may break it: not validated, not enforced, or of a table that others inherit from. Absent: no. */
  readonly isUnproven?: boolean
}

/** What a statement does to rows. */
export type ChangeKind = 'insert' | 'update' | 'delete'

/** Where a change has to stand so that PostgreSQL takes it and gives its rows back: by itself, or within WITH. */
export type StatementForm = 'alone' | 'within'

/** `pg_class.relkind`, spelled out. */
export type RelationKind = 'table' | 'partitioned' | 'view' | 'materialized' | 'foreign'

export interface CatalogTable extends QualifiedName {
  readonly oid: number
  readonly kind: RelationKind
  /** Whether reading it may do more than read: a foreign table, or a view or policy with a volatile function in it. */
  readonly isEffectful: boolean
  /** Whether tables inherit from it, whose rows are among its own though its keys do not hold for them. */
  readonly isInherited: boolean
  readonly comment: string | null
  readonly columns: readonly CatalogColumn[]
  readonly primaryKey: CatalogConstraint | null
  /** UNIQUE constraints other than the primary key. */
  readonly uniqueConstraints: readonly CatalogConstraint[]
  readonly foreignKeys: readonly CatalogForeignKey[]
  /**
   * From `pg_relation_is_updatable`, INSTEAD OF triggers counted; materialized views never, nor where a rule does something else
   * instead and gives back no rows.
   */
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
  /** The changes that rules rewrite, and the statements that give their rows back; null: none does. Absent: none are rewritten. */
  readonly rewritten?: Readonly<Partial<Record<ChangeKind, StatementForm | null>>>
  /** The rows of a table that metadata marks as enum; null when it is not, or cannot be one. */
  readonly enumValues: readonly EnumValue[] | null
}

export interface EnumValue {
  readonly value: string
  readonly comment: string | null
}

/** A type as the database declares it, domains not followed. */
export interface DeclaredType extends QualifiedName {
  /** `pg_type.typtype`, as in {@link PgType}. */
  readonly kind: string
}

/** An argument that a caller of a function passes. */
export interface FunctionArgument {
  /** Null when it has none. */
  readonly name: string | null
  readonly type: PgType
  readonly declaredType: DeclaredType
  readonly hasDefault: boolean
}

/** A plain function; several of one name are overloads. */
export interface CatalogFunction extends QualifiedName {
  readonly oid: number
  readonly comment: string | null
  readonly volatile: boolean
  /** Whether the last argument takes any number of values. */
  readonly variadic: boolean
  /** Without those that only return something. */
  readonly arguments: readonly FunctionArgument[]
  readonly returnsSet: boolean
  readonly returnType: PgType
  readonly declaredReturnType: DeclaredType
  /** The table or view whose row type it returns. */
  readonly returnsTable: QualifiedName | null
}

/** The introspected part of the database: the tables and functions that metadata names. */
export interface Catalog {
  /** By `nameKey`. */
  readonly tables: ReadonlyMap<string, CatalogTable>
  /** By `nameKey`, each with its overloads; the list is empty when there is no such function. */
  readonly functions: ReadonlyMap<string, readonly CatalogFunction[]>
  /** Major version of the server, e.g. 15. */
  readonly serverVersion: number
}
