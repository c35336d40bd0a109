// The tables that a plan reads, and the equalities that all rows have to fulfil which matter to it. A changed row whose
// values differ from the parameters of a request leaves the answer of that request as it is.

import type { ParamSource } from '../../database/sql/param.ts'
import { compile, id, type Sql } from '../../database/sql/sql.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import type {
  AggregateOutput,
  Condition,
  Mapping,
  OrderTarget,
  Output,
  RootOutput,
  Rows,
  SqlBuilder,
} from '../plan/plan.ts'
import { Printer, type PrinterOptions } from '../printer.ts'

/** A column of a table. */
export interface TableColumn {
  readonly table: QualifiedName
  readonly column: string
}

/** A column that equals a parameter, or one item of a list, in all rows that matter. */
export interface RowKey {
  readonly column: string
  readonly source: ParamSource
  /** Whether the parameter is an array, and the row has one of its items. */
  readonly isList: boolean
  /** The type of the parameter, or of its items, as in a cast. */
  readonly type: string
  /** Columns of outer rows that pass the value on, because the mapping of a relationship makes them equal. */
  readonly via: readonly TableColumn[]
}

/** The places of a plan that read a table, each with the keys of its rows. */
export interface KeyedTable {
  readonly table: QualifiedName
  readonly places: readonly (readonly RowKey[])[]
}

export interface KeyedReads {
  readonly tables: readonly KeyedTable[]
  /** SQL of plugins, which may read any rows of the tables that it names. */
  readonly otherSql: string
}

/** The current row: the keys of the rows that matter; `table` is null for rows of other sources. */
interface RowScope {
  readonly table: QualifiedName | null
  readonly keys: readonly RowKey[]
}

const noKeys: RowScope = { table: null, keys: [] }

/** The tables that the root fields read. */
export function keyedReads(outputs: readonly RootOutput[], options: PrinterOptions): KeyedReads {
  const reads = new ReadsOfPlan(options)
  for (const output of outputs) reads.addRoot(output)
  return reads.finish()
}

class ReadsOfPlan {
  readonly #options: PrinterOptions
  readonly #tables = new Map<string, { readonly table: QualifiedName; readonly places: (readonly RowKey[])[] }>()
  readonly #otherSql: string[] = []

  constructor(options: PrinterOptions) {
    this.#options = options
  }

  finish(): KeyedReads {
    return { tables: [...this.#tables.values()], otherSql: this.#otherSql.join('\n') }
  }

  addRoot(output: RootOutput): void {
    if (output.kind === 'json') return
    if (output.kind === 'aggregate') this.#addAggregates(output.select.output, this.#rows(output.select.rows, noKeys))
    else if (output.kind === 'sql' && !output.reads) this.#addSql(output.build)
    else {
      const select = output.kind === 'sql' ? output.reads! : output.select
      this.#addOutput(select.output, this.#rows(select.rows, noKeys))
    }
  }

  #rows({ from, mapping, where, orderBy }: Rows, outer: RowScope): RowScope {
    let row = noKeys
    if (from.kind === 'sql') {
      this.#addSql(from.build)
      this.#addCondition(where, row)
    } else row = this.#related(from.table, { mapping, where }, outer)
    for (const { target } of orderBy) this.#addTarget(target, row)
    return row
  }

  /** Rows of a table that are tied to an outer row and fulfil a condition. */
  #related(
    table: QualifiedName,
    { mapping, where }: { readonly mapping: Mapping; readonly where: Condition },
    outer: RowScope,
  ): RowScope {
    for (const [, , equality] of mapping) {
      const given = equality?.given
      if (given) this.#addSql((row, printer) => given({ outer: row, inner: row }, printer))
    }
    const row = { table, keys: [...passedOn(mapping, outer), ...equalities(where)] }
    const known = this.#tables.get(nameKey(table)) ?? { table, places: [] }
    known.places.push(row.keys)
    this.#tables.set(nameKey(table), known)
    this.#addCondition(where, row)
    return row
  }

  #addCondition(condition: Condition, row: RowScope): void {
    switch (condition.kind) {
      case 'and':
      case 'or':
        for (const part of condition.of) this.#addCondition(part, row)
        break
      case 'not':
      case 'rooted':
        this.#addCondition(condition.of, row)
        break
      case 'related':
        if (condition.from) this.#addSql(condition.from)
        this.#related(condition.table, condition, row)
        break
      case 'aggregate':
        this.#related(condition.table, condition, row)
        break
      case 'exists':
        this.#related(condition.table, { mapping: [], where: condition.where }, row)
        break
      case 'sql':
        this.#addSql(condition.build)
        break
    }
  }

  #addTarget(target: OrderTarget, row: RowScope): void {
    if (target.kind === 'sql') this.#addSql(target.build)
    else if (target.kind === 'aggregate') {
      if (target.from) this.#addSql(target.from)
      this.#related(target.table, target, row)
    } else if (target.kind === 'related') this.#addTarget(target.of, this.#related(target.table, target, row))
  }

  #addOutput(output: Output, row: RowScope): void {
    switch (output.kind) {
      case 'object':
        for (const { value } of output.entries) this.#addOutput(value, row)
        break
      case 'one':
      case 'many':
        this.#addOutput(output.select.output, this.#rows(output.select.rows, row))
        break
      case 'aggregate':
        this.#addAggregates(output.select.output, this.#rows(output.select.rows, row))
        break
      case 'deferred':
        for (const { given, value } of output.needs) {
          if (given) this.#addSql(given)
          if (value) this.#addSql(value)
        }
        break
      case 'sql':
        this.#addSql(output.build)
        break
    }
  }

  #addAggregates(output: AggregateOutput, row: RowScope): void {
    if (output.kind === 'object') for (const { value } of output.entries) this.#addAggregates(value, row)
    else if (output.kind === 'nodes') this.#addOutput(output.output, row)
    else if (output.kind === 'call' && output.call.value) this.#addSql(output.call.value)
  }

  #addSql(build: SqlBuilder): void {
    const printer = new Printer(this.#options)
    const fragment: Sql = build(id('row'), printer)
    this.#otherSql.push(compile(printer.finished(fragment)).text)
  }
}

/** The keys that a condition demands. */
function equalities(condition: Condition): RowKey[] {
  if (condition.kind === 'and') return condition.of.flatMap(equalities)
  if (condition.kind === 'rooted') return equalities(condition.of)
  if (condition.kind !== 'compare' || condition.operand.kind !== 'param') return []
  const { column, operator, operand } = condition
  const { source, type } = operand
  if (typeof type !== 'string') return []
  if (operator === '_eq') return [{ column, source, isList: false, type, via: [] }]
  if (operator !== '_in' || !type.endsWith('[]')) return []
  return [{ column, source, isList: true, type: type.slice(0, -2), via: [] }]
}

/** The keys of the outer row that hold for the inner row too. */
function passedOn(mapping: Mapping, { table, keys }: RowScope): RowKey[] {
  if (table === null) return []
  return mapping.flatMap(([outer, inner, equality]) => {
    if (equality !== undefined) return []
    const equal = keys.filter(({ column }) => column === outer)
    return equal.map((key) => ({ ...key, column: inner, via: [...key.via, { table, column: outer }] }))
  })
}
