// Decodes a request's JSON into calls of operations, and answers questions about them before anything runs.

import { type TSchema, Type } from '@sinclair/typebox'
import { type CostLimit, RequestCost } from '../access/request-cost.ts'
import { rootCost } from '../access/tuning.ts'
import { TurnTaker } from '../concurrency/stepwise.ts'
import { badRequest, internalError, parseFailed, TrellisError } from '../errors/errors.ts'
import { didYouMean, didYouMeanOneOf } from '../errors/nearest.ts'
import { below, type PathKey, pathText } from '../errors/path.ts'
import { hasMoreValues, isJsonObject, jsonType } from '../json/json.ts'
import { own } from '../metadata/document/given-document.ts'
import { tooManyValues } from '../metadata/slices/faults.ts'
import { mostValues } from '../metadata/tuning.ts'
import type { QualifiedName } from '../names/names.ts'
import { isAdmin, type Session } from '../session/session.ts'
import { decode, unknownKeysIn } from '../wire/decode.ts'
import { SourceName } from '../wire/types.ts'
import type { AccessMode, Operation, OperationEnvironment } from './operation.ts'
import type { OperationRegistry } from './registry.ts'
import type { FoundOperation, RequestForm } from './request-form.ts'

/** One operation to run, with decoded arguments. */
export interface Call {
  readonly operation: Operation<TSchema>
  readonly args: unknown
  /** The metadata version that the request expects; null: any. */
  readonly resourceVersion: number | null
  /** The source that the request names; null: it names none. */
  readonly source: string | null
  /** Whether unknown keys were refused in any dialect. */
  readonly isStrict: boolean
  /** The requests that it runs itself; null if the operation has no members. */
  readonly members: readonly MemberCall[] | null
}

/** A request within the arguments of another request. */
interface MemberCall extends Call {
  /** Its path in those arguments. */
  readonly at: readonly PathKey[]
}

/** The dependencies of decoding. */
export interface EnvelopeOptions {
  readonly operations: OperationRegistry
  readonly environment: Omit<OperationEnvironment, 'interface'>
  readonly form: RequestForm
  readonly session: Session
  /** Whether unknown keys are refused in any dialect, also beside `args`. */
  readonly isStrict: boolean
}

/**
 * Decodes `{type, args, version?, resource_version?}`; throws `parse-failed` with the path of the wire, where `$` is
 * args unless the form names them.
 */
