// Effects of function changes on the metadata: dropped tracked functions are removed. A script is refused if computed
// fields lose their function, or if a function becomes unusable. Both kinds belong to plugins that may be absent.

import { badRequest, compareText, nameText, type QualifiedName } from '../../sdk/index.ts'
import { functionRef, type ObjectRef } from '../../sdk/metadata.ts'
import {
  changeOf,
  type FunctionChange,
  type FunctionChanges,
  isLost,
  isNowVolatile,
  isOverloaded,
  isReplaced,
} from './function-changes.ts'

/** The part of a document used here. */
interface Functions {
  readonly tables: readonly {
    readonly table: QualifiedName
    readonly computed_fields?: readonly {
      readonly name: string
      readonly definition: { readonly function: QualifiedName }
    }[]
  }[]
  functions?: { readonly function: QualifiedName }[]
}

const refused = (message: string) => badRequest('not-supported', message)

/** Refuses overloads of a tracked function. */
export function refuseOverloads({ functions = [] }: Functions, changes: FunctionChanges): void {
  const names = functions
    .map((entry) => changeOf(changes, entry.function))
    .filter((change) => change !== undefined)
    .filter(isOverloaded)
    .map(({ before }) => nameText(before))
  if (names.length === 0) return
  const list = names.sort(compareText).join(', ')
  throw refused(`the following tracked function(s) cannot be overloaded: ${list}`)
}

/** Removes tracked functions that were dropped, and refuses those that became VOLATILE. */
export function followTrackedFunctions(metadata: Functions, changes: FunctionChanges): void {
  const { functions } = metadata
  if (!functions) return
  const kept = functions.filter((entry) => !changeOf(changes, entry.function)?.dropped)
  for (const { function: name } of kept) {
    const change = changeOf(changes, name)
    if (!change || !isNowVolatile(change)) continue
    throw refused(`type of function "${nameText(name)}" is altered to "VOLATILE" which is not supported now`)
  }
  if (kept.length < functions.length) metadata.functions = kept
}

interface ComputedFieldChange {
  readonly table: QualifiedName
  readonly name: string
  readonly change: FunctionChange
}

/** The computed fields whose function may have changed. */
function computedFieldChanges({ tables }: Functions, changes: FunctionChanges): ComputedFieldChange[] {
  if (changes.size === 0) return []
  return tables.flatMap(({ table, computed_fields: fields = [] }) =>
    fields.flatMap(({ name, definition }) => {
      const change = changeOf(changes, definition.function)
      return change ? [{ table, name, change }] : []
    }),
  )
}

/**
 * Tracked functions whose name now means a function with other arguments. A dropped function is simply removed, but here the
 * author means the same function, and would find it untracked.
 */
export function replacedFunctions({ functions = [] }: Functions, changes: FunctionChanges): ObjectRef[] {
  return functions.flatMap(({ function: name }) => {
    const change = changeOf(changes, name)
    return change && isReplaced(change) ? [functionRef(name)] : []
  })
}

/** Computed fields whose function no longer has its name. */
export function lostComputedFields(metadata: Functions, changes: FunctionChanges): ObjectRef[] {
  return computedFieldChanges(metadata, changes)
    .filter(({ change }) => isLost(change))
    .map(({ table, name }) => ({ kind: 'computed field', table: { ...table }, name }))
}

/** Refuses overloaded or VOLATILE functions of computed fields. */
export function refuseComputedFieldChanges(metadata: Functions, changes: FunctionChanges): void {
  for (const { table, name, change } of computedFieldChanges(metadata, changes)) {
    const called = `function "${nameText(change.before)}" associated with computed field`
    // The missing space is part of the message that clients expect.
    if (isOverloaded(change)) throw refused(`The ${called}"${name}" of table "${nameText(table)}" is being overloaded`)
    if (isNowVolatile(change)) {
      throw refused(`The type of ${called} "${name}" of table "${nameText(table)}" is being altered to "VOLATILE"`)
    }
  }
}
