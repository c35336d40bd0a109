// Runs calls, and what waits for their results: what the database adds to them, and joins, level by level. All of a level
// run at once, those of one group as one.

import { givenRowsSlot } from '../../compiler/print/given-rows-sql.ts'
import { bindParams } from '../../compiler/run/bind.ts'
import { unlessAborted } from '../../concurrency/aborting.ts'
import type { PreparedStatement } from '../../database/sql/prepared-statement.ts'
import type { Transaction } from '../../database/transaction.ts'
import { graphqlError, internalError, TrellisError } from '../../errors/errors.ts'
import { type PathKey, pathKeys } from '../../errors/path.ts'
import { parseJson } from '../../json/json.ts'
import type { CallStep, JoinStep, MemberStep, RelationalMember } from '../plan/steps.ts'
import type { BoundArguments } from '../read/arguments.ts'
import type { FieldSelection } from '../read/selection.ts'
import {
  type AnswerExtras,
  Answered,
  type CallGroup,
  type GroupedCall,
  type NeededRow,
  WholeAnswer,
} from '../schema/call.ts'
import {
  type Answer,
  fieldsTo,
  type JsonObject,
  keysOf,
  type Place,
  placeIn,
  placesOf,
  setAt,
  valueAt,
  type WayTo,
} from './answer.ts'
import { Completion, type FoundObject } from './complete.ts'
import type { ExecutionContext } from './execution-context.ts'

/** A run of an operation that has calls. */
export interface Run {
  readonly context: ExecutionContext
  readonly answer: Answer
  readonly argumentsOf: BoundArguments
  /** Aborts when nobody waits for the results any more. */
  readonly signal: AbortSignal | null
  /** The operation's, where it has begun. */
  readonly transaction: Transaction | null
  /** Runs a statement that waits for rows. */
  readonly read: (statement: PreparedStatement, values: readonly (string | null)[]) => Promise<Buffer | null>
}

/** A call that is to run, and where its results go: one for each row, or the only one. */
export interface CallRun {
  readonly step: CallStep
  readonly rows: readonly NeededRow[] | null
  readonly places: readonly Place[]
}

/** A root call, whose value becomes a member of the object. */
export const rootRun = (step: CallStep, holder: JsonObject): CallRun => {
  const { responseName, definition } = step.field
  return { step, rows: null, places: [placeIn(holder, responseName, { type: definition!.type, above: null })] }
}

/** Joins of rows, the columns that they need being in the places of their values; those without rows are left out. */
export function joinRuns(
  joins: readonly JoinStep[],
  from: Omit<WayTo, 'fields'>,
  top: FieldSelection | null,
): CallRun[] {
  return joins.flatMap((step) => {
    const places = placesOf({ ...from, fields: fieldsTo(step.field, top) })
    const rows = places.map((place) => valueAt(place) as NeededRow)
    return rows.length > 0 ? [{ step, rows, places }] : []
  })
}

/** Runs calls, then those that wait for their results, until there are none. */
export async function runLevels(calls: readonly CallRun[], run: Run): Promise<void> {
  let level = calls
  const { answer } = run
  while (level.length > 0 && !answer.isNull && answer.whole === null) level = await runCalls(level, run)
}

/** Runs calls at once; those that wait for their results. */
export async function runCalls(calls: readonly CallRun[], run: Run): Promise<CallRun[]> {
  const next = await Promise.all(inGroups(calls).map((together) => runGroup(together, run)))
  return next.flat()
}

/** The calls that run as one; without a group each is alone. */
function inGroups(calls: readonly CallRun[]): CallRun[][] {
  const groups = new Map<CallGroup | CallRun, CallRun[]>()
  for (const call of calls) {
    const key = call.step.planner.group ?? call
    const group = groups.get(key)
    if (group) group.push(call)
    else groups.set(key, [call])
  }
  return [...groups.values()]
}

