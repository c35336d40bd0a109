// An operation planned and printed. A request then only binds values, runs the steps, and forwards the bytes.

import { type BatchStatement, batchStatement } from '../../compiler/print/batch-sql.ts'
import { type CallProgram, callProgram } from '../../compiler/print/call-program.ts'
import { type KeyedReads, keyedReads } from '../../compiler/print/keyed-reads.ts'
import {
  type ListProgram,
  listProgram,
  type MergedProgram,
  programStatements,
} from '../../compiler/print/mutation-list.ts'
import { type DirectProgram, type MutationProgram, mutationProgram } from '../../compiler/print/mutation-program.ts'
import { inMember, type RootEntry, rootQuery, rootStatement } from '../../compiler/print/root-sql.ts'
import { type Envelope, noEnvelope } from '../../compiler/print/select-sql.ts'
import { inputsOf, sessionVariablesOf } from '../../compiler/run/bind.ts'
import type { ParamSource } from '../../database/sql/param.ts'
import type { PreparedStatement } from '../../database/sql/prepared-statement.ts'
import { badRequest } from '../../errors/errors.ts'
import { pathKeys } from '../../errors/path.ts'
import { nameKey, nameText } from '../../names/names.ts'
import type { CallArguments } from '../read/arguments.ts'
import type { GraphQLOperation } from '../read/document.ts'
import type { PlanContext, Variables } from '../read/plan-context.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import type { FieldSelection } from '../read/selection.ts'
import type { CallGroup } from '../schema/call.ts'
import type { PreparedFeed } from './feed.ts'
import { type PlannedField, type PreparedGuard, planOperation } from './plan.ts'
import { printerOptions, reading } from './printing.ts'
import type { CallStep, JoinStep, RootCall } from './steps.ts'

/** A statement, and the answer if it returns no row. */
export interface AnsweringStatement extends PreparedStatement {
  readonly whenEmpty: string
}

/** A statement that answers any number of subscribers. */
export interface PreparedBatch
  extends PreparedStatement,
    Pick<BatchStatement, 'memberParams' | 'memberTypes' | 'whenEmpty'> {
  /** The rows that matter to a subscriber, by its parameters. */
  readonly reads: KeyedReads
}

/** The member that a step's text consists of, if its fields stand in a namespace; neighbours may have the same one. */
interface Placed {
  readonly within?: string
}

/** Consecutive root fields that the database answers with one statement. */
export interface StatementStep extends Placed {
  readonly kind: 'statement'
  readonly statement: AnsweringStatement
  readonly joins: readonly JoinStep[]
}

/** A root field that changes the database. */
export interface ChangeStep extends Placed {
  readonly kind: 'change'
  readonly program: MutationProgram | ListProgram | MergedProgram | CallProgram
  readonly joins: readonly JoinStep[]
}

/** A part of the answer, by its executor. Steps that depend on it are nested in it. */
export type Step =
  | StatementStep
  | ChangeStep
  | RootCall
  /** Known at planning time, such as `__typename`. */
  | ({ readonly kind: 'text'; readonly text: string } & Placed)
  | IntrospectionStep

/** A root field that the schema answers. */
export interface IntrospectionStep {
  readonly kind: 'introspection'
  readonly field: FieldSelection
}

export interface PreparedOperation {
  readonly operation: GraphQLOperation
  /** Response names of the root fields and the statement that answers each; null if the database does not answer it. */
  readonly answeredBy: ReadonlyMap<string, AnsweringStatement | null>
  /** All statements that it may run. */
  readonly statements: readonly PreparedStatement[]
  readonly sessionVariables: readonly string[]
  /** The parameters of all statements that take a value from the request. */
  readonly inputs: readonly ParamSource[]
  /** Set when one statement returns the whole body, `{"data":{…}}`. */
  readonly whole: AnsweringStatement | null
  /** Set when one writing statement returns the whole body. */
  readonly direct: DirectProgram | null
  /** For a subscription: the statement that answers any number of subscribers. Joins in `steps` may need its rows. */
  readonly batch: PreparedBatch | null
  /** For a subscription that no statement answers: the feed of its results. */
  readonly feed: PreparedFeed | null
  /** In the order of the answer; empty when `whole` is set. */
  readonly steps: readonly Step[]
  /** Whether the only step returns the whole body. */
  readonly isSole: boolean
  /** The work before the changes of a mutation. */
  readonly guards: readonly PreparedGuard[]
  /** The arguments of fields that no statement answers, and of guarded fields; null when there are no such fields. */
  readonly calls: CallArguments | null
  /** The group that answers the whole operation with one call, if there is one. */
  readonly soleGroup: CallGroup | null
  /** Characters of all its statements. */
  readonly textSize: number
}

