// Checks at run time what TypeScript checks at compile time, for plugins in JavaScript. A misspelt member would be
// ignored silently, even if it was meant to refuse a request.

import { Kind, type TSchema } from '@sinclair/typebox'
import type { Narrowing } from '../access/narrowing.ts'
import type { ComparisonOperator } from '../compiler/types/comparison-operator.ts'
import type { TypeSupport } from '../compiler/types/type-support.ts'
import { nearestNames } from '../errors/nearest.ts'
import { shownInLine } from '../errors/thrown.ts'
import type { Contribution } from '../graphql/schema/contribution.ts'
import type { Route } from '../http/route/declared-route.ts'
import type { ColumnTransform } from '../metadata/document/model.ts'
import type { GeneratedTypes } from '../metadata/naming/type-names.ts'
import type { Facet, Slice } from '../metadata/slices/slices.ts'
import type { AnySource } from '../metadata/slices/sources.ts'
import type { Operation } from '../operations/operation.ts'
import type { Measure } from './measures.ts'
import type { ConfigurationMember } from './plugin.ts'
import type { Surroundings } from './work-hooks.ts'

const surroundings: readonly (keyof Surroundings)[] = [
  ...(['request', 'admission', 'batch', 'operation', 'metadata', 'planning', 'document'] as const),
  ...(['change', 'statement', 'outgoing'] as const),
]

const narrowed: readonly (keyof Narrowing)[] = ['rows', 'written', 'change']

const contributed: readonly (keyof Contribution)[] = [
  ...(['query', 'mutation', 'subscription', 'rowFields', 'rowInterfaces'] as const),
  ...(['booleanFields', 'orderFields', 'insertFields', 'guard'] as const),
]

