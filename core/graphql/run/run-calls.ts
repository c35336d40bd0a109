// Runs calls and the steps that depend on their results: statements that add to them, and joins, level by level. All
// calls of a level run at once, and calls of one group run as one.

import { givenRowsSlot } from '../../compiler/print/given-rows-sql.ts'
import { bindParams } from '../../compiler/run/bind.ts'
import { unlessAborted } from '../../concurrency/aborting.ts'
import type { PreparedStatement } from '../../database/sql/prepared-statement.ts'
import type { Transaction } from '../../database/transaction.ts'
import { blame } from '../../errors/blame.ts'
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
  /** Aborts when the results are no longer needed. */
  readonly signal: AbortSignal | null
  /** The operation's transaction, once it has begun. */
  readonly transaction: Transaction | null
  /** Runs a statement that depends on rows. */
  readonly read: (statement: PreparedStatement, values: readonly (string | null)[]) => Promise<Buffer | null>
}

/** A call to run, and the places of its results: one for each row, or a single one. */
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

/** Joins of rows. The places of their values contain the columns that they need. Joins without rows are omitted. */
export function joinRuns(
  joins: readonly JoinStep[],
  from: Omit<WayTo, 'fields'>,
  top: FieldSelection | null,
): CallRun[] {
  return joins.flatMap((step) => {
    const found = placesOf({ ...from, fields: fieldsTo(step.field, top) })
    const { mark } = step
    const places = mark === null ? found : found.filter((place) => isMarked(valueAt(place), mark))
    const rows = places.map((place) => valueAt(place) as NeededRow)
    return rows.length > 0 ? [{ step, rows, places }] : []
  })
}

const isMarked = (value: unknown, mark: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, mark)

/** Runs calls, then the calls that depend on their results, until none are left. */
export async function runLevels(calls: readonly CallRun[], run: Run): Promise<void> {
  let level = calls
  const { answer } = run
  while (level.length > 0 && !answer.isNull && answer.whole === null) level = await runCalls(level, run)
}

/** Runs calls at once; returns the calls that depend on them. */
export async function runCalls(calls: readonly CallRun[], run: Run): Promise<CallRun[]> {
  const next = await Promise.all(inGroups(calls).map((together) => runGroup(together, run)))
  return next.flat()
}

/** Sorts calls into those that run as one; a call without a group runs alone. */
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
    blame(error, calls[0]!.step.planner)
    if (signal?.aborted || !calls.every(({ step }) => step.planner.partial)) throw error
    results = calls.map(() => new Failure(error))
  }
  const next = await Promise.all(calls.map((call, i) => settleCall(call, results[i], run)))
  return next.flat()
}

/** The reason why a call has no result. */
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
    if (!isWhole) throw internalError('a call returned a whole answer, but it provides only a part')
    run.answer.whole = results.body
    run.answer.takeHeaders(results.headers)
    return calls.map(() => null)
  }
  if (results.length !== calls.length) throw internalError('a group returned a wrong number of results')
  return results
}

function resolve({ step, rows, places }: CallRun, run: Run): unknown {
  const call = callOf({ step, rows, places }, run)
  if (!step.isJoin) return step.planner.resolve?.(call)
  return step.planner.resolve?.(rows ?? [], call)
}

/** The argument of a call's `run`. */
export function callOf({ step, rows }: CallRun, { context, argumentsOf, signal, transaction }: Run): GroupedCall {
  const { field, plan } = step
  const { prepared, variables, session, headers, requestId } = context
  const { operation } = prepared
  const given = { field, args: argumentsOf(field), plan, argumentsOf, rows }
  return { ...given, operation, variables, session, headers, requestId, signal, transaction }
}

/** Stores the results of a call and runs the statements that add to them; returns the calls that depend on them. */
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

/** The values of a call, one for each row. A list of another length cannot be assigned to rows. */
function valuesOf(rows: readonly NeededRow[], result: unknown, { field }: CallStep): readonly unknown[] {
  if (Array.isArray(result) && result.length === rows.length) return result
  const message = `expecting a list with a value for each row for field "${field.name}"`
  throw internalError(message, { path: pathKeys(field.path) })
}

/** Stores the results of one call. */
class Settling {
  readonly #step: CallStep
  readonly #run: Run
  readonly #completion: Completion
  /** The places where the current result has its own errors. */
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

  /** The objects with members that have another executor. */
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

/** Adds an error for each place of a call, or fails the operation with it. */
function fail(error: unknown, { step, places }: Pick<CallRun, 'step' | 'places'>, { answer, context }: Run): void {
  if (!step.planner.partial) throw error
  if (mayPass(error)) answer.isLacking = true
  const shown = shownError(error, step, context)
  for (const place of places) {
    answer.errors.push({ ...shown, path: keysOf(place) })
    answer.clear(place)
  }
}

/** Whether an error is not the fault of the request. */
const mayPass = (error: unknown): boolean => !(error instanceof TrellisError) || error.status >= 500

/** An error as listed next to the data; an error without a path is located at the field. */
function shownError(error: unknown, { field }: CallStep, { toAnswerable, showInternal }: ExecutionContext): object {
  const answerable = toAnswerable(error)
  const located = answerable.path.length === 0 ? answerable.at(...pathKeys(field.path)) : answerable
  return graphqlError(located, showInternal)
}

const startsWith = (keys: readonly unknown[], beginning: readonly unknown[]): boolean =>
  beginning.every((key, i) => keys[i] === key)

/**
 * Answers the members that have another executor; returns the calls among them, and calls that depend on their rows.
 */
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
  let text: Buffer | null
  try {
    text = await run.read(step.statement, bindParams(step.statement.params, { ...run.context, slots }))
  } catch (error) {
    failMembers(error, { related, found, step, run })
    return next
  }
  const lists = parseJson(text ?? 'null', 'lossless') as readonly (readonly unknown[])[]
  for (const { field, index, joins } of related) {
    for (const [i, { place }] of (found.get(field) ?? []).entries()) setAt(place, lists[index]![i])
    next.push(...joinsOf(joins, found.get(field) ?? [], field))
  }
  return next
}

interface FailedMembers {
  readonly related: readonly RelationalMember[]
  readonly found: ReadonlyMap<FieldSelection, readonly FoundObject[]>
  readonly step: CallStep
  readonly run: Run
}

/** Adds an error for each member if an object has a value that its column cannot have; throws any other error. */
function failMembers(error: unknown, { related, found, step, run }: FailedMembers): void {
  const isOfValues = run.context.toAnswerable(error).code === 'data-exception'
  if (!isOfValues || !step.planner.partial || run.transaction) throw error
  for (const { field } of related) {
    const places = (found.get(field) ?? []).map(({ place }) => place)
    fail(error, { step: { ...step, field }, places }, run)
  }
}

/** The joins of rows within members of several objects: one call serves all of them. */
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
