// Runs the entries of an area over real HTTP: effects and refusals of each operation. A refused request must change
// nothing.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { TSchema } from '@sinclair/typebox'
import type { GivenSettings } from '../../core/engine/options.ts'
import { pathText } from '../../core/errors/path.ts'
import type { Operation } from '../../core/operations/operation.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { type Shapes, shapesOf } from './api.ts'
import { exported } from './effects.ts'
import { type Area, type Call, type OperationEntry, operationName, type Refusal, type Success } from './entry.ts'
import type { Malformed, OperationShape } from './malformed.ts'
import { stateOf } from './state.ts'
import { asCall, inOtherDialect, prepareWorld, registered, startWorld, take, type World } from './world.ts'

/** Declares the tests of an area. */
export function testOperations(area: Area): void {
  test(area.title, async (t) => {
    const start = worldsOf(t, area)
    // Requests that change nothing can share one server.
    const world = await start(t)
    const tolerant = await start(t, { dialect: 'hasura' })
    const shared = { start, world, tolerant, state: await stateOf(world) }
    for (const entry of area.operations) await t.test(operationName(entry), (t) => checkOperation(t, entry, shared))
  })
}

/** A server with the descriptions of its operations. */
interface DescribedWorld extends World {
  readonly shapes: Shapes
}

type StartWorld = (t: TestContext, settings?: GivenSettings) => Promise<DescribedWorld>

/** Starts servers of an area. Their database is prepared, and their description read, once for the same settings. */
function worldsOf(t: TestContext, area: Area): StartWorld {
  const prepared = new Map<string, ReturnType<typeof prepareWorld>>()
  const described = new Map<string, Shapes>()
  return async (of, settings = {}) => {
    const options = { area, settings }
    const key = JSON.stringify(settings)
    const server = prepared.get(key) ?? prepareWorld(t, options)
    prepared.set(key, server)
    const world = await startWorld(of, options, await server)
    const shapes = described.get(key) ?? (await shapesOf(world))
    described.set(key, shapes)
    return { ...world, shapes }
  }
}

/** A server that refuses requests, and its state before them. */
interface Shared {
  readonly start: StartWorld
  readonly world: DescribedWorld
  /** A second server, in the dialect that ignores unknown keys of arguments. */
  readonly tolerant: DescribedWorld
  readonly state: unknown
}

async function checkOperation(t: TestContext, entry: OperationEntry, shared: Shared): Promise<void> {
  for (const success of entry.succeeds) {
    await t.test(success.title, async (t) => checkSuccess(await worldOf(t, shared, success), entry, success))
  }
  await checkRefusals(t, entry, shared)
}

const envelope = ({ type, version }: OperationEntry, args: unknown): Call => ({
  type,
  args,
  ...(version !== undefined && { version }),
})

const ask = ({ request }: TestTrellis, call: unknown, as: { readonly role?: string | null } = {}) =>
  request<Readonly<Record<string, unknown>>>('/v1/query', { ...as, body: call })

async function worldOf(t: TestContext, { start }: Shared, { given = [], settings }: Success | Refusal) {
  const world = await start(t, settings)
  for (const step of given) await take(world, step)
  return world
}

async function checkSuccess(world: DescribedWorld, entry: OperationEntry, success: Success): Promise<void> {
  const { status, body, headers } = await ask(world, envelope(entry, success.args), success)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  checkDescribed(world.shapes(entry), success.args, body)
  const { answers = { message: 'success' } } = success
  if (typeof answers === 'function') answers(body)
  else assert.deepEqual(body, answers)
  for (const effect of success.then ?? []) await effect(world)
  await checkRoundTrip(world)
}

/** The API's description allows the request and its answer. */
function checkDescribed(shape: OperationShape, args: unknown, body: unknown): void {
  assert.ok(shape.fits(args), 'its schema refuses the arguments')
  assert.equal(shape.answerFault(body), null)
}

