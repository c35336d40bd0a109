// The row operations that create events.

/** In the order of documents. */
export const rowOperations = ['insert', 'update', 'delete'] as const

/** An operation that makes events. */
export type RowOperation = (typeof rowOperations)[number]

export type RowName = 'old' | 'new'

/** The rows that an operation has. */
export const rowsOf: Readonly<Record<RowOperation, readonly RowName[]>> = {
  insert: ['new'],
  update: ['old', 'new'],
  delete: ['old'],
}

/** The operation of a trigger's function, by the end of its name. */
export const operationOf = (name: string): RowOperation | undefined =>
  rowOperations.find((each) => name.endsWith(`_${each.toUpperCase()}`))
