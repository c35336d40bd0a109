// The values that updates assign to columns.

import type { Json } from '../json.ts'
import { columnTypes, type Datum } from '../types.ts'
import type { Column, Stored } from '../world.ts'
import { concatenated, withoutElement, withoutKey, withoutPath } from './json-changes.ts'
import type { UpdateOperator } from './mutation.ts'
import { dataException, Refused } from './refusal.ts'

/** A change of one column; a null operand is NULL. */
export interface Assignment {
  readonly column: Column
  readonly operator: UpdateOperator
  readonly operand: Datum | null
}

/** The column's new value. */
export function assigned({ column, operator, operand }: Assignment, old: Stored): Stored {
  if (operator === '_set') return operand === null ? null : { datum: operand }
  if (old === null || operand === null) return null
  const result =
    operator === '_inc' ? columnTypes[column.type].add!(old.datum, operand) : changed(old, operator, operand)
  if (typeof result === 'string') throw new Refused([dataException(result)])
  return result
}

function changed({ datum }: NonNullable<Stored>, operator: Exclude<UpdateOperator, '_set' | '_inc'>, operand: Datum) {
  const json = datum as Json
  switch (operator) {
    case '_prepend':
      return concatenated(operand as Json, json)
    case '_append':
      return concatenated(json, operand as Json)
    case '_delete_key':
      return withoutKey(json, operand as string)
    case '_delete_elem':
      return withoutElement(json, operand as number)
    case '_delete_at_path':
      return withoutPath(json, operand as readonly string[])
  }
}
