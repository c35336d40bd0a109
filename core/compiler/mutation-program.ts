// A mutation plan printed: the statements that it takes, ready to be run one after the other.
//
// Where the answer can be made of the affected rows alone, one statement changes them and builds it. Otherwise the
// statements hand the rows over as texts, and a last one, which sees the database as it is then, reads them as rows again.

import type { ParamSource } from '../database/sql/param.ts'
import { type PreparedStatement, prepare } from '../database/sql/prepared-statement.ts'
import { compile, empty, join, param, type Sql, type Statement, sql, trusted } from '../database/sql/sql.ts'
import type { Path } from '../errors/path.ts'
import { columnSql, tableSql } from './condition-sql.ts'
import { concat } from './json-sql.ts'
import {
  answerSlot,
  type Change,
  type MutationAnswer,
  type MutationPlan,
  type MutationStep,
  type ResponseEntry,
} from './mutation-plan.ts'
import { changeSql } from './mutation-sql.ts'
import { allRows, always, type Output, type Rows } from './plan.ts'
import { Printer, type PrinterOptions } from './printer.ts'
import { type Envelope, type Frame, noEnvelope, outputSql, rowSet, soleOutputSql } from './select-sql.ts'

export type MutationProgram =
  /** Nothing to do. */
  | { readonly kind: 'constant'; readonly text: string }
  | DirectProgram
  | {
      readonly kind: 'staged'
      readonly steps: readonly ProgramStep[]
      readonly answer: MutationAnswer
      readonly envelope: Envelope
      /** Builds the answer of the rows that the steps handed over; null when it holds none. */
      readonly answering: PreparedStatement | null
    }

/** One statement that answers. */
export interface DirectProgram {
  readonly kind: 'direct'
  readonly statement: PreparedStatement
  /** The answer when the statement yields no row. */
  readonly whenEmpty: string
  readonly path: Path | null
}

/** A step of the plan and its statement. */
export interface ProgramStep extends Pick<MutationStep, 'path' | 'refusal'> {
  readonly statement: PreparedStatement
  readonly before: readonly ProgramStep[]
  readonly after: readonly ProgramStep[]
  /** Takes the first of the returned rows. */
  readonly slot: number | null
  /** Whether the last column is the row itself, as text of its row type. */
  readonly handsOver: boolean
}

/** Prints the statements of a plan, whose answer is put into an envelope. */
export function mutationProgram(plan: MutationPlan, options: PrinterOptions, envelope = noEnvelope): MutationProgram {
  const { steps, answer } = plan
  const [first] = steps
  const whenEmpty = answerText(answer, 0, envelope)
  if (!first) return { kind: 'constant', text: whenEmpty }
  const isAlone = steps.length === 1 && first.before.length === 0 && first.after.length === 0
  if (isAlone && outputsOf(answer).every(isOfRowAlone)) {
    const statement = prepare(directStatement(first.change, answer, new Printer(options), envelope))
    return { kind: 'direct', statement, whenEmpty, path: first.path }
  }
  const handsOver = outputsOf(answer).length > 0
  const printed = steps.map((step) => programStep(step, handsOver, options))
  const answering = handsOver ? prepare(answerStatement(plan, new Printer(options), envelope)) : null
  return { kind: 'staged', steps: printed, answer, envelope, answering }
}

/** All statements that a program may run. */
export function programStatements(program: MutationProgram): readonly PreparedStatement[] {
  switch (program.kind) {
    case 'constant':
      return []
    case 'direct':
      return [program.statement]
    case 'staged':
      return [...program.steps.flatMap(stepStatements), ...(program.answering ? [program.answering] : [])]
  }
}

/** The answer when no row is part of it. */
export function answerText(answer: MutationAnswer, affected: number, { prefix, suffix }: Envelope): string {
  return `${prefix}${answer.kind === 'row' ? 'null' : responseText(answer.entries, affected)}${suffix}`
}

function responseText(entries: readonly ResponseEntry[], affected: number): string {
  const members = entries.map(({ key, value }) => {
    const text = value.kind === 'affected' ? String(affected) : value.kind === 'json' ? value.text : '[]'
    return `${JSON.stringify(key)}:${text}`
  })
  return `{${members.join(',')}}`
}

