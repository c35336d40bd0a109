// Warnings of operations on lists of tables: the tables that were passed over.

import { badRequest, nameText, type QualifiedName, type TrellisError, Type } from '../../sdk/index.ts'

/** A table that was passed over, and the reason. */
export interface Warning {
  readonly type: 'table'
  readonly name: string
  readonly code: string
  readonly message: string
}

/** The warning about a table. */
export const warningOf = (
  table: QualifiedName,
  { code, message }: Pick<TrellisError, 'code' | 'message'>,
): Warning => ({
  type: 'table',
  name: nameText(table),
  code,
  message,
})

/** The refusal of a list by its warnings. */
export const warned = (warnings: readonly Warning[]): TrellisError =>
  badRequest('metadata-warnings', 'failed due to metadata warnings', { internal: warnings })

const Warnings = Type.Array(
  Type.Object({ type: Type.Literal('table'), name: Type.String(), code: Type.String(), message: Type.String() }),
)

/** The answer: the tables that were changed, and warnings about others. */
export const TablesResult = Type.Object({
  message: Type.Literal('success'),
  tables: Type.Array(Type.Object({ schema: Type.String(), name: Type.String() })),
  warnings: Type.Optional(Warnings),
})

/** That answer; without empty warnings. */
export const tablesResult = (tables: readonly QualifiedName[], warnings: readonly Warning[]) => ({
  message: 'success',
  tables,
  ...(warnings.length > 0 && { warnings }),
})