export async function decodeEnvelope(
  body: unknown,
  options: EnvelopeOptions,
  at: readonly PathKey[] = [],
): Promise<Call> {
  const { operations, form, session, isStrict } = options
  if (!isJsonObject(body)) {
    throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(body)}`, at)
  }
  const type = required(body, 'type', at)
  if (typeof type !== 'string') {
    throw parseFailed(`parsing Text failed, expected String, but encountered ${jsonType(type)}`, [...at, 'type'])
  }
  if (isStrict) refuseUnknownKeys(body, at)
  const version = readVersion(body.version, at)
  const found = form.find({ type, version, args: own(body, 'args') }, operations)
  if (!found) throw form.unknownType?.(type).at(...at) ?? unknownType({ type, version: version ?? 1 }, operations, at)
  const { operation } = found
  if (form.interface === '2') refuseOthers(operation, session)
  const resourceVersion = readResourceVersion(body, at)
  // Later engines find most faults of arguments below `args`; on `/v1/query` only those of their own operations.
  const isLater = form.pathsNameArguments || (form.interface === '2' && operation.pathsNameArguments)
  const argsAt = isLater ? [...at, 'args'] : at
  const { args: given, source } = withoutSource(operation, required(body, 'args', at), argsAt)
  const turns = new TurnTaker()
  const args = await decodeArguments(found, given, argsAt, environmentOf(options)).catch((error) => {
    throw isLater ? inLaterWords(error) : error
  })
  await turns.next()
  const call = { operation, args, resourceVersion, source, isStrict }
  if (!operation.members) return { ...call, members: null }
  const members: MemberCall[] = []
  for (const member of operation.members(args)) {
    await turns.next()
    const call = await decodeEnvelope(member.envelope, options, [...argsAt, ...member.at])
    members.push({ ...call, at: member.at })
  }
  return { ...call, members }
}

/** An error of arguments as later operations word it. */
function inLaterWords(error: unknown): unknown {
  if (!(error instanceof TrellisError)) return error
  const missing = /^the key '(.+)' was not present$/.exec(error.message)
  return missing ? error.saying(`key "${missing[1]}" not found`) : error
}

/** The environment of reading arguments: strictly, as in a dialect that refuses unknown keys. */
function environmentOf({ environment: shared, form, isStrict }: EnvelopeOptions): OperationEnvironment {
  const environment = { ...shared, interface: form.interface }
  const { dialect, format } = environment
  if (!isStrict || !dialect.unknownKeysPass) return environment
  return { ...environment, dialect: { ...dialect, unknownKeysPass: false }, format: format.strictly() }
}

async function decodeArguments(
  { operation, convert }: FoundOperation,
  given: unknown,
  at: readonly PathKey[],
  environment: OperationEnvironment,
): Promise<unknown> {
  const unknownKeys = unknownKeysIn(environment.dialect)
  refuseLarge(operation, given, at)
  if (!operation.decode && !convert) return decode(operation.args, given, at, unknownKeys)
  try {
    const converted = convert ? convert(given) : given
    const decoded = operation.decode ? await operation.decode(converted, environment) : converted
    return decode(operation.args, decoded, [], unknownKeys)
  } catch (error) {
    throw error instanceof TrellisError ? error.at(...at) : error
  }
}

/** Refuses arguments that would be read in one go, and take long. */
function refuseLarge({ mayBeLarge = false }: Operation<TSchema>, given: unknown, at: readonly PathKey[]): void {
  if (mayBeLarge === true) return
  const lists = mayBeLarge || []
  const parts = isJsonObject(given) ? Object.entries(given) : []
  const isList = ([key, value]: readonly [string, unknown]) => lists.includes(key) && Array.isArray(value)
  const [listed, others] = [parts.filter(isList), parts.filter((part) => !isList(part))]
  if (hasMoreValues(listed.length > 0 ? others : given, mostValues)) throw tooManyValues('the arguments have', at)
  for (const [key, elements] of listed as (readonly [string, readonly unknown[]])[]) {
    const large = elements.findIndex((element) => hasMoreValues(element, mostValues))
    if (large >= 0) throw tooManyValues('the element has', [...at, key, large])
  }
}

const envelopeKeys = ['type', 'args', 'version', 'resource_version', 'source']

function refuseUnknownKeys(envelope: object, at: readonly PathKey[]): void {
  const unknown = Object.keys(envelope).find((key) => !envelopeKeys.includes(key))
  if (unknown === undefined) return
  throw parseFailed(`unexpected key "${unknown}"`, [...at, unknown]).with({
    help: didYouMean(unknown, () => envelopeKeys),
  })
}

function required(envelope: Readonly<Record<string, unknown>>, key: string, at: readonly PathKey[]): unknown {
  if (!Object.hasOwn(envelope, key)) throw parseFailed(`key "${key}" not found`, at)
  return envelope[key]
}

/** The arguments without `source`, which any operation takes. An operation that declares such an argument keeps it. */
function withoutSource(
  { args: schema }: Operation<TSchema>,
  args: unknown,
  at: readonly PathKey[],
): { readonly args: unknown; readonly source: string | null } {
  if (!isJsonObject(args) || !Object.hasOwn(args, 'source')) return { args, source: null }
  const declared = schema.properties?.source
  if (declared !== undefined && declared !== SourceName) return { args, source: null }
  const { source, ...others } = args
  return { args: others, source: decode(NamedSource, { source }, at).source ?? null }
}

function readVersion(version: unknown, at: readonly PathKey[]): 1 | 2 | null {
  if (version === undefined || version === null) return null
  if (version === 1 || version === 2) return version
  if (jsonType(version) !== 'Number') {
    const message = `parsing Int failed, expected Number, but encountered ${jsonType(version)}`
    throw parseFailed(message, [...at, 'version'])
  }
  throw parseFailed(`expected 1 or 2, encountered ${JSON.stringify(version)}`, [...at, 'version'])
}

const NamedSource = Type.Object({ source: SourceName })

const ResourceVersion = Type.Object({ resource_version: Type.Optional(Type.Integer()) })

const readResourceVersion = (envelope: object, at: readonly PathKey[]): number | null =>
  decode(ResourceVersion, envelope, at).resource_version ?? null

/** The key of an operation. */
interface OperationKey {
  readonly type: string
  readonly version: number
}

function unknownType(
  { type, version }: OperationKey,
  registry: OperationRegistry,
  at: readonly PathKey[],
): TrellisError {
  const all = registry.all().map(({ operation }) => operation)
  const known = all.flatMap((each) => ((each.version ?? 1) === version ? [each.type] : []))
  const help = all.some((each) => each.type === type)
    ? () => ({ hint: `"${type}" exists, in another version` })
    : didYouMeanOneOf(type, () => known)
  return badRequest('parse-failed', `unknown type ${JSON.stringify(type)}`, { path: at, help })
}

/** A call and all calls nested in it. */
export const withMembers = (call: Call): readonly Call[] => [call, ...(call.members?.flatMap(withMembers) ?? [])]

/** Refuses operations that the session may not call, including members. */
export function authorize(call: Call, session: Session): void {
  for (const each of withMembers(call)) {
    refuseOthers(each.operation, session)
    if (!session.readOnly || each.members) continue
    const { type, forReaders = !mayChange(each) } = each.operation
    if (!forReaders) throw badRequest('access-denied', `the read secret does not allow "${type}"`, { path: ['args'] })
  }
}

/** Refuses callers other than an administrator, unless the operation is open to them. */
function refuseOthers(operation: Operation<TSchema>, session: Session): void {
  if (isAdmin(session) || operation.adminOnly === false) return
  throw badRequest('access-denied', 'restricted access : admin only', { path: ['args'] })
}

/** Limits the members of callers other than administrators: with many, one transaction would stay open for long. */
export function limitMembers(call: Call, session: Session, limit: CostLimit): void {
  if (!call.members || isAdmin(session)) return
  new RequestCost(limit).add(rootCost * (withMembers(call).length - 1), below(null, 'args'))
}

/** Whether the operation itself edits the metadata. */
export function editsMetadata({ operation, args }: Call): boolean {
  const { editsMetadata: edits = true } = operation
  return typeof edits === 'function' ? edits(args) : edits
}

/** Whether it, or a member, answers although one of its members fails. */
export const keepsGoing = (call: Call): boolean => withMembers(call).some(({ operation }) => operation.keepsGoing)

/** Whether a call may change something: the metadata, rows or events. */
export function mayChange(call: Call): boolean {
  const { operation, members } = call
  if (members) return members.some(mayChange)
  return !operation.onlyReads && (editsMetadata(call) || accessMode(call) === 'READ WRITE')
}

/** The metadata versions that a request and its nested requests expect before they change something. */
export const expectedVersions = (call: Call): readonly number[] =>
  withMembers(call).flatMap((each) => (each.resourceVersion !== null && mayChange(each) ? each.resourceVersion : []))

/** The milliseconds after which a call is ended; null: no limit. */
export function timeLimitOf({ operation: { timeLimit }, args }: Call): number | null {
  return (typeof timeLimit === 'function' ? timeLimit(args) : timeLimit) ?? null
}

/** Refuses a call that cannot run within another request without editing the metadata. */
export function refuseUntried(call: Call): void {
  const { type } = call.operation
  const refused = (message: string) => badRequest('not-supported', message, { path: ['args'] })
  if (accessMode(call) === 'none' || call.operation.rollsBack)
    throw refused(`"${type}" cannot be a member of another request`)
  if (withMembers(call).some(editsMetadata)) throw refused(`"${type}" edits the metadata: it belongs to the changes`)
}

/** The tables that the members of a call refer to, as far as they are known. */
export function namedTables(call: Call): readonly QualifiedName[] {
  if (!call.members) return []
  return withMembers(call).flatMap(({ operation, args }) => operation.object?.(args).table ?? [])
}

/** The requirement on the transaction; refuses a call whose members' requirements differ. */
export function accessMode({ operation, args, members }: Call): AccessMode {
  const { access = 'READ WRITE' } = operation
  let expected = typeof access === 'function' ? access(args) : access
  for (const member of members ?? []) {
    const mode = accessMode(member)
    if (mode === 'none' || member.operation.rollsBack) {
      const message = `"${member.operation.type}" cannot be a member of another request`
      throw badRequest('not-supported', message, { path: ['args', ...member.at] })
    }
    if (operation.onlyMembersThatRead) {
      if (!mayChange(member)) continue
      throw internalError(`Only read-only queries are allowed in a ${operation.type}`, { path: ['args'] })
    }
    if (operation.mixesAccess) {
      if (mode === 'READ WRITE' || expected === 'any') expected = mode
      continue
    }
    if (expected !== 'any' && mode !== 'any' && mode !== expected) {
      const problem = `incompatible access mode requirements in ${operation.type} query`
      const place = pathText(['args', ...member.at])
      throw badRequest('bad-request', `${problem}, expected access mode: ${expected} but ${place} forces ${mode}`)
    }
    if (expected === 'any') expected = mode
  }
  return expected
}
