// Prints a list of mutations of one field. Updates that each change the row with a key of its own are one statement, if
// the order among them has no effect. The statement itself finds that out, and changes nothing otherwise.

import { type PreparedStatement, prepare } from '../../database/sql/prepared-statement.ts'
import {
  empty,
  id,
  join,
  literal,
  param,
  type Sql,
  type Statement,
  sql,
  trusted,
  typed,
} from '../../database/sql/sql.ts'
import { type EachValue, type MergedUpdates, mergedUpdates } from '../plan/merged-updates.ts'
import { updateSql } from '../plan/mutation-operators.ts'
import type { MutationList } from '../plan/mutation-plan.ts'
import { isOfColumns } from '../plan/plan.ts'
import { Printer, type PrinterOptions } from '../printer.ts'
import { coreOperatorSql } from '../types/operators.ts'
import type { CallProgram } from './call-program.ts'
import { columnSql, conditionSql, isTrue, tableSql } from './condition-sql.ts'
import { concat } from './json-sql.ts'
import {
  listSql,
  type MutationProgram,
  mutationProgram,
  outputsOf,
  type ProgramStep,
  responseSql,
} from './mutation-program.ts'
import { noText, returningSql } from './mutation-sql.ts'
import { type Envelope, noEnvelope, outputSql } from './select-sql.ts'

/** Programs that run in order, and answer with a list. */
export interface ListProgram {
  readonly kind: 'list'
  readonly programs: readonly MutationProgram[]
  readonly envelope: Envelope
}

/** One statement for a list of updates. It returns no row, and changes nothing, if they have to run in order. */
export interface MergedProgram {
  readonly kind: 'merged'
  readonly statement: PreparedStatement
  /** The updates one by one; printed when they are first needed. */
  inOrder(): MutationProgram | ListProgram
}

/** As {@link mutationProgram}, for the plans of a list. */
export function listProgram(
  mutations: MutationList,
  options: PrinterOptions,
  envelope = noEnvelope,
): MutationProgram | ListProgram | MergedProgram {
  const merged = mergedUpdates(mutations)
  const inOrder = () => orderedProgram(mutations, options, envelope)
  if (!merged || !outputsOf(merged.answer).every(isOfColumns)) return inOrder()
  let printed: MutationProgram | ListProgram | undefined
  return {
    kind: 'merged',
    statement: prepare(new MergedPrinter(merged, options).statement(envelope)),
    inOrder() {
      printed ??= inOrder()
      return printed
    },
  }
}

function orderedProgram(
  { list }: MutationList,
  options: PrinterOptions,
  envelope: Envelope,
): MutationProgram | ListProgram {
  const programs = list.map((each) => mutationProgram(each, options))
  const texts = programs.map((program) => (program.kind === 'constant' ? program.text : null))
  const { prefix, suffix } = envelope
  if (texts.every((text) => text !== null)) return { kind: 'constant', text: `${prefix}[${texts.join(',')}]${suffix}` }
  return { kind: 'list', programs, envelope }
}

/** Prints merged updates. The values of the updates are rows, numbered in their order. */
class MergedPrinter {
  readonly #merged: MergedUpdates
  readonly #printer: Printer
  readonly #each: EachValue[] = []
  readonly #given: Sql
  readonly #apart: Sql
  readonly #number = trusted('n')

  constructor(merged: MergedUpdates, options: PrinterOptions) {
    this.#merged = merged
    this.#printer = new Printer(options)
    this.#given = this.#printer.alias()
    this.#apart = this.#printer.alias()
  }

