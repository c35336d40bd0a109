// Runs a planned operation and puts the answer's bytes together.

import { type BoundInputs, bindParams } from '../compiler/bind.ts'
import type { DirectProgram } from '../compiler/mutation-program.ts'
import { runDirect, runMutation } from '../compiler/mutation-run.ts'
import { unlessAborted } from '../concurrency/aborting.ts'
import type { Database } from '../database/database.ts'
import type { OwnTransaction } from '../database/transaction.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Session } from '../session/session.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import { completeValue } from './complete.ts'
import type { ResolvedCall } from './contribution.ts'
import { introspect } from './introspection.ts'
import { fillJoins } from './joins.ts'
import type { Variables } from './plan-context.ts'
import type { PreparedOperation, Segment } from './prepared.ts'
import type { RoleSchema } from './role-schema.ts'

export interface ExecutionContext {
  readonly database: Database
  readonly dialect: Dialect
  readonly session: Session
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  readonly headers: Readonly<Record<string, string>>
  /** Ends the operation when it aborts. */
  readonly signal: AbortSignal | null
  /** Gives what aborts when nobody waits for the answer any more; null where nothing tells. */
  readonly whenUnwanted: (() => AbortSignal) | null
  readonly schema: RoleSchema
  readonly prepared: PreparedOperation
  readonly variables: Variables
  /** Values that were bound ahead of running. */
  readonly bound: BoundInputs | undefined
}

type Piece = Buffer | string

/** The body of the answer, `{"data":{…}}`. */
export async function runOperation(context: ExecutionContext): Promise<Piece> {
  const { prepared, database } = context
  if (prepared.whole) {
    const values = bindParams(prepared.whole.params, context)
    return (await database.answer(prepared.whole, values, context)) ?? prepared.whole.whenEmpty
  }
  if (prepared.direct) return await runAlone(prepared.direct, context)
  const pieces = prepared.operation.kind === 'mutation' ? await runMutations(context) : await runQueries(context)
  if (prepared.isSole) return pieces[0]!
  if (prepared.joins.length === 0) return concatPieces(['{"data":{', ...separated(pieces), '}}'])
  const text = concatPieces(['{', ...separated(pieces), '}']).toString()
  const filling = fillJoins(text, prepared.joins, (join) => callOf(join, context))
  const data = await unlessAborted(context.signal, filling)
  return `{"data":${JSON.stringify(data)}}`
}

/** The segments of a query, at once: they do not depend on each other. */
function runQueries(context: ExecutionContext): Promise<Piece[]> {
  return Promise.all(
    context.prepared.segments.map(async (segment) => {
      if (segment.kind === 'text') return segment.text
      if (segment.kind === 'resolved') return resolvedPiece(segment, context)
      if (segment.kind === 'mutation') throw new Error('a query holds no mutation')
      const values = bindParams(segment.statement.params, context)
      return (await context.database.answer(segment.statement, values, context)) ?? segment.statement.whenEmpty
    }),
  )
}

/** What JavaScript answers comes first, in order; then all database fields in one transaction, in order. */
async function runMutations(context: ExecutionContext): Promise<Piece[]> {
  const { segments } = context.prepared
  const pieces: Piece[] = new Array(segments.length).fill('')
  for (const [i, segment] of segments.entries()) {
    if (segment.kind === 'text') pieces[i] = segment.text
    else if (segment.kind === 'resolved') pieces[i] = await resolvedPiece(segment, context)
    else if (segment.kind === 'mutation' && segment.program.kind === 'constant') pieces[i] = segment.program.text
  }
  const last = segments.findLastIndex(needsTransaction)
  if (last < 0) return pieces
  const sole = segments.findIndex(needsTransaction) === last ? segments[last]! : null
  if (sole?.kind === 'mutation' && sole.program.kind === 'direct') {
    pieces[last] = await runAlone(sole.program, context)
    return pieces
  }
  const { database, session, sessionSettings, signal } = context
  const work = async (transaction: OwnTransaction) => {
    for (const [i, segment] of segments.entries()) {
      if (needsTransaction(segment)) pieces[i] = await changePiece(segment, transaction, context, i === last)
    }
  }
  await database.transaction(work, { settings: sessionSettings.of(session), signal })
  return pieces
}

/** A statement that writes, in a transaction of its own. */
function runAlone(program: DirectProgram, context: ExecutionContext): Promise<Piece> {
  const { database, session, sessionSettings, signal } = context
  const options = { settings: sessionSettings.of(session), signal }
  return runDirect(program, context, (statement, values) => database.change(statement, values, options))
}

type Change = Extract<Segment, { kind: 'statement' | 'mutation' }>

const needsTransaction = (segment: Segment): segment is Change =>
  segment.kind === 'statement' || (segment.kind === 'mutation' && segment.program.kind !== 'constant')

async function changePiece(
  segment: Change,
  transaction: OwnTransaction,
  context: ExecutionContext,
  isLast: boolean,
): Promise<Piece> {
  if (segment.kind === 'mutation') return runMutation(segment.program, transaction, context, isLast)
  const values = bindParams(segment.statement.params, context)
  return (await transaction.bytes(segment.statement, values)) ?? segment.statement.whenEmpty
}

async function resolvedPiece(
  { field: resolved }: Extract<Segment, { kind: 'resolved' }>,
  context: ExecutionContext,
): Promise<string> {
  const { field, key, planner } = resolved
  const { name } = field
  const isMeta = name === '__schema' || name === '__type'
  const value = isMeta
    ? await introspect(context.schema, field, context.prepared.operation, context.variables)
    : await resolving(context, () => planner.resolve(callOf(resolved, context)))
  const completed = isMeta || planner.completed ? value : completeValue(value, field)
  return `${JSON.stringify(key)}:${JSON.stringify(completed ?? null)}`
}

const callOf = (
  { field, args }: Pick<ResolvedCall, 'field' | 'args'>,
  { session, headers, signal }: ExecutionContext,
): ResolvedCall => ({ args, session, headers, signal, field })

/** The value of a field that JavaScript answers, for as long as the operation may take. */
async function resolving(context: ExecutionContext, resolve: () => unknown): Promise<unknown> {
  context.signal?.throwIfAborted()
  return unlessAborted(context.signal, Promise.resolve(resolve()))
}

const separated = (pieces: readonly Piece[]): Piece[] =>
  pieces.filter((piece) => piece.length > 0).flatMap((piece, i) => (i === 0 ? [piece] : [',', piece]))

const concatPieces = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
