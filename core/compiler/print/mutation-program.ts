import { type PreparedStatement, prepare } from '../../database/sql/prepared-statement.ts'
import { compile, empty, join, param, type Sql, type Statement, sql, trusted } from '../../database/sql/sql.ts'
import type { Path } from '../../errors/path.ts'
import type { Change, MutationAnswer, MutationPlan, MutationStep, ResponseEntry } from '../plan/mutation-plan.ts'
import { isOfColumns, type Output } from '../plan/plan.ts'
import { usedColumns } from '../plan/used-columns.ts'
import { Printer, type PrinterOptions } from '../printer.ts'
import { columnSql } from './condition-sql.ts'
import { concat } from './json-sql.ts'
import { changeSql, noText, type Returning } from './mutation-sql.ts'
import { answerParam, type Needed, neededSql, returnedRows } from './returned-rows.ts'
import { placedColumns, type RowCheckProgram, rowCheckProgram } from './row-check.ts'
import { type Envelope, type Frame, noEnvelope, outputSql, soleOutputSql } from './select-sql.ts'

export type MutationProgram =
  /** Nothing to run. */
  { readonly kind: 'constant'; readonly text: string } | DirectProgram | StagedProgram

/** Statements that run one after the other. */
export interface StagedProgram {
  readonly kind: 'staged'
  readonly steps: readonly ProgramStep[]
  readonly answer: MutationAnswer
  readonly envelope: Envelope
  /** Builds the answer from the rows that the steps returned; null if the answer shows no rows. */
  readonly answering: PreparedStatement | null
  /** The handed over column that must have the same value in all rows; null: rows may differ. */
  readonly sole: { readonly index: number; readonly column: string } | null
}

/** One statement that builds the answer itself. */
export interface DirectProgram {
  readonly kind: 'direct'
  readonly statement: PreparedStatement
  /** The answer if the statement yields no row. */
  readonly whenEmpty: string
  readonly path: Path | null
}

/** A step of the plan, with its statement. */
export interface ProgramStep extends Pick<MutationStep, 'path' | 'refusal'> {
  readonly statement: PreparedStatement
  readonly before: readonly ProgramStep[]
  readonly after: readonly ProgramStep[]
  /** The check of the returned rows; null: the statement checks them itself. */
  readonly check: RowCheckProgram | null
  /** The slot that takes the first of the returned rows. */
  readonly slot: number | null
  /** The first column that other steps read. */
  readonly ownFrom: number
  /** The first column that the answer needs; null if the step is not part of the answer. */
  readonly handsOverFrom: number | null
}

/** Prints the statements of a plan, with the answer in an envelope. */
export function mutationProgram(plan: MutationPlan, options: PrinterOptions, envelope = noEnvelope): MutationProgram {
  const { steps, answer } = plan
  const [first] = steps
  const whenEmpty = answerText(answer, 0, envelope)
  if (!first) return { kind: 'constant', text: whenEmpty }
  const isSole = steps.length === 1 && first.before.length === 0 && first.after.length === 0
  const isAlone = isSole && first.change.form !== 'alone' && mayAnswer(first.change, answer)
  if (isAlone && outputsOf(answer).every(isOfColumns)) {
    const statement = prepare(directStatement(first.change, answer, new Printer(options), envelope))
    return { kind: 'direct', statement, whenEmpty, path: first.path }
  }
  const answering = outputsOf(answer).length > 0 ? answerStatement(plan, new Printer(options), envelope) : null
  const needed = answering?.needed ?? null
  return {
    kind: 'staged',
    steps: steps.map((step) => programStep(step, needed, options)),
    answer,
    envelope,
    answering: answering && prepare(answering.statement),
    sole: answering?.sole ?? null,
  }
}

/** Whether the change may return the answer: Citus takes no functions there. */
const mayAnswer = (change: Change, answer: MutationAnswer): boolean =>
  !change.distributed || (outputsOf(answer).length === 0 && (change.kind === 'delete' || change.check === null))

/** The answer if it shows no rows. */
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

/** The outputs of rows in the answer. */
export function outputsOf(answer: MutationAnswer): readonly Output[] {
  if (answer.kind === 'row') return [answer.output]
  return answer.entries.flatMap(({ value }) => (value.kind === 'returning' ? [value.output] : []))
}