  statement(envelope: Envelope): Statement {
    const printer = this.#printer
    const [updated, given, apart, number] = [printer.alias(), this.#given, this.#apart, this.#number]
    const changed = this.#changed()
    const { answer } = this.#merged
    const isThere = sql`${updated}.${number} is not null`
    const orNothing = (text: Sql, nothing: string) =>
      sql`case when ${isThere} then ${text} else ${literal(nothing)} end`
    const lists = outputsOf(answer).map((_, i) => {
      return orNothing(sql`'[' || ${updated}.${trusted(`j${i}`)} || ']'`, '[]')
    })
    const item = responseSql(answer.entries, orNothing(literal('1'), '0'), lists, noEnvelope)
    const items = listSql(item, sql`${given}.${number}`)
    const text = concat([envelope.prefix, items, envelope.suffix])
    const trial = printer.trial()
    const where = trial ? sql` where ${trial}` : empty
    const parts = [
      sql`${given} as materialized (${this.#rows()})`,
      sql`${apart} as materialized (${this.#isApart()})`,
      sql`${updated} as (${changed})`,
    ]
    const from = sql`${given} left join ${updated} on ${updated}.${number} = ${given}.${number}`
    const having = sql` having (select ${apart}.ok from ${apart})`
    return printer.commented(sql`with ${join(parts)} select ${text} from ${from}${where}${having}`)
  }

  #changed(): Sql {
    const { table, assignments, equal, where, check, answer } = this.#merged
    const printer = this.#printer
    const row = printer.alias()
    const set = assignments.map(({ column, operator, value }) => {
      const operand = 'sources' in value ? this.#valueOf(value) : param(value.source, value.type)
      return sql`${id(column)} = ${updateSql(operator, columnSql(row, column), operand)}`
    })
    const conditions = [
      ...equal.map(({ column, value }) => coreOperatorSql('_eq', columnSql(row, column), this.#valueOf(value))),
      ...where.map((condition) => conditionSql(condition, row, printer)).filter((condition) => !isTrue(condition)),
      sql`(select ${this.#apart}.ok from ${this.#apart})`,
    ]
    const returning = returningSql(
      check,
      (of) => {
        const outputs = outputsOf(answer).map((output) =>
          outputSql(output, { row: of, joins: [], toOne: 'behind' }, printer),
        )
        const [first = noText, ...others] = outputs
        return [first, ...others]
      },
      row,
      printer,
    )
    const from = sql`update ${tableSql(table)} as ${row} set ${join(set)} from ${this.#given}`
    return sql`${from} where ${join(conditions, ' and ')}${returning}, ${this.#given}.${this.#number}`
  }

  /** A value of the current update. */
  #valueOf(value: EachValue): Sql {
    const known = this.#each.indexOf(value)
    const place = known === -1 ? this.#each.push(value) - 1 : known
    return sql`${this.#given}.${trusted(`c${place}`)}`
  }

  /** The values, each of its type. So one that PostgreSQL refuses is refused, whether or not the row is there. */
  #rows(): Sql {
    const set = this.#printer.alias()
    const names = this.#each.map((_, i) => trusted(`c${i}`))
    const arrays = this.#each.map(({ sources }) => param({ from: 'each', sources }, 'text[]'))
    const values = this.#each.map(({ type }, i) => sql`${typed(sql`${set}.${names[i]!}`, type)} as ${names[i]!}`)
    const columns = join([...names, this.#number])
    return sql`select ${join(values)}, ${set}.${this.#number} from unnest(${join(arrays)}) with ordinality as ${set}(${columns})`
  }

  /**
   * Whether the order of the updates has no effect: no two of them change the same row, no trigger or policy sees the
   * rows in between, and no unique index covers a changed column.
   */
  #isApart(): Sql {
    const { table, assignments, equal } = this.#merged
    const keys = equal.filter(({ isKey }) => isKey).map(({ value }) => this.#valueOf(value))
    const oid = sql`${literal(quotedName(table))}::regclass`
    const columns = assignments.map(({ column }) => literal(column))
    const plain = sql`exists (select from pg_catalog.pg_class where oid = ${oid} and relkind = 'r'
      and not relhassubclass and not relispartition and not relrowsecurity)`
    const triggers = sql`not exists (select from pg_catalog.pg_trigger where tgrelid = ${oid} and not tgisinternal)`
    const covered = sql`exists (select from pg_catalog.pg_attribute where attrelid = indrelid
      and attnum = any(indkey) and (attname in (${join(columns)}) or attgenerated <> ''))`
    const indexes = sql`not exists (select from pg_catalog.pg_index where indrelid = ${oid}
      and (indisunique or indisexclusion) and (indexprs is not null or indpred is not null or ${covered}))`
    const distinct = sql`count(*) = count(distinct (${join(keys)}))`
    return sql`select ${distinct} and ${plain} and ${triggers} and ${indexes} as ok from ${this.#given}`
  }
}

const quotedName = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  [schema, name].map((part) => `"${part.replaceAll('"', '""')}"`).join('.')

/** All statements that a program may run. */
export function programStatements(
  program: MutationProgram | ListProgram | MergedProgram | CallProgram,
): readonly PreparedStatement[] {
  switch (program.kind) {
    case 'constant':
      return []
    case 'direct':
      return [program.statement]
    case 'staged':
      return [...program.steps.flatMap(stepStatements), ...(program.answering ? [program.answering] : [])]
    case 'list':
      return program.programs.flatMap(programStatements)
    case 'merged':
      // The statements of the updates in order have the same parameters.
      return [program.statement]
    case 'call':
      return [program.statement, program.answering]
  }
}

const stepStatements = (step: ProgramStep): PreparedStatement[] => [
  ...step.before.flatMap(stepStatements),
  step.statement,
  ...(step.check ? [step.check.statement] : []),
  ...step.after.flatMap(stepStatements),
]