/** The configuration can be exported and imported again. */
async function checkRoundTrip(world: World): Promise<void> {
  const report = await world.op<{ length?: number; is_consistent?: boolean }>('get_inconsistent_metadata', {})
  if (report.length !== 0 && report.is_consistent !== true) return
  const document = await exported(world)
  await world.op('replace_metadata', document)
  assert.deepEqual(await exported(world), document)
}

async function checkRefusals(t: TestContext, entry: OperationEntry, shared: Shared): Promise<void> {
  const { world, state } = shared
  const [sample] = entry.succeeds
  const found = registered(world.operations, entry)
  assert.ok(found, 'the operation is not registered')
  const shape = world.shapes(entry)
  for (const refusal of entry.refuses) {
    await t.test(`refuses ${refusal.title}`, (t) => checkRefusal(t, { entry, refusal, shared, shape }))
  }
  await t.test('refuses malformed arguments and unknown ones', async () => {
    assert.deepEqual(shape.requiredOf(sample.args), entry.requires ?? [])
    await checkMalformed(world, entry, shape.malformed(sample.args))
    for (const { args } of entry.succeeds) await checkMalformed(world, entry, shape.withOneStrangeKey(args))
  })
  await t.test('refuses a bulk', () => checkRolledBack(world, entry, sample, sample.args))
  await t.test('refuses malformed arguments in the other dialect, and ignores unknown ones', async () => {
    const { tolerant } = shared
    const its = tolerant.shapes(entry)
    const args = inOtherDialect(sample.args)
    await checkMalformed(tolerant, entry, its.malformed(args))
    await checkRolledBack(tolerant, entry, sample, its.withStrangeKeys(args))
  })
  await t.test('checks versions, roles and the envelope', async () => {
    await checkEnvelope(world, entry, sample)
    if (!isReader(found.operation, sample.args)) await checkStale(world, entry, sample)
    assert.equal(found.operation.adminOnly !== false, !entry.anyRole)
  })
  // Read once per operation, since reading it takes longer than a refusal.
  await t.test('leaves the state as it was before all refusals', async () =>
    assert.deepEqual(await stateOf(world), state),
  )
}

interface RefusalCheck {
  readonly entry: OperationEntry
  readonly refusal: Refusal
  readonly shared: Shared
  readonly shape: OperationShape
}

async function checkRefusal(t: TestContext, { entry, refusal, shared, shape }: RefusalCheck): Promise<void> {
  const isShared = !refusal.given && !refusal.settings
  const world = isShared ? shared.world : await worldOf(t, shared, refusal)
  const state = isShared ? null : await stateOf(world)
  const { status, body } = await ask(world, envelope(entry, refusal.args), refusal)
  const { internal, ...answer } = body
  const { code, error, path = code === 'parse-failed' ? '$' : '$.args' } = refusal
  if (typeof error !== 'string') assert.match(String(answer['error']), error)
  const { hint } = refusal
  const expected = {
    ...{ path, error: typeof error === 'string' ? error : answer['error'], code },
    ...(hint !== undefined && { hint }),
  }
  assert.deepEqual({ status, ...answer }, { status: refusal.status ?? 400, ...expected })
  if ('internal' in refusal) assert.deepEqual(internal, refusal.internal)
  if (code === 'parse-failed') assert.equal(shape.fits(refusal.args), refusal.fits === true, 'what its schema says')
  if (state) assert.deepEqual(await stateOf(world), state)
}

/** The API's description and the server agree on malformed arguments, and the server reports the path. */
async function checkMalformed(world: World, entry: OperationEntry, all: readonly Malformed[]): Promise<void> {
  const problems: string[] = []
  for (const malformed of all) {
    const { status, body } = await ask(world, envelope(entry, malformed.args))
    const here = pathText(malformed.path)
    const own = entry.ownWords?.find((place) => isBelow(here, place))
    const isTold = status === 400 && body['code'] === 'parse-failed' && isBelow(String(body['path']), own ?? here)
    const words =
      own === undefined && malformed.missing !== undefined ? missingKey(entry, malformed.missing, here) : null
    if (!isTold || (words !== null && body['error'] !== words)) {
      problems.push(`${malformed.what}: ${status} ${JSON.stringify(body)}`)
    }
  }
  assert.deepEqual(problems, [])
}