/** An operation together with the values of a request. */
export interface PlannedRequest {
  readonly schema: PlannedSchema
  readonly prepared: PreparedOperation
  readonly variables: Variables
}

/** The text around the members of the whole body. */
export const body: Envelope = { prefix: '{"data":{', suffix: '}}' }

/** Plans and prints an operation. */
export function prepareOperation(context: PlanContext): PreparedOperation {
  const { operation } = context
  const fields = planOperation(context)
  const outputs = fields.filter((field) => field.kind === 'output')
  const isWhole =
    outputs.length === fields.length && !outputs.every(isConstant) && outputs.every(({ joins }) => joins.length === 0)
  if (operation.kind === 'subscription') return prepareSubscription(fields, context)
  if (isWhole && operation.kind === 'query') return prepareWhole(outputs, context)
  const answeredBy = new Map<string, AnsweringStatement | null>(fields.map((field) => [placeOf(field), null]))
  const isSole = fields.length === 1 && fields[0]!.kind === 'mutation' && fields[0]!.joins.length === 0
  const steps = new StepsOfFields(context, answeredBy, isSole ? body : noEnvelope).of(fields)
  const [sole] = steps
  const guards = fields.flatMap((field) => (field.kind === 'mutation' ? field.guards : []))
  const isAlone = isSole && guards.length === 0
  const direct = isAlone && sole?.kind === 'change' && sole.program.kind === 'direct' ? sole.program : null
  const needs = needsOf(steps.flatMap(statementsOf))
  const soleGroup = soleGroupOf(steps)
  const calls = steps.some(hasCalls) || guards.length > 0 ? context.calls : null
  return {
    operation,
    answeredBy,
    ...needs,
    whole: null,
    direct,
    ...noSubscription,
    steps,
    isSole,
    guards,
    calls,
    soleGroup,
  }
}

const noSubscription = { batch: null, feed: null } as const

type OutputField = Extract<PlannedField, { kind: 'output' }>

/** The place of a field in the answer. */
const placeOf = ({ key, within }: Pick<PlannedField, 'key' | 'within'>): string =>
  within === undefined ? key : `${within}.${key}`

function prepareWhole(outputs: readonly OutputField[], context: PlanContext): PreparedOperation {
  const { operation } = context
  const whole = answering(outputs, body, context)
  const answeredBy = new Map(outputs.map((field) => [placeOf(field), whole]))
  const none = { direct: null, ...noSubscription, steps: [], isSole: false, guards: [], calls: null, soleGroup: null }
  return { operation, answeredBy, ...needsOf([whole]), whole, ...none }
}

function prepareSubscription(fields: readonly PlannedField[], context: PlanContext): PreparedOperation {
  const [first] = fields
  if (first?.kind === 'feed') return prepareFeed(first, context)
  const outputs = fields.map((field) => {
    if (field.kind === 'output') return field
    const path = field.kind === 'call' ? pathKeys(field.call.field.path) : []
    throw badRequest('not-supported', `"${field.key}" cannot be subscribed to`, { path })
  })
  const prepared = prepareWhole(outputs, context)
  const options = printerOptions(context)
  const reads = keyedReads(
    outputs.map(({ output }) => output),
    options,
  )
  refuseDistributed(reads, context)
  const batch = batchStatement(rootQuery(outputs, body, options))
  const { memberParams, memberTypes, whenEmpty } = batch
  const subscription = {
    ...prepared,
    batch: Object.assign(reading(batch, context), {
      ...{ memberParams, memberTypes, whenEmpty, reads },
    }),
  }
  const joins = outputs.flatMap((field) => field.joins)
  if (joins.length === 0) return subscription
  const waiting = needsOf(joins.flatMap(statementsOfCall))
  return {
    ...subscription,
    whole: null,
    steps: [{ kind: 'statement', statement: prepared.whole!, joins }],
    calls: context.calls,
    sessionVariables: [...new Set([...prepared.sessionVariables, ...waiting.sessionVariables])],
    inputs: [...prepared.inputs, ...waiting.inputs],
    textSize: prepared.textSize + waiting.textSize,
  }
}

/** Writes on other machines leave no trace on this one, so a subscription would miss them. */
function refuseDistributed({ tables }: KeyedReads, { schema: { model } }: PlanContext): void {
  for (const { table } of tables) {
    const distribution = model.tables.get(nameKey(table))?.catalog.distribution
    if (!distribution || distribution.kind === 'local') continue
    const message = `subscriptions cannot follow the distributed table "${nameText(table)}"`
    throw badRequest('not-supported', `${message}: its rows are on other machines; send a query at intervals instead`)
  }
}

