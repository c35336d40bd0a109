// The introspected parts of a database: tables, columns, constraints and functions. Nothing here depends on metadata.

import type { QualifiedName } from '../names/names.ts'

/** The external view of a column's type. */
export interface PgType {
  readonly schema: string
  /** `pg_type.typname` after domains were resolved one level: `int4`, `_text`, `uuid`. */
  readonly name: string
  /** The type as in a cast, quoted if needed: `integer`, `character varying`, `crm."Mood"[]`. */
  readonly sql: string
  /** `pg_type.typtype`: b base, c composite, d domain, e enum, p pseudo, r range, m multirange. */
  readonly kind: string
  readonly isArray: boolean
  /** Whether it is the enum under a domain. PostgreSQL has no comparisons for that domain. Absent: no. */
  readonly isEnumDomain?: boolean
  /** Whether its values are rows of a table, view or other relation. Absent: no. */
  readonly isTableRow?: boolean
  /** `pg_type.oid`: the identity of a type across renames; absent if the type was not read from a catalog. */
  readonly oid?: number
  /** Absent if it was not read: values are compared as those of built-in types. */
  readonly comparison?: TypeComparison
}

/** The names of PostgreSQL's comparison operators; other types may use other names for them. */
export type ComparisonSymbol = '=' | '<>' | '<' | '<=' | '>' | '>='

export type OperatorName = readonly [schema: string, name: string]

/** The operators that compare values of a type, independent of the search path. */
export interface TypeComparison {
  /** The OID of the type with all domains resolved. */
  readonly base: number
  /** Whether values are rows. SQL takes a row for null if all its members are null. */
  readonly isRow: boolean
  /** Whether rows can be sorted and deduplicated by values of the type. */
  readonly isSorted: boolean
  /** The operators that the type has. */
  readonly operators: Readonly<Partial<Record<ComparisonSymbol, OperatorName>>>
  /** The schema of the aggregates `min` and `max`; null if the type has none. */
  readonly extremes: string | null
  /** The schema of the type's own pattern operators (`~~` and the like); null if it has none. */
  readonly patterns: string | null
  /** The OIDs of the members' types, if values are rows. */
  readonly attributes: readonly number[]
  /** The OIDs of the types that a value is cast to implicitly, including its own. */
  readonly takenFor: readonly number[]
  /** The types that `=` compares a value with, and the schema of that operator. */
  readonly equalTo: readonly (readonly [type: number, schema: string])[]
}

/** A built-in base type of PostgreSQL, by its `typname`. */
export const builtInType = (name: string): PgType => ({
  schema: 'pg_catalog',
  name,
  sql: name,
  kind: 'b',
  isArray: false,
})

export interface CatalogColumn {
  readonly name: string
  /** `pg_attribute.attnum`: the identity of a column across renames. */
  readonly number: number
  readonly type: PgType
  /** False only if every row has a value: NOT NULL is validated, and holds in tables that inherit from this one. */
  readonly nullable: boolean
  readonly hasDefault: boolean
  /** `GENERATED ALWAYS AS (...) STORED/VIRTUAL`: never writable. */
  readonly generated: boolean
  /** `a` for GENERATED ALWAYS AS IDENTITY, `d` for BY DEFAULT, '' otherwise. */
  readonly identity: string
  readonly comment: string | null
  /**
   * A nondeterministic collation; PostgreSQL supports few or no patterns for it. Absent: the collation is
   * deterministic.
   */
  readonly collation?: QualifiedName
}

/** A primary key, unique constraint or foreign key. */
export interface CatalogConstraint {
  readonly name: string
  readonly oid: number
  readonly columns: readonly string[]
  /** Whether it may be checked at the end of the transaction, which ON CONFLICT does not support. Absent: no. */
  readonly isDeferrable?: boolean
  /**
   * Whether its last column is a period. It is then a key WITHOUT OVERLAPS, which ON CONFLICT cannot update by, or a
   * foreign key to rows whose periods together cover this one. Absent: no.
   */
  readonly isPeriod?: boolean
}

export interface CatalogForeignKey extends CatalogConstraint {
  readonly target: QualifiedName
  /** The referenced columns, in the order of `columns`. */
  readonly targetColumns: readonly string[]
  /**
   * Whether rows may violate it: it is not validated, not enforced, or other tables inherit from this one. Absent: no.
   */
  readonly isUnproven?: boolean
}

/** The kinds of statements that change rows. */
export type ChangeKind = 'insert' | 'update' | 'delete'

/** The form of a change that PostgreSQL accepts and whose rows it returns: a statement on its own, or within WITH. */
export type StatementForm = 'alone' | 'within'

/** `pg_class.relkind`, spelled out. */
export type RelationKind = 'table' | 'partitioned' | 'view' | 'materialized' | 'foreign'

/** The placement of a relation's rows by Citus. */
export interface Distribution {
  /**
   * `sharded`: each row is on one of several machines. `reference`: all rows are on each of them. `local`: all are on
   * this one. `view`: it reads such tables.
   */
  readonly kind: 'sharded' | 'reference' | 'local' | 'view'
  /** The column whose value decides where a row is; null: no column does. */
  readonly column: string | null
}

/** A table, view or the like, as the database declares it. */
export interface CatalogTable extends QualifiedName {
  readonly oid: number
  readonly kind: RelationKind
  /** Whether reading it may have side effects: a foreign table, or a view or policy with a volatile function. */
  readonly isEffectful: boolean
  /** Whether tables inherit from it. Reading it includes their rows, but its keys do not cover them. */
  readonly isInherited: boolean
  readonly comment: string | null
  readonly columns: readonly CatalogColumn[]
  readonly primaryKey: CatalogConstraint | null
  /** UNIQUE constraints other than the primary key. */
  readonly uniqueConstraints: readonly CatalogConstraint[]
  readonly foreignKeys: readonly CatalogForeignKey[]
  /**
   * From `pg_relation_is_updatable`, including INSTEAD OF triggers. Never true for materialized views, nor if a rule runs
   * another statement instead and returns no rows.
   */
  readonly insertable: boolean
  readonly updatable: boolean
  readonly deletable: boolean
  /** The changes that rules rewrite, with the statement form that returns their rows; null: no form does. Absent: no rules. */
  readonly rewritten?: Readonly<Partial<Record<ChangeKind, StatementForm | null>>>
  /** The rows of a table that metadata marks as an enum; null if it is not marked, or cannot be an enum. */
  readonly enumValues: readonly EnumValue[] | null
  /** Absent: PostgreSQL holds the rows itself. */
  readonly distribution?: Distribution
}

/** A value of an enum table, with its comment. */
export interface EnumValue {
  readonly value: string
  readonly comment: string | null
}

/** A type as declared in the database, with domains not resolved. */
export interface DeclaredType extends QualifiedName {
  /** `pg_type.typtype`, as in {@link PgType}. */
  readonly kind: string
}

/** An argument that a caller of a function passes. */
export interface FunctionArgument {
  /** Null if it has no name. */
  readonly name: string | null
  readonly type: PgType
  readonly declaredType: DeclaredType
  readonly hasDefault: boolean
}

/** A plain function; functions of the same name are overloads. */
export interface CatalogFunction extends QualifiedName {
  readonly oid: number
  readonly comment: string | null
  readonly volatile: boolean
  /** Whether the last argument is variadic. */
  readonly variadic: boolean
  /** Input arguments only. */
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
  /** By `nameKey`, each with its overloads; the list is empty if there is no such function. */
  readonly functions: ReadonlyMap<string, readonly CatalogFunction[]>
  /** Major version of the server, e.g. 15. */
  readonly serverVersion: number
}
