// What the compiler holds plugins in TypeScript to, for those in JavaScript: a wrong word would be passed over in silence,
// though it was to refuse somebody something.

import { Kind, type TSchema } from '@sinclair/typebox'
import type { Narrowing } from '../access/narrowing.ts'
import { nearestNames } from '../errors/nearest.ts'
import type { Contribution } from '../graphql/contribution.ts'
import type { Route } from '../http/declared-route.ts'
import type { Operation } from '../operations/operation.ts'
import type { Surroundings } from './wrapping.ts'

const surroundings: readonly (keyof Surroundings)[] = [
  ...(['request', 'admission', 'batch', 'operation', 'metadata', 'planning', 'document'] as const),
  ...(['statement', 'outgoing'] as const),
]

const narrowed: readonly (keyof Narrowing)[] = ['rows', 'written', 'change']

const contributed: readonly (keyof Contribution)[] = [
  ...(['query', 'mutation', 'subscription', 'rowFields', 'rowInterfaces'] as const),
  ...(['booleanFields', 'orderFields', 'insertFields'] as const),
]

function requireFunction(what: string, name: string, value: unknown): void {
  if (typeof value !== 'function') throw new Error(`${what}: "${name}" has to be a function`)
}

/** Refuses what would be waited for by nobody. */
function requireSynchronous(what: string, name: string, value: unknown): void {
  if (Object.prototype.toString.call(value) !== '[object AsyncFunction]') return
  throw new Error(`${what}: "${name}" must not be asynchronous`)
}

/**
 * Refuses what should be a function and is none, and functions that nobody would call: those whose name is nearly that of a
 * member, and all where there is no member. Others are the plugin's own, such as in an object of a class.
 */
function checkFunctions(
  what: string,
  value: object,
  { names, synchronous = names }: { readonly names: readonly string[]; readonly synchronous?: readonly string[] },
): void {
  const given = names.filter((name) => Reflect.get(value, name) !== undefined)
  for (const name of given) requireFunction(what, name, Reflect.get(value, name))
  for (const name of synchronous) requireSynchronous(what, name, Reflect.get(value, name))
  for (const name of Object.keys(value)) {
    if (names.includes(name) || typeof Reflect.get(value, name) !== 'function') continue
    const [near] = nearestNames(name, names)
    if (near !== undefined) throw new Error(`${what} has no member "${name}", did you mean "${near}"?`)
    if (given.length === 0) throw new Error(`${what} has no member "${name}": there are ${names.join(', ')}`)
  }
}

export const checkSurroundings = (value: Surroundings): void =>
  checkFunctions('around', value, { names: surroundings, synchronous: ['planning', 'document'] })

export const checkNarrowing = (value: Narrowing): void =>
  checkFunctions(`the narrowing "${value.name}"`, value, { names: narrowed })

export const checkContribution = (value: Contribution): void =>
  checkFunctions(`GraphQL contribution "${value.name}"`, value, { names: contributed })

const methods: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const auths: readonly Route['auth'][] = ['admin', 'session', 'none']

function requireWord<W>(what: string, value: W, words: readonly W[]): void {
  if (!words.includes(value)) throw new Error(`${what} has to be one of ${words.join(', ')}, and is ${value}`)
}

export function checkRoute({ method, url, auth, handle }: Route): void {
  const what = `route ${method} ${url}`
  requireWord(`${what}: "method"`, method, methods)
  requireWord(`${what}: "auth"`, auth, auths)
  requireFunction(what, 'handle', handle)
}

export function checkOperation({ type, args, handle }: Operation<TSchema>): void {
  if (typeof type !== 'string') throw new Error('an operation has no "type"')
  const what = `operation "${type}"`
  if (!(Kind in Object(args))) throw new Error(`${what}: "args" has to be a schema of TypeBox`)
  requireFunction(what, 'handle', handle)
}