/** Refuses a value that is not an object. */
function requireObject(what: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} must be declared by an object, not by ${shownInLine(value)}`)
  }
}

function requireText(what: string, name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw new Error(`${what}: "${name}" has to be a text`)
}

/** The identifying text of a declaration, which is required. */
function nameIn<Member extends string>(what: string, value: Readonly<Record<Member, string>>, member: Member): string {
  requireObject(what, value)
  requireText(what, member, value[member])
  return value[member]
}

function requireTexts(what: string, name: string, value: unknown): void {
  if (value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'))) return
  throw new Error(`${what}: "${name}" has to be a list of texts`)
}

function requireSchema(what: string, name: string, value: unknown): void {
  if (!(Kind in Object(value))) throw new Error(`${what}: "${name}" has to be a TypeBox schema`)
}

/** Refuses a value that is not a function. */
export function requireFunction(what: string, name: string, value: unknown): void {
  if (typeof value !== 'function') throw new Error(`${what}: "${name}" has to be a function`)
}

function requireWord(what: string, value: unknown, words: readonly unknown[]): void {
  if (words.includes(value)) return
  throw new Error(`${what} has to be one of ${words.join(', ')}, but is ${shownInLine(value)}`)
}

/** Refuses an asynchronous function where the result is not awaited. */
function requireSynchronous(what: string, name: string, value: unknown): void {
  if (Object.prototype.toString.call(value) !== '[object AsyncFunction]') return
  throw new Error(`${what}: "${name}" must not be asynchronous`)
}

/**
 * Refuses hooks that are not functions, and functions that would never be called: those with a name close to a
 * hook's, and any if there is no hook at all. Other functions belong to the plugin, for example methods of a class.
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

export function checkSurroundings(value: Surroundings): void {
  requireObject('the argument of around()', value)
  checkFunctions('around', value, { names: surroundings, synchronous: ['planning', 'document'] })
}

export function checkNarrowing(value: Narrowing): void {
  checkFunctions(`the narrowing "${nameIn('a narrowing', value, 'name')}"`, value, { names: narrowed })
}

const transforming: readonly (keyof ColumnTransform)[] = ['applies', 'write', 'compareAs', 'read']

export function checkTransform(value: ColumnTransform): void {
  const what = `the column transformation "${nameIn('a column transformation', value, 'name')}"`
  for (const name of ['applies', 'read'] as const) requireFunction(what, name, value[name])
  checkFunctions(what, value, { names: transforming })
}

const schemaKinds: NonNullable<Contribution['schemas']> = ['standard', 'relay']

export function checkContribution(value: Contribution): void {
  const what = `GraphQL contribution "${nameIn('a GraphQL contribution', value, 'name')}"`
  checkFunctions(what, value, { names: contributed })
  requireTexts(what, 'schemas', value.schemas)
  for (const kind of value.schemas ?? []) requireWord(`${what}: each of "schemas"`, kind, schemaKinds)
}

const methods: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const auths: readonly Route['auth'][] = ['admin', 'session', 'none']

export function checkRoute(route: Route): void {
  requireObject('a route', route)
  const { method, url, auth, handle } = route
  const what = `route ${method} ${url}`
  requireWord(`${what}: "method"`, method, methods)
  requireWord(`${what}: "auth"`, auth, auths)
  requireFunction(what, 'handle', handle)
}

const checks: readonly unknown[] = ['none', 'object', 'new', 'strict']
const accesses: readonly unknown[] = ['READ WRITE', 'READ ONLY', 'any', 'none']

const called: readonly (keyof Operation)[] = [
  ...(['object', 'parts', 'decode', 'members', 'sources', 'handle', 'help', 'respond'] as const),
]

export function checkOperation(value: Operation<TSchema>): void {
  requireObject('an operation', value)
  const { type, args, handle, check = 'none', access = 'any', object } = value
  if (typeof type !== 'string') throw new Error('an operation has no "type"')
  const what = `operation "${type}"`
  requireSchema(what, 'args', args)
  requireFunction(what, 'handle', handle)
  checkFunctions(what, value, { names: called, synchronous: ['object', 'parts', 'members'] })
  if (typeof check !== 'function') requireWord(`${what}: "check"`, check, checks)
  if (typeof access !== 'function') requireWord(`${what}: "access"`, access, accesses)
  if (check === 'object') requireFunction(what, 'object', object)
}

const ofSlices: readonly (keyof Slice)[] = [
  ...(['describe', 'entryKey', 'entryName', 'keptMessage', 'compareEntries', 'read', 'readEntry', 'write'] as const),
  ...(['writeEntry', 'validate', 'validateEntry', 'isUsable', 'cleared', 'functionsOf', 'remove', 'rename'] as const),
]

const stages: readonly Facet['stage'][] = ['fields', 'rules']

/** The members that documents have in addition to slices, in one of their formats. */
const keysOfDocuments: readonly string[] = ['version', 'sources']

/** An asynchronous `resolve` is refused when it is called, because that error names the plugin. */
export function checkSlice(value: Slice): void {
  const what = `metadata slice "${nameIn('a metadata slice', value, 'key')}"`
  if (keysOfDocuments.includes(value.key)) throw new Error(`${what}: documents have another member of that name`)
  requireSchema(what, 'schema', value.schema)
  if (value.empty === undefined) throw new Error(`${what}: "empty", its initial value, is missing`)
  checkFunctions(what, value, { names: [...ofSlices, 'resolve'], synchronous: ofSlices })
  requireTexts(what, 'after', value.after)
  if (value.before !== undefined) requireWord(`${what}: "before"`, value.before, stages)
}

export function checkFacet(value: Facet): void {
  const what = `table facet "${nameIn('a table facet', value, 'key')}"`
  requireWord(`${what}: "stage"`, value.stage, stages)
  requireSchema(what, 'schema', value.schema)
  requireObject(`${what}: "duplicates"`, value.duplicates)
  for (const name of ['identify', 'describe', 'resolve'] as const) requireFunction(what, name, value[name])
  const names = ['identify', 'describe', 'resolve', 'read', 'write', 'functionsOf', 'attach', 'rename']
  checkFunctions(what, value, { names })
  requireTexts(what, 'after', value.after)
}

export function checkSource(value: AnySource): void {
  const what = `metadata source "${nameIn('a metadata source', value, 'key')}"`
  requireFunction(what, 'wanted', value.wanted)
  requireSynchronous(what, 'wanted', value.wanted)
  requireFunction(what, 'fetch', value.fetch)
}

export function checkGeneratedTypes(value: GeneratedTypes): void {
  const what = 'names of types'
  requireObject(what, value)
  for (const name of ['tables', 'scalars', 'schemas', 'fixed'] as const) requireTexts(what, name, value[name])
}

export function checkConfigurationMember(value: ConfigurationMember): void {
  const what = `the member "${nameIn('a member of the configuration', value, 'key')}" of the configuration`
  if (typeof value.place !== 'number') throw new Error(`${what}: "place" has to be a number`)
  requireSchema(what, 'schema', value.schema)
  requireFunction(what, 'value', value.value)
  requireSynchronous(what, 'value', value.value)
}

export function checkMeasure(value: Measure): void {
  const what = `the measure "${nameIn('a measure', value, 'name')}"`
  requireText(what, 'help', value.help)
  requireTexts(what, 'labels', value.labels)
  requireWord(`${what}: "kind"`, value.kind, ['counter', 'gauge', 'histogram'])
  if (value.kind !== 'histogram') requireFunction(what, 'read', value.read)
  else if (!Array.isArray(value.buckets)) throw new Error(`${what}: "buckets" has to be a list of numbers`)
  else requireFunction(what, 'observeBy', value.observeBy)
}

export function checkType(value: TypeSupport): void {
  const what = `type "${nameIn('a type', value, 'name')}"`
  requireFunction(what, 'codec', value.codec)
  checkFunctions(what, value, { names: ['codec', 'json'] })
}

const operands: readonly unknown[] = ['scalar', 'list', 'text', 'texts', 'jsonb', 'isNull']

export function checkComparison(value: ComparisonOperator): void {
  requireObject('an operator', value)
  const what = `operator ${value.name}`
  if (!/^_[A-Za-z]\w*$/.test(value.name)) {
    throw new Error(`${what}: "name" has to be a name of GraphQL that begins with _, such as _above`)
  }
  requireFunction(what, 'sql', value.sql)
  checkFunctions(what, value, { names: ['sql', 'trial', 'check'] })
  requireTexts(what, 'types', value.types)
  if (typeof value.operand !== 'object') requireWord(`${what}: "operand"`, value.operand, operands)
}