const isBelow = (path: string, place: string): boolean =>
  path === place || (path.startsWith(place) && /^[.[]/.test(path.slice(place.length)))

function missingKey({ notFound = {} }: OperationEntry, key: string, path: string): string {
  const keys = notFound[path] ?? []
  return keys === true || keys.includes(key) ? `key "${key}" not found` : `the key '${key}' was not present`
}

/** Runs the request, and then one that is refused: no trace of either may remain. */
async function checkRolledBack(
  world: World,
  entry: OperationEntry,
  { given = [] }: Success,
  args: unknown,
): Promise<void> {
  const strange = { ...envelope(entry, args), 'no such key': 1 }
  const refused = { type: 'untrack_table', args: { table: 'no such table' } }
  const members = [...given.map(asCall), strange, refused]
  const { status, body } = await ask(world, { type: 'bulk', args: members })
  const { access, rollsBack } = registered(world.operations, entry)!.operation
  if (access === 'none' || rollsBack) {
    const error = `"${entry.type}" cannot be a member of another request`
    const path = `$.args[${members.length - 2}]`
    assert.deepEqual({ status, body }, { status: 400, body: { path, error, code: 'not-supported' } })
    return
  }
  const error = 'view/table already untracked : "no such table"'
  const path = `$.args[${members.length - 1}].args`
  assert.deepEqual({ status, body }, { status: 400, body: { path, error, code: 'already-untracked' } })
}

function isReader({ members, onlyReads, access }: Operation<TSchema>, args: unknown): boolean {
  if (members || onlyReads === true || access === 'none') return true
  return (typeof access === 'function' ? access(args) : access) === 'any'
}

/** A request that may change something is refused if it expects another version of the metadata. */
async function checkStale(world: World, entry: OperationEntry, { args }: Success): Promise<void> {
  const { status, body } = await ask(world, { ...envelope(entry, args), resource_version: 99_999 })
  const error = 'metadata resource version referenced (99999) did not match current version'
  assert.deepEqual({ status, body }, { status: 409, body: { path: '$', error, code: 'conflict' } })
}

async function checkEnvelope(world: World, entry: OperationEntry, { args }: Success): Promise<void> {
  const call = envelope(entry, args)
  const refused = async (body: unknown, answer: object, as: { readonly role?: string | null } = {}) => {
    const { status, body: given } = await ask(world, body, as)
    assert.deepEqual({ status, ...given }, { status: 400, ...answer })
  }
  const { type, version = 1 } = entry
  const malformed = (path: string, error: string) => ({ path, error, code: 'parse-failed' })
  await refused({ ...call, version: 3 }, malformed('$.version', 'expected 1 or 2, encountered 3'))
  const noNumber = 'parsing Int failed, expected Number, but encountered String'
  await refused({ ...call, version: '1' }, malformed('$.version', noNumber))
  const { args: _, ...noArgs } = call
  await refused(noArgs, malformed('$', 'key "args" not found'))
  await refused({ args, version }, malformed('$', 'key "type" not found'))
  const other = version === 1 ? 2 : 1
  if (!registered(world.operations, { type, version: other })) {
    const { status, body } = await ask(world, { ...call, version: other })
    assert.deepEqual([status, body['code'], body['path']], [400, 'parse-failed', '$'])
    assert.ok(String(body['error']).includes(`"${type}"`), String(body['error']))
  }
  if (entry.anyRole) return
  const denied = { error: 'restricted access : admin only', code: 'access-denied' }
  await refused(call, { path: '$.args', ...denied }, { role: 'reader' })
  await refused({ type: 'bulk', args: [call] }, { path: '$.args', ...denied }, { role: 'reader' })
}
