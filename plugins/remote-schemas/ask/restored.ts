// Restores the client's response names in answers to renamed selections.

import { jsonType } from '../../../sdk/services.ts'
import type { AnswerMembers } from './answer-shape.ts'
import type { FieldAnswer } from './questions.ts'

/** An answer with the client's response names. */
export function restored(answer: FieldAnswer, renamed: AnswerMembers): FieldAnswer {
  if (renamed.size === 0) return answer
  const errors = answer.errors.map((error) =>
    error.path ? { ...error, path: restoredPath(error.path, renamed) } : error,
  )
  return { ...answer, value: restoredValue(answer.value, renamed), errors }
}

function restoredValue(value: unknown, renamed: AnswerMembers): unknown {
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

const none: AnswerMembers = new Map()

function restoredPath(path: readonly (string | number)[], renamed: AnswerMembers): (string | number)[] {
  let members = renamed
  return path.map((key) => {
    if (typeof key === 'number') return key
    const { responseName = key, errorName = responseName, members: below = none } = members.get(key) ?? {}
    members = below
    return errorName
  })
}
