// Runs a planned operation and puts the answer's bytes together. One of a single statement, which nearly all are, has no
// steps: its bytes are handed on as they come.

import { bindParams } from '../compiler/bind.ts'
import type { DirectProgram } from '../compiler/mutation-program.ts'
import { runDirect, runMutation } from '../compiler/mutation-run.ts'
import { eitherSignal } from '../concurrency/aborting.ts'
import type { OwnTransaction } from '../database/transaction.ts'
import { parseScanned } from '../json/json.ts'
import { scanJson } from '../json/json-scan.ts'
import { Answer, type JsonObject } from './answer.ts'
import type { BoundArguments } from './arguments.ts'
import type { ExecutionContext } from './execution-context.ts'
import { introspect } from './introspection.ts'
import type { ChangeStep, StatementStep, Step } from './prepared.ts'
import { type CallRun, joinRuns, type Run, rootRun, runCalls, runLevels } from './run-calls.ts'
import type { FieldSelection } from './selection.ts'
import type { JoinStep, RootCall } from './steps.ts'

/** A part of the answer: text of members, or the members themselves where calls take part. */
type Part = Buffer | string | JsonObject

type Piece = Buffer | string

/** The body of the answer, `{"data":{…}}`. */
export async function runOperation(context: ExecutionContext): Promise<Piece> {
  const { prepared, database } = context
  if (prepared.whole) {
    const values = bindParams(prepared.whole.params, context)
    return (await database.answer(prepared.whole, values, context)) ?? prepared.whole.whenEmpty
  }
  if (prepared.direct) return await runAlone(prepared.direct, context)
  return await new Running(context).run()
}

/** A statement that writes, in a transaction of its own. */
function runAlone(program: DirectProgram, context: ExecutionContext): Promise<Piece> {
  const { database, session, sessionSettings, signal } = context
  const options = { settings: sessionSettings.of(session), signal }
  return runDirect(program, context, (statement, values) => database.change(statement, values, options))
}

const noArguments: BoundArguments = () => ({})

/** One run of an operation that takes several steps. */
class Running {
  readonly #context: ExecutionContext
  readonly #answer = new Answer()
  readonly #parts: Part[]
  readonly #run: Run

  constructor(context: ExecutionContext) {
    this.#context = context
    this.#parts = new Array(context.prepared.steps.length).fill('')
    const read: Run['read'] = (statement, values) => context.database.answer(statement, values, context)
    const { prepared, callArguments, whenUnwanted } = context
    // Reads end when nobody waits for them any more, while changes go on.
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
    const { headers, whole } = this.#answer
    if (response) for (const [name, value] of headers) response.header(name, value)
    return whole ?? this.#body()
  }

  /** The steps of a query, at once: they do not depend on each other; then what depends on them, level by level. */
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

  /** What JavaScript answers comes first, in order; then all database fields in one transaction, in order. */
  async #mutation(): Promise<void> {
    const { steps } = this.#context.prepared
    await this.#mutationCalls()
    if (this.#answer.isNull || this.#answer.whole !== null) return
    const last = steps.findLastIndex(needsTransaction)
    if (last < 0) return
    const sole = steps.findIndex(needsTransaction) === last ? steps[last]! : null
    if (sole?.kind === 'change' && sole.program.kind === 'direct' && sole.joins.length === 0) {
      this.#parts[last] = await runAlone(sole.program, this.#context)
      return
    }
    const { database, session, sessionSettings, signal } = this.#context
    const hasJoins = steps.some((step) => needsTransaction(step) && (step.kind === 'call' || step.joins.length > 0))
    const work = async (transaction: OwnTransaction) => {
      const read: Run['read'] = (statement, values) => transaction.bytes(statement, values)
      const run = { ...this.#run, transaction, read }
      const joins: CallRun[] = []
      for (const [i, step] of steps.entries()) {
        if (!needsTransaction(step)) continue
        const isLast = i === last && !hasJoins
        if (step.kind === 'call') joins.push(...(await runCalls([this.#rootCall(step, i)], run)))
        else joins.push(...(await this.#change(step, i, transaction, isLast)))
      }
      // Before the commit: when one fails, nothing has been changed.
      await runLevels(joins, run)
    }
    await database.transaction(work, { settings: sessionSettings.of(session), signal })
  }

  /** The calls one after another; neighbours of a group as one. */
  async #mutationCalls(): Promise<void> {
    const { steps } = this.#context.prepared
    let neighbours: CallRun[] = []
    const flush = async () => {
      const calls = neighbours
      neighbours = []
      await runLevels(calls, this.#run)
    }
    for (const [i, step] of steps.entries()) {
      const isLater: boolean = needsTransaction(step)
      if (isLater) continue
      if (step.kind === 'call') {
        const { group } = step.planner
        if (!group || neighbours[0]?.step.planner.group !== group) await flush()
        neighbours.push(this.#rootCall(step, i))
      } else if (step.kind === 'change' && step.program.kind === 'constant') this.#parts[i] = step.program.text
      else await this.#known(step, i)
    }
    await flush()
  }

  #rootCall(step: CallRun['step'], i: number): CallRun {
    const { responseName } = step.field
    const members: JsonObject = Object.fromEntries([[responseName, null]])
    this.#parts[i] = members
    return rootRun(step, members)
  }

  async #known(step: Step, i: number): Promise<void> {
    if (step.kind === 'text') this.#parts[i] = step.text
    else if (step.kind === 'introspection') this.#parts[i] = await this.#introspection(step.field)
  }

  async #introspection(field: FieldSelection): Promise<string> {
    const { schema, prepared, variables } = this.#context
    const value = await introspect(schema, field, prepared.operation, variables)
    return `${JSON.stringify(field.responseName)}:${JSON.stringify(value ?? null)}`
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

  /** Takes text of members; where joins wait for rows in it, it is read. */
  #members(piece: Piece, joins: readonly JoinStep[], i: number): CallRun[] {
    if (joins.length === 0) {
      this.#parts[i] = piece
      return []
    }
    const members = typeof piece === 'string' ? Buffer.from(piece) : piece
    const holder = parseScanned(`{${piece}}`, scanJson(members), 'lossless') as JsonObject
    this.#parts[i] = holder
    return joinRuns(joins, { holder, above: null }, null)
  }

  #body(): Piece {
    const { errors, isNull } = this.#answer
    const ending = errors.length > 0 ? `,"errors":${JSON.stringify(errors)}}` : '}'
    if (isNull) return `{"data":null${ending}`
    const pieces = this.#parts.map((part) => {
      return typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part).slice(1, -1)
    })
    if (this.#context.prepared.isSole) return pieces[0]!
    return concatPieces(['{"data":{', ...separated(pieces), `}${ending}`])
  }
}

const needsTransaction = (step: Step): step is ChangeStep | StatementStep | RootCall =>
  step.kind === 'statement' ||
  (step.kind === 'change' && step.program.kind !== 'constant') ||
  (step.kind === 'call' && step.planner.inTransaction === true)

const separated = (pieces: readonly Piece[]): Piece[] =>
  pieces.filter((piece) => piece.length > 0).flatMap((piece, i) => (i === 0 ? [piece] : [',', piece]))

const concatPieces = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
