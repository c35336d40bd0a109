// Runs a planned operation and puts the answer's bytes together.

import { bindParams } from '../compiler/bind.ts'
import { runMutation } from '../compiler/mutation-run.ts'
import type { Database } from '../database/database.ts'
import type { OwnTransaction } from '../database/transaction.ts'
import type { Dialect } from '../dialect.ts'
import type { Session } from '../session.ts'
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
  readonly headers: Readonly<Record<string, string>>
  readonly schema: RoleSchema
  readonly prepared: PreparedOperation
  readonly variables: Variables
}

type Piece = Buffer | string

/** The body of the answer, `{"data":{…}}`. */
export async function runOperation(context: ExecutionContext): Promise<Piece> {
  const { prepared, database } = context
  if (prepared.whole) {
    const values = bindParams(prepared.whole.params, context)
    return (await database.answer(prepared.whole, values)) ?? prepared.whole.whenEmpty
  }
  const pieces = prepared.operation.kind === 'mutation' ? await runMutations(context) : await runQueries(context)
  if (prepared.joins.length === 0) return concatPieces(['{"data":{', ...separated(pieces), '}}'])
  const text = concatPieces(['{', ...separated(pieces), '}']).toString()
  const data = await fillJoins(text, prepared.joins, (join) => callOf(join, context))
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
      return (await context.database.answer(segment.statement, values)) ?? segment.statement.whenEmpty
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
    else if (segment.kind === 'mutation' && segment.program.kind === 'constant') {
      pieces[i] = `${JSON.stringify(segment.key)}:${segment.program.text}`
    }
  }
  if (segments.every((segment) => !needsTransaction(segment))) return pieces
  const last = segments.findLastIndex(needsTransaction)
  const work = async (transaction: OwnTransaction) => {
    for (const [i, segment] of segments.entries()) {
      if (needsTransaction(segment)) pieces[i] = await changePiece(segment, transaction, context, i === last)
    }
  }
  await context.database.transaction(work, { settings: sessionSettings(context) })
  return pieces
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
  if (segment.kind === 'mutation') {
    const result = await runMutation(segment.program, transaction, context, isLast)
    return concatPieces([`${JSON.stringify(segment.key)}:`, result])
  }
  const values = bindParams(segment.statement.params, context)
  return (await transaction.bytes(segment.statement, values)) ?? segment.statement.whenEmpty
}

/** Lets triggers and functions of the database read who is asking. */
const sessionSettings = ({ dialect, session }: Pick<ExecutionContext, 'dialect' | 'session'>) => ({
  [dialect.userSetting]: JSON.stringify(session.variables),
})

async function resolvedPiece(
  { field: resolved }: Extract<Segment, { kind: 'resolved' }>,
  context: ExecutionContext,
): Promise<string> {
  const { field, key, planner } = resolved
  const { name } = field
  const isMeta = name === '__schema' || name === '__type'
  const value = isMeta
    ? await introspect(context.schema, field, context.prepared.operation, context.variables)
    : await planner.resolve(callOf(resolved, context))
  const completed = isMeta || planner.completed ? value : completeValue(value, field)
  return `${JSON.stringify(key)}:${JSON.stringify(completed ?? null)}`
}

const callOf = (
  { field, args }: Pick<ResolvedCall, 'field' | 'args'>,
  { session, headers }: ExecutionContext,
): ResolvedCall => ({ args, session, headers, field })

const separated = (pieces: readonly Piece[]): Piece[] =>
  pieces.filter((piece) => piece.length > 0).flatMap((piece, i) => (i === 0 ? [piece] : [',', piece]))

const concatPieces = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