async function runGroup(calls: readonly CallRun[], run: Run): Promise<CallRun[]> {
  const { signal } = run
  signal?.throwIfAborted()
  let results: readonly unknown[]
  try {
    results = await unlessAborted(signal, resultsOf(calls, run))
  } catch (error) {
    if (signal?.aborted || !calls.every(({ step }) => step.planner.partial)) throw error
    results = calls.map(() => new Failure(error))
  }
  const next = await Promise.all(calls.map((call, i) => settleCall(call, results[i], run)))
  return next.flat()
}

/** Why a call has no result. */
class Failure {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

async function resultsOf(calls: readonly CallRun[], run: Run): Promise<readonly unknown[]> {
  const { group } = calls[0]!.step.planner
  if (!group) return [await resolve(calls[0]!, run)]
  const isWhole = calls[0]!.rows === null && run.context.prepared.soleGroup === group
  const results = await group.run(
    calls.map((call) => callOf(call, run)),
    isWhole,
  )
  if (results instanceof WholeAnswer) {
    if (!isWhole) throw internalError('a call that is a part of the answer gave all of it')
    run.answer.whole = results.body
    run.answer.takeHeaders(results.headers)
    return calls.map(() => null)
  }
  if (results.length !== calls.length) throw internalError('a group of calls gave another number of results')
  return results
}

function resolve({ step, rows, places }: CallRun, run: Run): unknown {
  const call = callOf({ step, rows, places }, run)
  if (!step.isJoin) return step.planner.resolve?.(call)
  return step.planner.resolve?.(rows ?? [], call)
}

/** What a call is given. */
export function callOf({ step, rows }: CallRun, { context, argumentsOf, signal, transaction }: Run): GroupedCall {
  const { field, plan } = step
  const { prepared, variables, session, headers } = context
  const { operation } = prepared
  const given = { field, args: argumentsOf(field), plan, argumentsOf, rows }
  return { ...given, operation, variables, session, headers, signal, transaction }
}

/** Puts the results of a call into their places, and has the database add to them; the calls that wait for them. */
export async function settleCall(call: CallRun, result: unknown, run: Run): Promise<CallRun[]> {
  if (run.answer.whole !== null) return []
  const { step, places, rows } = call
  if (result instanceof Error || result instanceof Failure) {
    fail(result instanceof Failure ? result.error : result, call, run)
    return []
  }
  const results = rows === null ? null : valuesOf(rows, result, step)
  const settling = new Settling(step, run)
  for (const [i, place] of places.entries()) settling.settle(results ? results[i] : result, place)
  return addMembers(step.members, settling.found, { step, run })
}

/** The values that a call gives for rows. Of a list of another length nobody knows whose they are. */
function valuesOf(rows: readonly NeededRow[], result: unknown, { field }: CallStep): readonly unknown[] {
  if (Array.isArray(result) && result.length === rows.length) return result
  const message = `expecting a list with a value for each row for field "${field.name}"`
  throw internalError(message, { path: pathKeys(field.path) })
}

/** Puts the results of one call into their places. */
class Settling {
  readonly #step: CallStep
  readonly #run: Run
  readonly #completion: Completion
  /** Where the result that is being settled has errors of its own. */
  #given: readonly PathKey[][] = []

  constructor(step: CallStep, run: Run) {
    this.#step = step
    this.#run = run
    const { context } = run
    const { members, planner } = step
    const byResponseName = planner.membersBy === 'response name'
    const refuse = (error: TrellisError, at: Place) => this.#refuse(error, at)
    this.#completion = new Completion({ schema: context.schema, members, byResponseName, refuse })
  }

  /** What was met of members that others answer. */
  get found(): ReadonlyMap<FieldSelection, readonly FoundObject[]> {
    return this.#completion.found
  }

