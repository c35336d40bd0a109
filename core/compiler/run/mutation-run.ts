// Runs the statements of a mutation field in the operation's transaction.

import type { PreparedStatement } from '../../database/sql/prepared-statement.ts'
import type { OwnTransaction, Transaction } from '../../database/transaction.ts'
import { permissionViolation } from '../../database/wire/postgres-errors.ts'
import { badRequest } from '../../errors/errors.ts'
import { pathKeys } from '../../errors/path.ts'
import { answerSlot } from '../plan/mutation-plan.ts'
import type { CallProgram } from '../print/call-program.ts'
import type { ListProgram, MergedProgram } from '../print/mutation-list.ts'
import {
  answerText,
  type DirectProgram,
  type MutationProgram,
  type ProgramStep,
  type StagedProgram,
} from '../print/mutation-program.ts'
import type { RowCheckProgram } from '../print/row-check.ts'
import { encodeArray } from '../types/codecs.ts'
import { type Bindings, bindParams, bindParamsAt, located } from './bind.ts'

export type RunStatement = (statement: PreparedStatement, values: readonly (string | null)[]) => Promise<Buffer | null>

/** The JSON text of a field that one statement answers, in its envelope. */
export async function runDirect(
  { statement, path, whenEmpty }: DirectProgram,
  bindings: Bindings,
  run: RunStatement,
): Promise<Buffer | string> {
  const values = bindParamsAt(statement.params, bindings, path)
  try {
    return (await run(statement, values)) ?? whenEmpty
  } catch (error) {
    throw located(error, path)
  }
}

/** The JSON text of the field, in its envelope. `isLast`: no statement of the transaction follows. */
export async function runMutation(
  program: MutationProgram | ListProgram | MergedProgram | CallProgram,
  transaction: OwnTransaction,
  bindings: Bindings,
  isLast: boolean,
): Promise<Buffer | string> {
  const run: RunStatement = (statement, values) => {
    return isLast ? transaction.lastBytes(statement, values) : transaction.bytes(statement, values)
  }
  switch (program.kind) {
    case 'constant':
      return program.text
    case 'direct':
      return runDirect(program, bindings, run)
    case 'staged':
      return runStaged(program, transaction, bindings, run)
    case 'call':
      return runCall(program, transaction, bindings, run)
    case 'list':
      return runList(program, transaction, bindings, isLast)
    case 'merged':
      return runMerged(program, transaction, bindings, isLast)
    default:
      return program satisfies never
  }
}

/** Calls a function; `run` runs the statement that builds the answer from its rows. */
async function runCall(
  { statement, answering, whenEmpty, path }: CallProgram,
  transaction: Pick<Transaction, 'texts'>,
  bindings: Bindings,
  run: RunStatement,
): Promise<Buffer | string> {
  const values = bindParamsAt(statement.params, bindings, path)
  const [returned = [null]] = await transaction.texts(statement, values).catch((error) => {
    throw located(error, path)
  })
  const slots: (readonly (string | null)[])[] = []
  slots[answerSlot] = returned
  return (await run(answering, bindParams(answering.params, { ...bindings, slots }))) ?? whenEmpty
}

/** The transaction goes on until it is known that the updates do not have to run in order. */
async function runMerged(
  { statement, inOrder }: MergedProgram,
  transaction: OwnTransaction,
  bindings: Bindings,
  isLast: boolean,
): Promise<Buffer | string> {
  const text = await transaction.bytes(statement, bindParams(statement.params, bindings))
  return text ?? runMutation(inOrder(), transaction, bindings, isLast)
}

const comma = Buffer.from(',')

/** Sends statements that need no earlier answer at once; the first error in order is the one that counts. */
async function runList(
  { programs, envelope }: ListProgram,
  transaction: OwnTransaction,
  bindings: Bindings,
  isLast: boolean,
): Promise<Buffer | string> {
  const isInOneGo = programs.every(({ kind }) => kind !== 'staged')
  const answers: Promise<Buffer | string>[] = []
  for (const [i, program] of programs.entries()) {
    const answer = runMutation(program, transaction, bindings, isLast && i === programs.length - 1)
    // It is awaited below; an error that comes earlier must not count as unhandled.
    answer.catch(() => {})
    answers.push(answer)
    if (!isInOneGo) await answer
  }
  const pieces: Uint8Array[] = [Buffer.from(`${envelope.prefix}[`)]
  for (const [i, answer] of answers.entries()) {
    if (i > 0) pieces.push(comma)
    const piece = await answer
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  }
  return Buffer.concat([...pieces, Buffer.from(`]${envelope.suffix}`)])
}

