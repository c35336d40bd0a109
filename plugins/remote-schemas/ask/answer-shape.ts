// The shapes of what fields give. A server compares those of all fields that have one response name, whatever types their
// fragments stand on: where shapes differ some of them are asked for under other names, and called by their own again here.

import { type GraphQLOutputType, getNamedType, isLeafType } from 'graphql'

/** What a field gives. */
export interface AnswerShape {
  /** Lists, what of them may be null, and the type of a leaf. */
  readonly kind: string
  /** Of its values, under the names that they are asked for by. */
  readonly members: AnswerMembers
}

export type AnswerMembers = ReadonlyMap<string, AnswerMember>

export interface AnswerMember extends AnswerShape {
  /** What the client calls it. */
  readonly responseName: string
}

/** The shape of a field of that type with such members. */
export function shapeOf(type: GraphQLOutputType, members: AnswerMembers): AnswerShape {
  const named = getNamedType(type)
  return { kind: isLeafType(named) ? String(type) : String(type).replace(named.name, ''), members }
}

/** Whether both can have one response name. */
export function fits(a: AnswerShape, b: AnswerShape): boolean {
  if (a.kind !== b.kind || a.members === b.members) return a.kind === b.kind
  return [...a.members].every(([name, member]) => fitsAs(name, member, b.members))
}

function fitsAs(name: string, member: AnswerMember, others: AnswerMembers): boolean {
  const other = others.get(name)
  return !other || (other.responseName === member.responseName && fits(member, other))
}

/** What has all members of both, which fit. */
export function joined(a: AnswerMember | undefined, b: AnswerMember): AnswerMember {
  if (!a || a.members.size === 0 || a.members === b.members) return b
  const members = new Map(a.members)
  for (const [name, member] of b.members) members.set(name, joined(members.get(name), member))
  return { ...b, members }
}

/** What of the members has other names than the client gave: nothing, but for few requests. */
export function renamedOf(members: AnswerMembers): AnswerMembers {
  return new Map(
    [...members].flatMap(([name, member]): [string, AnswerMember][] => {
      const below = renamedOf(member.members)
      return name === member.responseName && below.size === 0 ? [] : [[name, { ...member, members: below }]]
    }),
  )
}

/** Whether an error at a path within a value leaves nothing of it: null will do nowhere on the way there. */
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
