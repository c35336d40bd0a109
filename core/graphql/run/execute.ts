// Runs a planned operation and assembles the bytes of the answer. Nearly all operations consist of a single statement.
// Those have no steps: their bytes are forwarded unchanged.

import type { DirectProgram } from '../../compiler/print/mutation-program.ts'
import { inMember } from '../../compiler/print/root-sql.ts'
import { noEnvelope } from '../../compiler/print/select-sql.ts'
import { bindParams } from '../../compiler/run/bind.ts'
import { runDirect, runMutation } from '../../compiler/run/mutation-run.ts'
import { eitherSignal } from '../../concurrency/aborting.ts'
import type { OwnTransaction } from '../../database/transaction.ts'
import { internalError } from '../../errors/errors.ts'
import { parseMembers } from '../../json/json.ts'
import type { PreparedGuard } from '../plan/plan.ts'
import { body, type ChangeStep, type IntrospectionStep, type StatementStep, type Step } from '../plan/prepared.ts'
import type { JoinStep, RootCall } from '../plan/steps.ts'
import type { BoundArguments } from '../read/arguments.ts'
import { Introspection } from '../schema/introspection.ts'
import { Answer, type JsonObject, noExtensions } from './answer.ts'
import type { ExecutionContext } from './execution-context.ts'
import { type CallRun, joinRuns, type Run, rootRun, runCalls, runLevels } from './run-calls.ts'

/** A part of the answer: text of members, or the members themselves when calls are involved. */
type Part = Buffer | string | JsonObject

type Piece = Buffer | string

/**
 * The body of the answer, `{"data":{…}}`; null if a lone statement returned nothing, whose answer is then its `whenEmpty`.
 * Not async: each promise that forwards an answer costs a microsecond. Wrong values throw.
 */
export function runOperation(context: ExecutionContext): Promise<Piece | null> {
  const { whole, direct } = context.prepared
  if (whole) return context.database.answer(whole, bindParams(whole.params, context), context)
  return direct && !context.change ? runAlone(direct, context) : new Running(context).run()
}

/** A statement that writes, in its own transaction. */
function runAlone(program: DirectProgram, context: ExecutionContext): Promise<Piece> {
  const { database, session, sessionSettings, requestId, signal, caller } = context
  const options = { settings: sessionSettings.of(session, requestId), signal, caller }
  return runDirect(program, context, (statement, values) => database.change(statement, values, options))
}

const noArguments: BoundArguments = () => ({})

/** One run of an operation that has several steps. */
class Running {
  readonly #context: ExecutionContext
  readonly #answer = new Answer()
  readonly #parts: Part[]
  readonly #run: Run
  readonly #introspection: Introspection