  settle(result: unknown, place: Place): void {
    const { field, planner } = this.#step
    const { answer } = this.#run
    const value = result instanceof Answered ? result.value : result
    const extras = result instanceof Answered ? result.extras : noExtras
    if (value instanceof Error) {
      fail(value, { step: this.#step, places: [place] }, this.#run)
      return
    }
    answer.take(extras, field, place)
    if (answer.isNull) return
    this.#given = extras.errors?.map(({ path }) => [...keysOf(place), ...(path ?? [])]) ?? []
    const isCompleted = planner.completed
      ? this.#completion.take(value, field, place)
      : this.#completion.complete(value, field, place)
    if (!isCompleted) answer.clear(place)
  }

  #refuse(error: TrellisError, at: Place): void {
    const given = this.#given
    if (given.some((keys) => startsWith(keys, keysOf(at)))) return
    if (!this.#step.planner.partial && given.length === 0) throw error
    const { answer, context } = this.#run
    answer.errors.push({ ...shownError(error, this.#step, context), path: keysOf(at) })
  }
}

const noExtras: AnswerExtras = {}

/** Lists an error for each place of a call, or ends the operation with it. */
function fail(error: unknown, { step, places }: Pick<CallRun, 'step' | 'places'>, { answer, context }: Run): void {
  if (!step.planner.partial) throw error
  if (mayPass(error)) answer.isLacking = true
  const shown = shownError(error, step, context)
  for (const place of places) {
    answer.errors.push({ ...shown, path: keysOf(place) })
    answer.clear(place)
  }
}

/** Whether an error is none of the request's. */
const mayPass = (error: unknown): boolean => !(error instanceof TrellisError) || error.status >= 500

/** An error of ours as it is listed beside the data; one that nobody located is the field's. */
function shownError(error: unknown, { field }: CallStep, { toAnswerable, showInternal }: ExecutionContext): object {
  const answerable = toAnswerable(error)
  const located = answerable.path.length === 0 ? answerable.at(...pathKeys(field.path)) : answerable
  return graphqlError(located, showInternal)
}

const startsWith = (keys: readonly unknown[], beginning: readonly unknown[]): boolean =>
  beginning.every((key, i) => keys[i] === key)

/** Has the members answered that are not the call's own; the calls among them, and those that wait for rows. */
async function addMembers(
  members: ReadonlyMap<FieldSelection, MemberStep>,
  found: ReadonlyMap<FieldSelection, readonly FoundObject[]>,
  { step, run }: { readonly step: CallStep; readonly run: Run },
): Promise<CallRun[]> {
  if (found.size === 0) return []
  const next: CallRun[] = []
  const related: RelationalMember[] = []
  for (const [field, member] of members) {
    const objects = found.get(field)
    if (member.kind === 'relational') related.push(member)
    else if (objects) {
      const rows = objects.map(({ object }) => pick(object, member.step.planner.needs))
      next.push({ step: member.step, rows, places: objects.map(({ place }) => place) })
    }
  }
  if (!step.statement || !related.some(({ field }) => found.has(field))) return next
  const given = related.map(({ field, needs }) => {
    return JSON.stringify((found.get(field) ?? []).map(({ object }) => pick(object, needs)))
  })
  const slots: string[][] = []
  slots[givenRowsSlot] = given
  const text = await run.read(step.statement, bindParams(step.statement.params, { ...run.context, slots }))
  const lists = parseJson(text ?? 'null', 'lossless') as readonly (readonly unknown[])[]
  for (const { field, index, joins } of related) {
    for (const [i, { place }] of (found.get(field) ?? []).entries()) setAt(place, lists[index]![i])
    next.push(...joinsOf(joins, found.get(field) ?? [], field))
  }
  return next
}

/** The joins of rows that stand in the members of several objects: each is one call for all of them. */
function joinsOf(joins: readonly JoinStep[], objects: readonly FoundObject[], field: FieldSelection): CallRun[] {
  return joins.flatMap((step) => {
    const runs = objects.flatMap(({ place: { holder, above } }) => {
      return Array.isArray(holder) ? [] : joinRuns([step], { holder, above }, field)
    })
    if (runs.length === 0) return []
    return [{ step, rows: runs.flatMap(({ rows }) => rows ?? []), places: runs.flatMap(({ places }) => places) }]
  })
}

const pick = (object: Readonly<JsonObject>, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, Object.hasOwn(object, name) ? object[name] : null]))
