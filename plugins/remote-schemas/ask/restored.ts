// Restores the client's response names in answers to renamed selections.

import { jsonType } from '../../../sdk/services.ts'
import type { FieldAnswer } from './questions.ts'

/** Members of a value, by their names in the request. */
export interface RenamedMembers {
  readonly size: number
  get(name: string): RenamedMember | undefined
}

/** A member, whose name in the request may differ from the client's. */
export interface RenamedMember {
  /** The client's response name. */
  readonly responseName: string
  readonly members: RenamedMembers
}

/** An answer with the client's response names. */
export function restored(answer: FieldAnswer, renamed: RenamedMembers): FieldAnswer {
  if (renamed.size === 0) return answer
  const errors = answer.errors.map((error) =>
    error.path ? { ...error, path: restoredPath(error.path, renamed) } : error,
  )
  return { ...answer, value: restoredValue(answer.value, renamed), errors }
}

/** A value with the client's response names. */
export function restoredValue(value: unknown, renamed: RenamedMembers): unknown {
  if (renamed.size === 0) return value
  if (Array.isArray(value)) return value.map((item) => restoredValue(item, renamed))
  if (jsonType(value) !== 'Object') return value
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => {
      const { responseName = name, members = none } = renamed.get(name) ?? {}
      return [responseName, restoredValue(member, members)]
    }),
  )
}

const none: RenamedMembers = new Map()

/** The path of an error with the client's response names. */
export function restoredPath(path: readonly (string | number)[], renamed: RenamedMembers): (string | number)[] {
  let members = renamed
  return path.map((key) => {
    if (typeof key === 'number') return key
    const { responseName = key, members: below = none } = members.get(key) ?? {}
    members = below
    return responseName
  })
}