  constructor(context: ExecutionContext) {
    this.#context = context
    this.#introspection = new Introspection(context.schema)
    this.#parts = new Array(context.prepared.steps.length).fill('')
    const read: Run['read'] = (statement, values) => context.database.answer(statement, values, context)
    const { prepared, callArguments, whenUnwanted } = context
    // Reads end when the client is gone; changes continue.
    const unwanted = prepared.calls && prepared.operation.kind === 'query' ? whenUnwanted?.() : null
    const signal = eitherSignal(context.signal, unwanted ?? null)
    this.#run = {
      context,
      answer: this.#answer,
      argumentsOf: callArguments ?? noArguments,
      signal,
      transaction: null,
      read,
    }
  }

  async run(): Promise<Piece> {
    const { prepared, response } = this.#context
    if (prepared.operation.kind === 'mutation') await this.#mutation()
    else await this.#query()
    const { headers, whole, extensions } = this.#answer
    if (response) for (const [name, value] of headers) response.header(name, value)
    const piece = whole ?? this.#body()
    return extensions === noExtensions ? piece : withExtensions(piece, extensions)
  }

  /**
   * Runs the steps of a query at once, because they are independent; then the steps that depend on them, level by
   * level.
   */
  async #query(): Promise<void> {
    const { steps } = this.#context.prepared
    const calls = steps.flatMap((step, i) => (step.kind === 'call' ? [this.#rootCall(step, i)] : []))
    const parts = steps.map(async (step, i) => {
      if (step.kind === 'statement') return this.#statement(step, i)
      await this.#known(step, i)
      return []
    })
    const next = await Promise.all([runCalls(calls, this.#run), ...parts])
    await runLevels(next.flat(), this.#run)
  }

  /**
   * Runs the fields in order. Consecutive database fields share one transaction, and consecutive fields of a group run
   * as one. Calls without a group run before the first transaction: if one fails, nothing has been changed.
   */
  async #mutation(): Promise<void> {
    const { steps, guards } = this.#context.prepared
    for (const guard of guards) await this.#guarded(guard)
    const first = steps.findIndex(needsTransaction)
    const isEarly = (step: Step, i: number) => first < 0 || i < first || (isCall(step) && partnersOf(step) === null)
    const all = [...steps.entries()]
    const inOrder = [...all.filter(([i, step]) => isEarly(step, i)), ...all.filter(([i, step]) => !isEarly(step, i))]
    let neighbours: number[] = []
    const flush = async () => {
      const together = neighbours
      neighbours = []
      if (together.length > 0 && !this.#answer.isNull) await this.#together(together)
    }
    for (const [i, step] of inOrder) {
      if (!needsTransaction(step) && !isCall(step)) {
        await this.#known(step, i)
        continue
      }
      const partners = partnersOf(step)
      const [neighbour] = neighbours
      if (neighbour !== undefined && (!partners || partnersOf(steps[neighbour]!) !== partners)) await flush()
      neighbours.push(i)
    }
    await flush()
  }

  async #guarded({ field, run }: PreparedGuard): Promise<void> {
    const { session, headers, requestId, signal } = this.#context
    await run({ args: this.#run.argumentsOf(field), session, headers, requestId, signal })
  }

  /** Runs fields of the database, or calls of a group. */
  async #together(places: readonly number[]): Promise<void> {
    const { steps } = this.#context.prepared
    if (needsTransaction(steps[places[0]!]!)) return await this.#transaction(places)
    const calls = places.flatMap((i) => {
      const step = steps[i]!
      return isCall(step) ? [this.#rootCall(step, i)] : []
    })
    await runLevels(calls, this.#run)
  }

  async #transaction(places: readonly number[]): Promise<void> {
    const { steps } = this.#context.prepared
    const last = places.at(-1)!
    const { change } = this.#context
    const sole = places.length === 1 && !change ? steps[last]! : null
    if (sole?.kind === 'change' && sole.program.kind === 'direct' && sole.joins.length === 0) {
      this.#parts[last] = await runAlone(sole.program, this.#context)
      return
    }
    const { database, session, sessionSettings, requestId, signal, caller } = this.#context
    const own = places.flatMap((i) => {
      const step = steps[i]!
      return needsTransaction(step) ? [[i, step] as const] : []
    })
    const hasJoins = own.some(([, step]) => step.kind === 'call' || step.joins.length > 0)
    const run = async (transaction: OwnTransaction) => {
      const read: Run['read'] = (statement, values) => transaction.bytes(statement, values)
      const state = { ...this.#run, transaction, read }
      const joins: CallRun[] = []
      for (const [i, step] of own) {
        const isLast = i === last && !hasJoins && !change
        if (step.kind === 'call') joins.push(...(await runCalls([this.#rootCall(step, i)], state)))
        else joins.push(...(await this.#change(step, i, transaction, isLast)))
      }
      // Before the commit: if a join fails, nothing has been changed.
      await runLevels(joins, state)
    }
    const work = change ? (transaction: OwnTransaction) => this.#hooked(transaction, run) : run
    const settings = sessionSettings.of(session, requestId)
    await database.transaction(work, { settings, signal, caller, isRepeatable: !hasJoins })
  }

  /** Runs a transaction's work inside the hooks of plugins; their additions to the answer are encoded before the commit. */
  async #hooked(transaction: OwnTransaction, work: (transaction: OwnTransaction) => Promise<void>): Promise<void> {
    const { change, session, prepared, request } = this.#context
    const extensions = { ...this.#answer.extensions }
    const { operation } = prepared
    await change!({ session, transaction, operation, request, metadata: null, extensions }, () => work(transaction))
    this.#answer.extensions = Object.keys(extensions).length === 0 ? noExtensions : extensions
  }

  #rootCall(step: CallRun['step'], i: number): CallRun {
    const { responseName } = step.field
    const members: JsonObject = Object.fromEntries([[responseName, null]])
    this.#parts[i] = members
    return rootRun(step, members)
  }

  async #known(step: Step, i: number): Promise<void> {
    if (step.kind === 'text') this.#parts[i] = step.text
    else if (step.kind === 'change' && step.program.kind === 'constant') this.#parts[i] = step.program.text
    else if (step.kind === 'introspection') await this.#introspected(step, i)
  }

  /** A field alone is answered by the whole body at once: it may be large. */
  async #introspected({ field }: IntrospectionStep, i: number): Promise<void> {
    const isAlone = this.#parts.length === 1
    const around = isAlone ? body : noEnvelope
    const prefix = `${around.prefix}${JSON.stringify(field.responseName)}:`
    const bytes = await this.#introspection.answer(field, this.#run.argumentsOf, { prefix, suffix: around.suffix })
    if (isAlone) this.#answer.whole = bytes
    else this.#parts[i] = bytes
  }

  async #statement({ statement, joins }: StatementStep, i: number): Promise<CallRun[]> {
    const values = bindParams(statement.params, this.#context)
    const bytes = await this.#context.database.answer(statement, values, this.#context)
    return this.#members(bytes ?? statement.whenEmpty, joins, i)
  }

  async #change(
    step: ChangeStep | StatementStep,
    i: number,
    transaction: OwnTransaction,
    isLast: boolean,
  ): Promise<CallRun[]> {
    if (step.kind === 'change') {
      const piece = await runMutation(step.program, transaction, this.#context, isLast)
      return this.#members(piece, step.joins, i)
    }
    const values = bindParams(step.statement.params, this.#context)
    const bytes = await transaction.bytes(step.statement, values)
    return this.#members(bytes ?? step.statement.whenEmpty, step.joins, i)
  }

  /** Stores text of members; parses it if joins need rows in it. */
  #members(piece: Piece, joins: readonly JoinStep[], i: number): CallRun[] {
    if (joins.length === 0) {
      this.#parts[i] = piece
      return []
    }
    const holder = unlessTooDeep(() => parseMembers(piece, 'lossless') as JsonObject)
    this.#parts[i] = holder
    return joinRuns(joins, { holder, above: null }, null)
  }

  #body(): Piece {
    const { errors, isNull } = this.#answer
    const ending = errors.length > 0 ? `,"errors":${JSON.stringify(errors)}}` : '}'
    if (isNull) return `{"data":null${ending}`
    const pieces = this.#parts.map((part) => {
      return typeof part === 'string' || Buffer.isBuffer(part)
        ? part
        : unlessTooDeep(() => JSON.stringify(part)).slice(1, -1)
    })
    const { isSole, steps } = this.#context.prepared
    if (isSole) return pieces[0]!
    return concatPieces(['{"data":{', ...separated(inMembers(pieces, steps)), `}${ending}`])
  }
}

const memberOf = (step: Step | undefined): string | undefined => (step && 'within' in step ? step.within : undefined)

/** The pieces; neighbours that are parts of one member become one piece. */
function inMembers(pieces: readonly Piece[], steps: readonly Step[]): readonly Piece[] {
  const merged: Piece[] = []
  for (const [i, piece] of pieces.entries()) {
    const member = memberOf(steps[i])
    if (member === undefined || member !== memberOf(steps[i - 1])) {
      merged.push(piece)
      continue
    }
    const { prefix, suffix } = inMember(member, noEnvelope)
    const length = typeof piece === 'string' ? prefix.length : Buffer.byteLength(prefix)
    merged.push(concatPieces([merged.pop()!.slice(0, -suffix.length), ',', piece.slice(length)]))
  }
  return merged
}

/** The body with `extensions`, as its last member. */
function withExtensions(body: Piece, extensions: JsonObject): Piece {
  const ending = `,"extensions":${JSON.stringify(extensions)}}`
  return concatPieces([body.slice(0, -1), ending])
}

/** Bytes from the database are forwarded at any depth, but parsing and printing is limited by the stack. */
function unlessTooDeep<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError
      ? internalError('a value of the answer is nested too deeply', { cause: error })
      : error
  }
}

const isCall = (step: Step): step is RootCall => step.kind === 'call'

/** An object shared by consecutive fields that run as one; null if the field runs alone. */
function partnersOf(step: Step): object | null {
  if (isCall(step) && step.planner.inTransaction !== true) return step.planner.group ?? null
  return needsTransaction(step) ? ofDatabase : null
}

const ofDatabase = {}

const needsTransaction = (step: Step): step is ChangeStep | StatementStep | RootCall =>
  step.kind === 'statement' ||
  (step.kind === 'change' && step.program.kind !== 'constant') ||
  (step.kind === 'call' && step.planner.inTransaction === true)

const separated = (pieces: readonly Piece[]): Piece[] =>
  pieces.filter((piece) => piece.length > 0).flatMap((piece, i) => (i === 0 ? [piece] : [',', piece]))

const concatPieces = (pieces: readonly Piece[]): Piece =>
  pieces.every((piece) => typeof piece === 'string')
    ? pieces.join('')
    : Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
