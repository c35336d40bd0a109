// How plugins add to the GraphQL schemas. A contribution is a pure function of model and role; it names fields and makes
// each one only when a request needs it, so a schema of thousands of tables costs what is used of it.

import type { GraphQLInterfaceType, GraphQLObjectType } from 'graphql'
import type { PgType } from '../../catalog/types.ts'
import type { MutationPlan, OnConflict } from '../../compiler/plan/mutation-plan.ts'
import type { Condition, OrderTarget, Output, RootOutput } from '../../compiler/plan/plan.ts'
import type { RelationshipModel, TableModel } from '../../metadata/document/model.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { PlanContext } from '../read/plan-context.ts'
import type { FieldMap, InputFieldMap, RootFields, SchemaKind, SchemaScope } from '../read/schema-scope.ts'
import type { FieldSelection } from '../read/selection.ts'
import type { Value } from '../read/values.ts'
import type { FeedPlanner, MemberPlanner, ResolvedPlanner, ResolvedRowPlanner } from './call.ts'

export type * from '../read/schema-scope.ts'

export interface Contribution {
  /** Shown when two contributions give the same name. */
  readonly name: string
  /** The schemas that it adds to; absent: all. */
  readonly schemas?: readonly SchemaKind[]
  /** Names of row fields that give way in every table: only this contribution can add them. */
  readonly ownRowFields?: readonly string[]
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
}

/** How a field of a root type is answered. */
export type RootPlanner =
  /** By the database: the planner returns data that is printed as SQL. */
  | {
      readonly kind: 'relational'
      /** Whether a subscription to it has no other root field. */
      readonly isSole?: boolean
      plan(field: FieldSelection, context: PlanContext): RootOutput
    }
  /** By a change of the database, in the operation's transaction. */
  | { readonly kind: 'mutation'; plan(field: FieldSelection, context: PlanContext): MutationPlan }
  | ResolvedPlanner
  /** Of subscriptions: by results that come one after the other. */
  | FeedPlanner

/** How a field of a table's row is answered. */
export type RowPlanner =
  | { readonly kind: 'relational'; plan(field: FieldSelection, context: PlanContext, table: TableModel): Output }
  /** `needs` are columns. */
  | ResolvedRowPlanner

/** How a member of `T_bool_exp` becomes a condition on the row. */
export type BooleanPlanner = (value: Value, context: PlanContext) => Condition

/** How a member of `T_order_by` becomes things to order by. */
export type OrderPlanner = (value: Value, context: PlanContext) => readonly OrderElement[]

/** A value that rows are ordered by, as what remembers a place in the order has to know it. */
export interface OrderedValue {
  /** Names it among the values of the row: `['title']`, `['publisher', 'name']`; columns by their database names. */
  readonly key: readonly string[]
  readonly type: PgType
  readonly nullable: boolean
}

export interface OrderElement {
  readonly target: OrderTarget
  readonly value: OrderedValue
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
  /** The plain column, when it is one: `distinct_on` is checked against it. */
  readonly column: string | null
}

/** How a member of `T_insert_input` that is no column says which rows to insert with the row at hand; null: none. */
export type InsertPlanner = (value: Value, context: PlanContext) => NestedInsert | null

/** Rows to insert together with the row that they are related to. */
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
    /** Of fields of the objects that a call gives; absent: the object has the value. */
    member?: MemberPlanner
  }
  interface GraphQLInterfaceTypeExtensions {
    /** The object types that implement it: those that a value can have, or a fragment can be on. */
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
    /** The unions that it is a member of, which fragments may be on before anything has led to them. */
    unions?: () => readonly string[]
    /** The table whose rows have this type. */
    table?: QualifiedName
    /** Whether a row type of the same name is known to have the same fields for administrators: introspection shows one type. */
    equalsRows?: boolean
  }
}

export type { GraphQLObjectType }
