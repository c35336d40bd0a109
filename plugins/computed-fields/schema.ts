// The wire format of computed fields, in arguments and in the document.

import { type QualifiedName, Type } from '../../sdk/index.ts'
import { ObjectName, TableName } from '../../sdk/metadata.ts'
import { FunctionName } from '../functions/schema.ts'

/** The function of a computed field, and the arguments that requests do not give. */
export interface ComputedFieldDefinition {
  function: QualifiedName
  /** Absent: the first argument. */
  table_argument?: string
  session_argument?: string
}

/** One computed field in a table's entry. */
export interface ComputedFieldEntry {
  name: string
  definition: ComputedFieldDefinition
  comment?: string
}

declare module '../../sdk/registry.ts' {
  interface TableFacets {
    computed_fields?: ComputedFieldEntry[]
  }
}

/** The members of an entry; a document may hold no other keys, arguments may. */
function members(document: boolean) {
  const closed = document ? { additionalProperties: false } : {}
  const definition = Type.Object(
    {
      function: FunctionName,
      table_argument: Type.Optional(Type.String()),
      session_argument: Type.Optional(Type.String()),
    },
    closed,
  )
  return {
    name: ObjectName,
    definition: Type.Unsafe<ComputedFieldDefinition>(definition),
    comment: Type.Optional(Type.String()),
  }
}

export const AddComputedFieldArgs = Type.Object({ table: TableName, ...members(false) })

/** The schema of an entry of `computed_fields`. */
export const computedFieldEntrySchema = Type.Object(members(true), { additionalProperties: false })

export const DropComputedFieldArgs = Type.Object(
  { table: TableName, name: ObjectName, cascade: Type.Optional(Type.Boolean()) },
  { missingKey: 'A' },
)