/** As {@link runMutation}, for a program of several statements; `run` runs the last one, which builds the answer. */
export async function runStaged(
  { steps, answer, envelope, answering, sole }: StagedProgram,
  transaction: Pick<Transaction, 'texts'>,
  bindings: Bindings,
  run: RunStatement,
): Promise<Buffer | string> {
  const state: Run = { transaction, bindings: { ...bindings, slots: [] }, affected: 0, handedOver: [] }
  for (const step of steps) await runStep(step, state)
  if (!answering || state.handedOver.length === 0) return answerText(answer, state.affected, envelope)
  state.bindings.slots[answerSlot] = [
    ...[String(state.affected), ...state.handedOver.map(encodeArray)],
    ...(sole ? [soleValue(state.handedOver[sole.index]!, sole.column)] : []),
  ]
  return (await run(answering, bindParams(answering.params, state.bindings))) ?? answerText(answer, 0, envelope)
}

/** The state of one run. */
interface Run {
  readonly transaction: Pick<Transaction, 'texts'>
  readonly bindings: Bindings & { readonly slots: (readonly (string | null)[])[] }
  affected: number
  /** The row values that the answer needs, one array for each column; filled when the first row arrives. */
  readonly handedOver: (string | null)[][]
}

async function runStep(step: ProgramStep, run: Run): Promise<void> {
  for (const other of step.before) await runStep(other, run)
  const { statement } = step
  const values = bindParamsAt(statement.params, run.bindings, step.path)
  const rows = await run.transaction.texts(statement, values).catch((error) => {
    throw located(error, step.path)
  })
  run.affected += rows.length
  if (step.check) await checkRows(rows, step.check, { step, run })
  const [first] = rows
  if (step.refusal && !first) {
    throw badRequest('not-supported', step.refusal.message, { path: pathKeys(step.refusal.path) })
  }
  if (step.slot !== null && first) run.bindings.slots[step.slot] = first.slice(step.ownFrom)
  if (step.handsOverFrom !== null) handOver(rows, step.handsOverFrom, run)
  for (const other of step.after) await runStep(other, run)
}

/** The value that all rows have; throws if they differ. */
function soleValue(values: readonly (string | null)[], column: string): string | null {
  const [first = null] = values
  if (values.every((value) => value === first)) return first
  const message = `the changed rows differ in "${column}", which decides where they and their related rows are`
  throw badRequest('not-supported', `${message}: return no relationships, or change the rows of one value at a time`)
}

/** Checks the rows that a statement returned; throws the error of a statement that checks them itself. */
async function checkRows(
  rows: readonly (readonly (string | null)[])[],
  { kind, statement, needed, sole }: RowCheckProgram,
  { step: { path }, run: { bindings, transaction } }: { readonly step: ProgramStep; readonly run: Run },
): Promise<void> {
  const width = needed === 'whole' ? 1 : Math.max(needed.length, 1)
  const groups = sole === null ? [rows] : [...Map.groupBy(rows, (row) => row[sole]).values()]
  for (const group of groups) {
    const [first] = group
    if (!first) continue
    const columns = Array.from({ length: width }, (_, i) => encodeArray(group.map((row) => row[i] ?? null)))
    const own = [String(group.length), ...columns, ...(sole === null ? [] : [first[sole]!])]
    const values = bindParamsAt(statement.params, { ...bindings, slots: withAnswer(bindings.slots, own) }, path)
    const failed = await transaction.texts(statement, values).catch((error) => {
      throw located(error, path)
    })
    if (failed.length > 0) throw located(permissionViolation(kind), path)
  }
}

/** The slots with other values for {@link answerSlot}. */
const withAnswer = <T>(slots: readonly T[], values: T): readonly T[] => {
  const others = slots.slice()
  others[answerSlot] = values
  return others
}

/** Keeps the row values that the answer needs, column by column; one null for each row if it needs none. */
function handOver(rows: readonly (readonly (string | null)[])[], from: number, { handedOver }: Run): void {
  const width = Math.max(1, (rows[0]?.length ?? 0) - from)
  for (let column = 0; rows.length > 0 && column < width; column++) {
    const values = handedOver[column] ?? []
    handedOver[column] = values
    for (const row of rows) values.push(row[from + column] ?? null)
  }
}