function prepareFeed({ key, feed }: Extract<PlannedField, { kind: 'feed' }>, context: PlanContext): PreparedOperation {
  const { operation, calls } = context
  const own = { answeredBy: new Map([[key, null]]), ...needsOf(statementsOfCall(feed.call)) }
  const none = { whole: null, direct: null, batch: null, isSole: false, guards: [], soleGroup: null }
  return { operation, ...own, ...none, feed, steps: [feed.call], calls }
}

function needsOf(statements: readonly PreparedStatement[]) {
  const params = statements.flatMap((statement) => statement.params)
  const textSize = statements.reduce((size, { text }) => size + text.length, 0)
  return { statements, sessionVariables: sessionVariablesOf(params), inputs: inputsOf(params), textSize }
}

function answering(entries: readonly RootEntry[], envelope: Envelope, context: PlanContext): AnsweringStatement {
  const statement = rootStatement(entries, envelope, printerOptions(context))
  return Object.assign(reading(statement, context), { whenEmpty: statement.whenEmpty })
}

const isConstant = ({ output }: OutputField): boolean => output.kind === 'json'

function constantStep(fields: readonly OutputField[]): Step {
  const members = fields.map(({ key, output }) => {
    return `${JSON.stringify(key)}:${output.kind === 'json' ? output.text : 'null'}`
  })
  const [{ within } = {}] = fields
  const { prefix, suffix } = inMember(within, noEnvelope)
  return { kind: 'text', text: `${prefix}${members.join(',')}${suffix}`, ...(within !== undefined && { within }) }
}

/**
 * Creates the steps of root fields. Consecutive outputs become one step; `answeredBy` records the statement of each
 * field. `around` is the text around a mutation's member.
 */
class StepsOfFields {
  readonly #context: PlanContext
  readonly #answeredBy: Map<string, AnsweringStatement | null>
  readonly #around: Envelope

  constructor(context: PlanContext, answeredBy: Map<string, AnsweringStatement | null>, around: Envelope) {
    this.#context = context
    this.#answeredBy = answeredBy
    this.#around = around
  }

  of(fields: readonly PlannedField[]): Step[] {
    const steps: Step[] = []
    let neighbours: OutputField[] = []
    const flush = () => {
      if (neighbours.length > 0) steps.push(this.#outputs(neighbours))
      neighbours = []
    }
    for (const field of fields) {
      if (neighbours.length > 0 && neighbours[0]!.within !== field.within) flush()
      if (field.kind === 'output') neighbours.push(field)
      else {
        flush()
        steps.push(this.#alone(field))
      }
    }
    flush()
    return steps
  }

  #outputs(fields: readonly OutputField[]): Step {
    if (fields.every(isConstant)) return constantStep(fields)
    const statement = answering(fields, noEnvelope, this.#context)
    for (const field of fields) this.#answeredBy.set(placeOf(field), statement)
    const [{ within } = {}] = fields
    const joins = fields.flatMap((field) => field.joins)
    return { kind: 'statement', statement, joins, ...(within !== undefined && { within }) }
  }

  #alone(field: Exclude<PlannedField, OutputField>): Step {
    if (field.kind === 'feed') return field.feed.call
    if (field.kind === 'call') return field.call
    if (field.kind === 'introspection') return field
    const { plan, joins, within } = field
    const around = inMember(within, this.#around)
    const envelope = { prefix: `${around.prefix}${JSON.stringify(field.key)}:`, suffix: around.suffix }
    const options = printerOptions(this.#context)
    const place = within === undefined ? {} : { within }
    if ('call' in plan) {
      const program = callProgram(plan, field.key, { envelope: around, options })
      return { kind: 'change', program, joins, ...place }
    }
    const program = 'list' in plan ? listProgram(plan, options, envelope) : mutationProgram(plan, options, envelope)
    return { kind: 'change', program, joins, ...place }
  }
}

/** Whether fields of the step have arguments that are not parameters of its statement. */
const hasCalls = (step: Step): boolean =>
  step.kind === 'call' || step.kind === 'introspection' || ('joins' in step && step.joins.length > 0)

function soleGroupOf(steps: readonly Step[]): CallGroup | null {
  const groups = new Set(steps.map((step) => (step.kind === 'call' ? step.planner.group : undefined)))
  return groups.size === 1 ? ([...groups][0] ?? null) : null
}

function statementsOf(step: Step): readonly PreparedStatement[] {
  switch (step.kind) {
    case 'statement':
      return [step.statement, ...step.joins.flatMap(statementsOfCall)]
    case 'change':
      return [...programStatements(step.program), ...step.joins.flatMap(statementsOfCall)]
    case 'call':
      return statementsOfCall(step)
    default:
      return []
  }
}

function statementsOfCall({ statement, members }: CallStep): PreparedStatement[] {
  const below = [...members.values()].flatMap((member) => (member.kind === 'call' ? [member.step] : member.joins))
  return [...(statement ? [statement] : []), ...below.flatMap(statementsOfCall)]
}
