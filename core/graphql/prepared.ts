// An operation planned and printed: what is left for a request is to bind values, run, and hand the bytes on.

import { inputsOf, sessionVariablesOf } from '../compiler/bind.ts'
import {
  type DirectProgram,
  type MutationProgram,
  mutationProgram,
  programStatements,
} from '../compiler/mutation-program.ts'
import type { PrinterOptions } from '../compiler/printer.ts'
import { type RootEntry, rootStatement } from '../compiler/root-sql.ts'
import { type Envelope, noEnvelope } from '../compiler/select-sql.ts'
import type { ParamSource } from '../database/param.ts'
import { type PreparedStatement, prepare } from '../database/prepared-statement.ts'
import type { Operation } from './document.ts'
import { effectfulNames } from './effectful.ts'
import { type PlannedField, planOperation } from './plan.ts'
import type { PlanContext, RowJoin } from './plan-context.ts'

/** Neighbouring root fields that the database answers with one statement. */
export interface StatementSegment {
  readonly kind: 'statement'
  readonly statement: AnsweringStatement
}

/** A statement and what to answer when it yields no row. */
export interface AnsweringStatement extends PreparedStatement {
  readonly whenEmpty: string
}

export type Segment =
  | StatementSegment
  /** Known when planning, such as `__typename`. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mutation'; readonly program: MutationProgram }
  | { readonly kind: 'resolved'; readonly field: Extract<PlannedField, { kind: 'resolved' }> }

export interface PreparedOperation {
  readonly operation: Operation
  /** Response names of the root fields, and the statement that answers each; null where it is not the database. */
  readonly answeredBy: ReadonlyMap<string, AnsweringStatement | null>
  readonly sessionVariables: readonly string[]
  /** The parameters of all statements that the request gives a value. */
  readonly inputs: readonly ParamSource[]
  readonly joins: readonly RowJoin[]
  /** Set when one statement gives the whole body, `{"data":{…}}`, and nothing is left to do. */
  readonly whole: AnsweringStatement | null
  /** The same of a statement that writes. */
  readonly direct: DirectProgram | null
  /** In the order of the answer. */
  readonly segments: readonly Segment[]
  /** Whether the only segment gives the whole body. */
  readonly isSole: boolean
  /** Characters of all its statements. */
  readonly textSize: number
}

/** What the whole body has around its members. */
const body: Envelope = { prefix: '{"data":{', suffix: '}}' }

/** Plans and prints. */
export function prepareOperation(context: PlanContext): PreparedOperation {
  const { operation } = context
  const fields = planOperation(context)
  const { joins } = context
  const options = { ...printerOptions(context), effectful: effectfulNames(context.schema.model) }
  const outputs = fields.filter((field) => field.kind === 'output')
  const isWhole = outputs.length === fields.length && !outputs.every(isConstant) && joins.length === 0
  if (isWhole && operation.kind !== 'mutation') {
    const whole = answering(outputs, body, options)
    const { params } = whole
    const needs = { sessionVariables: sessionVariablesOf(params), inputs: inputsOf(params) }
    const answeredBy = new Map(outputs.map(({ key }) => [key, whole]))
    const textSize = whole.text.length
    return { operation, answeredBy, ...needs, joins, whole, direct: null, segments: [], isSole: false, textSize }
  }
  const answeredBy = new Map<string, AnsweringStatement | null>(fields.map(({ key }) => [key, null]))
  const isSole = fields.length === 1 && fields[0]!.kind === 'mutation' && joins.length === 0
  const segments = segmentsOf(fields, options, answeredBy, isSole ? body : noEnvelope)
  const statements = segments.flatMap(statementsOf)
  const params = statements.flatMap((statement) => statement.params)
  const textSize = statements.reduce((size, { text }) => size + text.length, 0)
  const needs = { sessionVariables: sessionVariablesOf(params), inputs: inputsOf(params) }
  const [sole] = segments
  const direct = isSole && sole?.kind === 'mutation' && sole.program.kind === 'direct' ? sole.program : null
  return { operation, answeredBy, ...needs, joins, whole: null, direct, segments, isSole, textSize }
}

/** How the statements of an operation are printed. */
export const printerOptions = ({ schema }: PlanContext): PrinterOptions => ({
  stringifyNumbers: schema.settings.stringifyNumericTypes,
  serverVersion: schema.serverVersion,
})

interface AnsweringOptions extends PrinterOptions {
  /** As {@link effectfulNames} gives them. */
  readonly effectful: readonly string[]
}

function answering(entries: readonly RootEntry[], envelope: Envelope, options: AnsweringOptions): AnsweringStatement {
  const statement = rootStatement(entries, envelope, options)
  // By its text, which holds what plugins print as well.
  const onlyReads = !options.effectful.some((name) => statement.text.includes(name))
  return Object.assign(prepare(statement, { onlyReads }), { whenEmpty: statement.whenEmpty })
}

type OutputField = Extract<PlannedField, { kind: 'output' }>

const isConstant = ({ output }: OutputField): boolean => output.kind === 'json'

function constantSegment(fields: readonly OutputField[]): Segment {
  const members = fields.map(({ key, output }) => {
    return `${JSON.stringify(key)}:${output.kind === 'json' ? output.text : 'null'}`
  })
  return { kind: 'text', text: members.join(',') }
}

/**
 * Neighbouring outputs become one segment; which statement answers which field is noted in `answeredBy`. `around` is what
 * a mutation gives besides its member.
 */
function segmentsOf(
  fields: readonly PlannedField[],
  options: AnsweringOptions,
  answeredBy: Map<string, AnsweringStatement | null>,
  around: Envelope,
): Segment[] {
  const segments: Segment[] = []
  let run: OutputField[] = []
  const flush = () => {
    if (run.length === 0) return
    if (run.every(isConstant)) segments.push(constantSegment(run))
    else {
      const statement = answering(run, noEnvelope, options)
      for (const { key } of run) answeredBy.set(key, statement)
      segments.push({ kind: 'statement', statement })
    }
    run = []
  }
  for (const field of fields) {
    if (field.kind === 'output') {
      run.push(field)
      continue
    }
    flush()
    if (field.kind === 'resolved') segments.push({ kind: 'resolved', field })
    else {
      const envelope = { prefix: `${around.prefix}${JSON.stringify(field.key)}:`, suffix: around.suffix }
      segments.push({ kind: 'mutation', program: mutationProgram(field.plan, options, envelope) })
    }
  }
  flush()
  return segments
}

function statementsOf(segment: Segment): readonly PreparedStatement[] {
  if (segment.kind === 'statement') return [segment.statement]
  return segment.kind === 'mutation' ? programStatements(segment.program) : []
}
