// Metadata objects: how they are named, depend on each other, become inconsistent and are removed.

import type { ErrorHelp } from '../../errors/errors.ts'
import { nameText, type QualifiedName, sameName } from '../../names/names.ts'

/** Names one object: `{kind: 'permission', table, name: 'agent', detail: 'select'}`. */
export interface ObjectRef {
  /**
   * The kind as dependency messages print it: `table`, `column`, `relationship`, `permission`, `function`,
   * `constraint`, …
   */
  readonly kind: string
  /** The table that holds the object, or the table itself (for kind `table`). */
  readonly table?: QualifiedName
  readonly name?: string
  readonly detail?: string
}

/** A function as dependencies and inconsistencies name it. */
export const functionRef = ({ schema, name }: QualifiedName): ObjectRef =>
  schema === 'public' ? { kind: 'function', name } : { kind: 'function', name: schema, detail: name }

/** Identity of an object, for maps and comparisons. */
export const objectKey = ({ kind, table, name, detail }: ObjectRef): string =>
  [kind, table?.schema ?? '', table?.name ?? '', name ?? '', detail ?? ''].join('\u0000')

/** As dependency messages print it: `permission lead.agent.select`. */
export function objectText({ kind, table, name, detail }: ObjectRef): string {
  const parts = [table && nameText(table), name, detail].filter((part) => part !== undefined)
  return `${kind} ${parts.join('.')}`
}

/** Why an object needs another; `on_type` when the type of a column matters. */
export type DependencyReason =
  | 'table'
  | 'remote_table'
  | 'parent'
  | 'column'
  | 'payload'
  | 'fkey'
  | 'remote_fkey'
  | 'using_column'
  | 'left_column'
  | 'right_column'
  | 'untyped'
  | 'on_type'
  | 'session_variable'
  | 'remote_relationship'
  | 'remote_schema'

export interface Dependency {
  readonly object: ObjectRef
  readonly on: ObjectRef
  readonly reason: DependencyReason
}

/** An object that is stored but not served, as `get_inconsistent_metadata` lists it. */
export interface Inconsistency {
  readonly ref: ObjectRef
  /** The wire's type: `table`, `object_relation`, `select_permission`, ... */
  readonly type: string
  readonly definition: unknown
  readonly reason: string
  /** Help for the author of the object; shown to users who may write metadata. */
  readonly help?: (() => ErrorHelp) | null
  /** Whether a document with this inconsistency is accepted, and also an operation that causes it. */
  readonly isTolerated?: boolean | 'in documents'
  /** Its whole listing, given the name of the source. Absent: its type, definition and reason. */
  listed?(source: string): Readonly<Record<string, unknown>>
  /** The other parties of a conflict: all are listed together, and none of them is served. */
  readonly others?: readonly ConflictingObject[]
  /** Whether the conflict is listed by its definitions alone. */
  readonly isClash?: boolean
  /** Its name after its type, and its definition, in interface 2 where they differ. */
  readonly later?: { readonly name?: string; readonly definition?: unknown }
}

/** Another object that a conflict excludes. */
export type ConflictingObject = Pick<Inconsistency, 'ref' | 'type' | 'definition' | 'later'>

/** A name that changed in the database or the metadata. Tables have the names that earlier renames gave them. */
export type Rename =
  | {
      readonly kind: 'column' | 'relationship'
      readonly table: QualifiedName
      readonly from: string
      readonly to: string
    }
  | { readonly kind: 'table'; readonly from: QualifiedName; readonly to: QualifiedName }

/** The object under its name after a rename. */
export function renamedRef(ref: ObjectRef, rename: Rename): ObjectRef {
  if (ref.table === undefined) return ref
  if (rename.kind === 'table') return sameName(ref.table, rename.from) ? { ...ref, table: rename.to } : ref
  const isRenamed = ref.kind === rename.kind && ref.name === rename.from && sameName(ref.table, rename.table)
  return isRenamed ? { ...ref, name: rename.to } : ref
}