/** What the answer shows of rows. */
function outputsOf(answer: MutationAnswer): readonly Output[] {
  if (answer.kind === 'row') return [answer.output]
  return answer.entries.flatMap(({ value }) => (value.kind === 'returning' ? [value.output] : []))
}

/** Whether an output needs nothing but the row's own columns. */
function isOfRowAlone(output: Output): boolean {
  switch (output.kind) {
    case 'object':
      return output.entries.every(({ value }) => isOfRowAlone(value))
    case 'sql':
      return output.columnsOnly === true
    default:
      return output.kind === 'column' || output.kind === 'json' || output.kind === 'deferred'
  }
}

function directStatement(change: Change, answer: MutationAnswer, printer: Printer, envelope: Envelope): Statement {
  const frameOf = (row: Sql): Frame => ({ row, joins: [], toOne: 'behind' })
  if (answer.kind === 'row') {
    const returning = (row: Sql) => [soleOutputSql(answer.output, frameOf(row), printer, envelope)]
    return printer.finishChange(changeSql(change, returning, printer))
  }
  const outputs = outputsOf(answer)
  const returning = (row: Sql) => outputs.map((output) => outputSql(output, frameOf(row), printer))
  const changed = changeSql(change, returning, printer)
  const rows = printer.alias()
  const lists = outputs.map((_, i) => listSql(sql`${rows}.${trusted(`j${i}`)}`))
  const response = responseSql(answer.entries, sql`count(*)::text`, lists, envelope)
  // HAVING makes one answer of all rows, or none, even where nothing of the answer counts or lists them.
  const trial = printer.trial()
  const where = trial ? sql` where ${trial}` : empty
  return compile(sql`with ${rows} as (${changed}) select ${response} from ${rows}${where} having true`)
}

const listSql = (item: Sql): Sql => sql`'[' || coalesce(string_agg(${item}, ','), '') || ']'`

/** `lists` holds the text of each `returning`, in order. */
function responseSql(
  entries: readonly ResponseEntry[],
  affected: Sql,
  lists: readonly Sql[],
  { prefix, suffix }: Envelope,
): Sql {
  const pieces: (string | Sql)[] = [`${prefix}{`]
  let list = 0
  for (const [i, { key, value }] of entries.entries()) {
    pieces.push(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`)
    if (value.kind === 'affected') pieces.push(affected)
    else pieces.push(value.kind === 'json' ? value.text : lists[list++]!)
  }
  return concat([...pieces, `}${suffix}`])
}

function programStep(step: MutationStep, handsOver: boolean, options: PrinterOptions): ProgramStep {
  const { change, path, refusal, returns, before, after } = step
  const returning = (row: Sql) => [
    ...(returns?.columns ?? []).map((column) => sql`${columnSql(row, column)}::text`),
    ...(handsOver ? [sql`(${row}.*)::${tableSql(change.table)}::text`] : []),
  ]
  const printer = new Printer(options)
  return {
    statement: prepare(printer.finishChange(changeSql(change, returning, printer))),
    path,
    refusal,
    before: before.map((other) => programStep(other, false, options)),
    after: after.map((other) => programStep(other, false, options)),
    slot: returns?.slot ?? null,
    handsOver,
  }
}

const stepStatements = (step: ProgramStep): PreparedStatement[] => [
  ...step.before.flatMap(stepStatements),
  step.statement,
  ...step.after.flatMap(stepStatements),
]

const answerParam = (column: number): ParamSource => ({ from: 'slot', slot: answerSlot, column })

/** The answer, made of the rows that the steps handed over, in their order. */
function answerStatement({ table, answer }: MutationPlan, printer: Printer, envelope: Envelope): Statement {
  const rows: Rows = { ...allRows, from: { kind: 'rows', table, source: answerParam(1) }, where: always }
  const set = rowSet(rows, printer, null)
  // Fenced, because nothing else would keep the planner from changing the order of the rows.
  const frame: Frame = { row: set.row, joins: [], toOne: 'fenced' }
  const affected = param(answerParam(0), 'text')
  const lists = (outputs: readonly Output[]) => outputs.map((output) => listSql(outputSql(output, frame, printer)))
  const text =
    answer.kind === 'row'
      ? soleOutputSql(answer.output, frame, printer, envelope)
      : responseSql(answer.entries, affected, lists(outputsOf(answer)), envelope)
  return printer.finish(sql`select ${text} ${set.from}${join(frame.joins, '')}`)
}
