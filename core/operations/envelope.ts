// From a request's JSON to calls of operations, and what can be said about them before anything runs.

import type { TSchema } from '@sinclair/typebox'
import { badRequest, parseFailed, TrellisError } from '../errors/errors.ts'
import { didYouMean } from '../errors/nearest.ts'
import type { PathKey } from '../errors/path.ts'
import { jsonType } from '../json/json.ts'
import type { QualifiedName } from '../names/names.ts'
import { isAdmin, type Session } from '../session/session.ts'
import { bulk } from './bulk.ts'
import { decode } from './decode.ts'
import type { AccessMode, Operation } from './operation.ts'
import type { OperationRegistry } from './registry.ts'

/** One operation to run, with decoded arguments. */
export interface Call {
  readonly operation: Operation<TSchema>
  readonly args: unknown
  /** The calls of a bulk; null for every other operation. */
  readonly members: readonly Call[] | null
}

/** Decodes `{type, args, version?}`; throws `parse-failed` with the path that the wire knows, args written as `$`. */
export async function decodeEnvelope(
  body: unknown,
  registry: OperationRegistry,
  at: readonly PathKey[] = [],
): Promise<Call> {
  if (jsonType(body) !== 'Object') {
    throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(body)}`, at)
  }
  const envelope = body as Readonly<Record<string, unknown>>
  const type = required(envelope, 'type', at)
  if (typeof type !== 'string') {
    throw parseFailed(`parsing Text failed, expected String, but encountered ${jsonType(type)}`, [...at, 'type'])
  }
  const operation = registry.find(type, readVersion(envelope.version, at))
  if (!operation) throw unknownType(type, registry, at)
  const given = required(envelope, 'args', at)
  if (operation === bulk) {
    const members: Call[] = []
    for (const [i, member] of decode(bulk.args, given, at).entries()) {
      members.push(await decodeEnvelope(member, registry, [...at, i]))
    }
    return { operation, args: given, members }
  }
  return { operation, args: await decodeArguments(operation, given, at), members: null }
}

async function decodeArguments(
  operation: Operation<TSchema>,
  given: unknown,
  at: readonly PathKey[],
): Promise<unknown> {
  if (!operation.decode) return decode(operation.args, given, at)
  try {
    return decode(operation.args, await operation.decode(given))
  } catch (error) {
    throw error instanceof TrellisError ? error.at(...at) : error
  }
}

function required(envelope: Readonly<Record<string, unknown>>, key: string, at: readonly PathKey[]): unknown {
  if (!Object.hasOwn(envelope, key)) throw parseFailed(`key "${key}" not found`, at)
  return envelope[key]
}

function readVersion(version: unknown, at: readonly PathKey[]): number {
  if (version === undefined || version === null) return 1
  if (version === 1 || version === 2) return version
  if (jsonType(version) !== 'Number') {
    const message = `parsing Int failed, expected Number, but encountered ${jsonType(version)}`
    throw parseFailed(message, [...at, 'version'])
  }
  throw parseFailed(`expected 1 or 2, encountered ${JSON.stringify(version)}`, [...at, 'version'])
}

function unknownType(type: string, registry: OperationRegistry, at: readonly PathKey[]): TrellisError {
  const known = [...new Set(registry.all().map(({ operation }) => operation.type))]
  const message = `unknown type ${JSON.stringify(type)}, expected one of: ${known.join(', ')}`
  const help = known.includes(type)
    ? () => ({ hint: `"${type}" exists, in another version` })
    : didYouMean(type, () => known)
  return badRequest('parse-failed', message, { path: at, help })
}

/** Refuses operations that the session may not call, members of a bulk included. */
export function authorize(call: Call, session: Session): void {
  if (isAdmin(session) || leaves(call).every(({ operation }) => operation.adminOnly === false)) return
  throw badRequest('access-denied', 'restricted access : admin only', { path: ['args'] })
}

/** Whether any part of the call edits the metadata. */
export function editsMetadata(call: Call): boolean {
  if (call.members) return call.members.some(editsMetadata)
  const { editsMetadata: edits = true } = call.operation
  return typeof edits === 'function' ? edits(call.args) : edits
}

/** The tables whose objects a bulk is about, as far as its operations tell. */
export function namedTables(call: Call): readonly QualifiedName[] {
  if (!call.members) return []
  return leaves(call).flatMap(({ operation, args }) => operation.object?.(args).table ?? [])
}

/** The requirement on the transaction; refuses a bulk whose members' requirements differ. */
export function accessMode(call: Call): AccessMode {
  if (!call.members) {
    const { access = 'READ WRITE' } = call.operation
    return typeof access === 'function' ? access(call.args) : access
  }
  let expected: AccessMode = 'any'
  for (const [i, member] of call.members.entries()) {
    const mode = accessMode(member)
    if (expected !== 'any' && mode !== 'any' && mode !== expected) {
      const problem = 'incompatible access mode requirements in bulk query'
      throw badRequest('bad-request', `${problem}, expected access mode: ${expected} but $.args[${i}] forces ${mode}`)
    }
    if (expected === 'any') expected = mode
  }
  return expected
}

const leaves = (call: Call): readonly Call[] => call.members?.flatMap(leaves) ?? [call]
