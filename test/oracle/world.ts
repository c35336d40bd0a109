// What a run is about: tables with rows, what is tracked of them, and roles. Plain data: parts refer to each other by id,
// so that shrinking can take some away.

import type { Expression } from './expressions.ts'
import type { Datum, TypeName } from './types.ts'

export interface Column {
  readonly id: string
  readonly name: string
  readonly type: TypeName
  readonly nullable: boolean
  /** The configured GraphQL name. */
  readonly customName: string | null
}

export interface ForeignKey {
  readonly column: string
  readonly table: string
  readonly target: string
}

/** NULL is null; jsonb's own null is wrapped. */
export type Row = { readonly [column: string]: Stored }

export type Stored = { readonly datum: Datum } | null

export interface Table {
  readonly id: string
  readonly schema: string
  readonly name: string
  readonly columns: readonly Column[]
  /** Column ids; empty when there is none. */
  readonly primaryKey: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly customRoots: { readonly select?: string; readonly select_by_pk?: string; readonly select_aggregate?: string }
  readonly rows: readonly Row[]
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
}

export interface SelectPermission {
  readonly table: string
  readonly columns: readonly string[]
  readonly filter: Expression
  readonly limit: number | null
  readonly aggregations: boolean
}

export interface Role {
  readonly name: string
  readonly permissions: readonly SelectPermission[]
  /** Session variables, lower-case names. */
  readonly session: { readonly [name: string]: string }
}

export interface World {
  readonly tables: readonly Table[]
  readonly relationships: readonly Relationship[]
  readonly roles: readonly Role[]
}

/** Whether a name needs no custom name to be in GraphQL. */
export const isGraphQLName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/** The name of a column in GraphQL; null when it has none. */
export const fieldName = ({ name, customName }: Column): string | null =>
  customName ?? (isGraphQLName(name) ? name : null)

/** The name that GraphQL types and fields of a table are made of. */
export const displayName = ({ schema, name }: Table): string => (schema === 'public' ? name : `${schema}_${name}`)

export function tableOf(world: World, id: string): Table {
  const table = world.tables.find((candidate) => candidate.id === id)
  if (!table) throw new Invalid(`there is no table ${id}`)
  return table
}

export function columnOf(world: World, id: string): Column {
  for (const { columns } of world.tables) {
    const column = columns.find((candidate) => candidate.id === id)
    if (column) return column
  }
  throw new Invalid(`there is no column ${id}`)
}

export function relationshipOf(world: World, id: string): Relationship {
  const relationship = world.relationships.find((candidate) => candidate.id === id)
  if (!relationship) throw new Invalid(`there is no relationship ${id}`)
  return relationship
}

/** A case that says nothing about the product, as shrinking makes them. */
export class Invalid extends Error {}
