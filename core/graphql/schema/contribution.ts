// How plugins extend the GraphQL schemas. A contribution is a pure function of model and role. It names fields and
// creates each only when a request needs it. So even a schema of thousands of tables costs only its used parts.

import type { GraphQLInterfaceType, GraphQLObjectType } from 'graphql'
import type { PgType } from '../../catalog/types.ts'
import type { CallPlan } from '../../compiler/plan/call-plan.ts'
import type { MutationList, MutationPlan, OnConflict } from '../../compiler/plan/mutation-plan.ts'
import type { Condition, OrderTarget, Output, RootOutput } from '../../compiler/plan/plan.ts'
import type { RelationshipModel, TableModel } from '../../metadata/document/model.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { ChangeGuard, GuardedChange } from '../read/guard.ts'
import type { PlanContext } from '../read/plan-context.ts'
import type { FieldMap, InputFieldMap, RootFields, SchemaKind, SchemaScope } from '../read/schema-scope.ts'
import type { FieldSelection, FieldSource } from '../read/selection.ts'
import type { Value } from '../read/values.ts'
import type { FeedPlanner, MemberPlanner, ResolvedPlanner, ResolvedRowPlanner } from './call.ts'

export type * from '../read/schema-scope.ts'

/** The fields that a plugin adds to the schemas of roles. */
export interface Contribution {
  /** Used in the report about two contributions with the same name of a field. */
  readonly name: string
  /** The schemas that it extends; absent: all. */
  readonly schemas?: readonly SchemaKind[]
  /** Reserved names of row fields: in every table, only this contribution can add them. */
  readonly ownRowFields?: readonly string[]
  /** Whether root fields of other contributions take the place of its own of the same name, without a report. */
  readonly yields?: boolean
  /** Whether its root fields are of the source, which may give them other names and a namespace. Absent: no. */
  readonly isOfSource?: boolean
  /** Whether its types may repeat row types (`equalsRows`); introspection of one type then reads the whole schema. */
  mayRepeatRows?(scope: SchemaScope): boolean
  query?(scope: SchemaScope): RootFields
  mutation?(scope: SchemaScope): RootFields
  subscription?(scope: SchemaScope): RootFields
  /** Fields of the object type of a table's rows. */
  rowFields?(scope: SchemaScope, table: TableModel): FieldMap
  /** Interfaces of the object type of a table's rows. */
  rowInterfaces?(scope: SchemaScope, table: TableModel): readonly GraphQLInterfaceType[]
  /** Fields of `T_bool_exp`. */
  booleanFields?(scope: SchemaScope, table: TableModel): InputFieldMap
  /** Fields of `T_order_by`. */
  orderFields?(scope: SchemaScope, table: TableModel): InputFieldMap
  /** Fields of `T_insert_input`. */
  insertFields?(scope: SchemaScope, table: TableModel): InputFieldMap
  /** The work before a root field of any contribution changes tables; null: it may change them at once. */
  guard?(scope: SchemaScope, change: GuardedChange): ChangeGuard | null
}

/** The executor of a root field. */
export type RootPlanner =
  /** The database: the planner returns data that is printed as SQL. */
  | {
      readonly kind: 'relational'
      /** Whether it must be the only root field of a subscription. */
      readonly isSole?: boolean
      plan(field: FieldSelection, context: PlanContext): RootOutput
    }
  /** A change of the database, in the operation's transaction. */
  | {
      readonly kind: 'mutation'
      plan(field: FieldSelection, context: PlanContext): MutationPlan | MutationList | CallPlan
    }
  /** The source's root fields below a field of their own; those are planned in its place. */
  | { readonly kind: 'namespace' }
  | ResolvedPlanner
  /** A feed of results, for subscriptions. */
  | FeedPlanner

/** The executor of a field of a table's row. */
export type RowPlanner =
  | { readonly kind: 'relational'; plan(field: FieldSelection, context: PlanContext, table: TableModel): Output }
  /** `needs` are columns. */
  | ResolvedRowPlanner

/** Turns a member of `T_bool_exp` into a condition on the row. */
export type BooleanPlanner = (value: Value, context: PlanContext) => Condition

/** Turns a member of `T_order_by` into order elements. */
export type OrderPlanner = (value: Value, context: PlanContext) => readonly OrderElement[]

/** A value that rows are ordered by, for plugins that store a position in the order. */
export interface OrderedValue {
  /** Identifies it among the values of the row: `['title']`, `['publisher', 'name']`; columns by database name. */
  readonly key: readonly string[]
  readonly type: PgType
  readonly nullable: boolean
}

export interface OrderElement {
  readonly target: OrderTarget
  readonly value: OrderedValue
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
  /** The column if it is a plain one: `distinct_on` is checked against it. */
  readonly column: string | null
}

/** Turns a member of `T_insert_input` that is not a column into rows to insert with the current row; null: no rows. */
export type InsertPlanner = (value: Value, context: PlanContext) => NestedInsert | null

/** Rows to insert together with a related row. */
export interface NestedInsert {
  readonly relationship: RelationshipModel
  /** Values of the target's `T_insert_input`; a single one for an object relationship. */
  readonly objects: readonly Value[]
  readonly onConflict: OnConflict | null
}

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    root?: RootPlanner
    row?: RowPlanner
    /** For fields of a call's objects; absent: the object contains the value. */
    member?: MemberPlanner
  }
  interface GraphQLInterfaceTypeExtensions {
    /** The object types that implement it: the possible types of values and fragments. */
    possibleTypes?: () => readonly GraphQLObjectType[]
  }
  interface GraphQLInputFieldExtensions {
    boolean?: BooleanPlanner
    order?: OrderPlanner
    insert?: InsertPlanner
    /** The database column that the field stands for. */
    column?: string
    /** The relationship that the field stands for. */
    relationship?: string
  }
  interface GraphQLObjectTypeExtensions {
    /** The unions that contain it, so that fragments may use them before any field refers to them. */
    unions?: () => readonly string[]
    /** The table whose rows have this type. */
    table?: QualifiedName
    /** Creates the fields on demand, for planning. */
    fieldSource?: FieldSource
    /** Whether a row type of the same name is known to have the same fields for administrators: introspection shows one type. */
    equalsRows?: boolean
  }
}

export type { GraphQLObjectType }
