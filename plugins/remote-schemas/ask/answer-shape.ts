// The shapes of fields' values. GraphQL requires that fields with the same response name have the same shape, even in fragments
// on different types. Fields whose shapes differ get other aliases in the request, which the answer's restoring reverts.

import { type GraphQLOutputType, getNamedType, isLeafType } from 'graphql'

/** The shape of a field's value. */
export interface AnswerShape {
  /** The lists and nullability of the type; for leaves, the whole type. */
  readonly kind: string
  /** The members of its values, by the names in the request. */
  readonly members: AnswerMembers
}

export type AnswerMembers = ReadonlyMap<string, AnswerMember>

export interface AnswerMember extends AnswerShape {
  /** The client's response name. */
  readonly responseName: string
  /** The name in paths of errors; absent: the response name. */
  readonly errorName?: string
}

/** The shape of a field of that type with these members. */
export function shapeOf(type: GraphQLOutputType, members: AnswerMembers): AnswerShape {
  const named = getNamedType(type)
  return { kind: isLeafType(named) ? String(type) : String(type).replace(named.name, ''), members }
}

/** Whether both can have the same response name. */
export function fits(a: AnswerShape, b: AnswerShape): boolean {
  if (a.kind !== b.kind || a.members === b.members) return a.kind === b.kind
  return [...a.members].every(([name, member]) => fitsAs(name, member, b.members))
}

function fitsAs(name: string, member: AnswerMember, others: AnswerMembers): boolean {
  const other = others.get(name)
  return !other || (other.responseName === member.responseName && fits(member, other))
}

/** The member with the members of both, which fit each other. */
export function joined(a: AnswerMember | undefined, b: AnswerMember): AnswerMember {
  if (!a || a.members.size === 0 || a.members === b.members) return b
  const members = new Map(a.members)
  for (const [name, member] of b.members) members.set(name, joined(members.get(name), member))
  return { ...b, members }
}

/** The members whose names in the request differ from the client's; empty for most requests. */
export function renamedOf(members: AnswerMembers): AnswerMembers {
  return new Map(
    [...members].flatMap(([name, member]): [string, AnswerMember][] => {
      const below = renamedOf(member.members)
      const isKept = name === member.responseName && member.errorName === undefined
      return isKept && below.size === 0 ? [] : [[name, { ...member, members: below }]]
    }),
  )
}

/** Whether an error at a path within a value makes the whole value null, since no type on the path is nullable. */
export function isFatal(path: readonly (string | number)[], shape: AnswerShape): boolean {
  let { kind, members }: { kind: string; members: AnswerMembers } = shape
  for (const key of [...path, null]) {
    if (!kind.endsWith('!')) return false
    const member = typeof key === 'string' ? members.get(key) : undefined
    if (member) ({ kind, members } = member)
    else if (typeof key === 'number' && kind.startsWith('[')) kind = kind.slice(1, -2)
    else if (key !== null) return false
  }
  return true
}