function directStatement(change: Change, answer: MutationAnswer, printer: Printer, envelope: Envelope): Statement {
  const frameOf = (row: Sql): Frame => ({ row, joins: [], toOne: 'behind' })
  if (answer.kind === 'row') {
    const returning: Returning = (row) => [soleOutputSql(answer.output, frameOf(row), printer, envelope)]
    return printer.finishChange(changeSql(change, returning, printer), change)
  }
  const outputs = outputsOf(answer)
  const returning: Returning = (row) => {
    const [first = noText, ...others] = outputs.map((output) => outputSql(output, frameOf(row), printer))
    return [first, ...others]
  }
  const changed = changeSql(change, returning, printer)
  const rows = printer.alias()
  const lists = outputs.map((_, i) => listSql(sql`${rows}.${trusted(`j${i}`)}`))
  const response = responseSql(answer.entries, sql`count(*)::text`, lists, envelope)
  // HAVING yields one answer for all rows, or no answer, even if the answer neither counts nor lists them.
  const trial = printer.trial()
  const where = trial ? sql` where ${trial}` : empty
  return printer.commented(sql`with ${rows} as (${changed}) select ${response} from ${rows}${where} having true`)
}

/** The JSON text of a list, ordered by an expression if there is one. */
export const listSql = (item: Sql, order: Sql | null = null): Sql =>
  sql`'[' || coalesce(string_agg(${item}, ','${order ? sql` order by ${order}` : empty}), '') || ']'`

/** `lists` holds the text of each `returning`, in order. */
export function responseSql(
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

/** The values arrive in PostgreSQL's text format, and need no further conversion. */
function programStep(step: MutationStep, needed: Needed | null, options: PrinterOptions): ProgramStep {
  const { change, path, refusal, returns, before, after } = step
  const columns = returns?.columns ?? []
  const check = rowCheckProgram(change, options)
  const printed = check ? { ...change, check: null } : change
  const isChecked = printed.kind !== 'delete' && printed.check !== null
  const returning: Returning = (row) => {
    const own = columns.map((column) => columnSql(row, column))
    const checked = neededSql(check?.needed ?? null, change.table, row)
    const [first = noText, ...others] = [...checked, ...own, ...neededSql(needed, change.table, row)]
    return isChecked ? [noText, first, ...others] : [first, ...others]
  }
  const ownFrom = isChecked ? 1 : widthOf(check?.needed)
  const printer = new Printer(options)
  const changed = changeSql(printed, returning, printer)
  const trial = change.form === 'alone' || change.distributed ? printer.trial() : null
  return {
    statement: prepare(printer.finishChange(changed, change)),
    path,
    refusal,
    before: [...(trial ? [trialStep(trial, path)] : []), ...before.map((other) => programStep(other, null, options))],
    after: after.map((other) => programStep(other, null, options)),
    check,
    slot: returns?.slot ?? null,
    ownFrom,
    handsOverFrom: needed === null ? null : ownFrom + columns.length,
  }
}

/** The number of values that return these parts of a row. */
const widthOf = (needed: Needed | undefined): number => (needed === 'whole' ? 1 : (needed?.length ?? 0))

/** A statement without rows that fails if one of the expressions does. */
const trialStep = (trial: Sql, path: Path | null): ProgramStep => ({
  statement: prepare(compile(sql`select where not (${trial})`)),
  path,
  refusal: null,
  before: [],
  after: [],
  check: null,
  slot: null,
  ownFrom: 0,
  handsOverFrom: null,
})

/** Builds the answer from the rows that the steps returned, in their order; also returns the columns that it needs. */
function answerStatement(
  { table, steps, answer }: MutationPlan,
  printer: Printer,
  envelope: Envelope,
): Pick<StagedProgram, 'sole'> & { readonly statement: Statement; readonly needed: Needed } {
  const row = printer.alias()
  // Without the fence the planner might change the order of the rows.
  const frame: Frame = { row, joins: [], toOne: 'fenced' }
  const affected = param(answerParam(0), 'text')
  const lists = (outputs: readonly Output[]) => outputs.map((output) => listSql(outputSql(output, frame, printer)))
  const text =
    answer.kind === 'row'
      ? soleOutputSql(answer.output, frame, printer, envelope)
      : responseSql(answer.entries, affected, lists(outputsOf(answer)), envelope)
  const names = usedColumns(row, [text, ...frame.joins])
  const place = { column: steps[0]!.change.distributed?.column ?? null, columns: table.columns }
  const { needed, sole } = placedColumns(names, place, !outputsOf(answer).every(isOfColumns))
  const rows = returnedRows(needed, table.name, { printer, sole })
  return {
    statement: printer.finish(sql`select ${text} from ${rows} as ${row}${join(frame.joins, '')}`),
    needed,
    sole: sole === null ? null : { index: sole, column: place.column! },
  }
}
