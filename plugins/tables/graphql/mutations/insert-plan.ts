// The statements that an insert takes. Rows without related ones go into one. A row with related ones is inserted by
// itself, after those that it refers to and before those that refer to it.

import type { InsertAccess, RowValues } from '../../../../sdk/access.ts'
import type { NestedInsert, PlanContext, Value } from '../../../../sdk/graphql.ts'
import { below, nameText, type Path, pathKeys, validationFailed } from '../../../../sdk/index.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import {
  answerSlot,
  type ColumnValue,
  type ColumnValues,
  type MutationStep,
  type OnConflict,
  type ParamOperand,
  soleStep,
} from '../../../../sdk/sql.ts'
import { type InsertRow, readInsertRow } from './insert-input.ts'
import { writtenCodec } from './written-columns.ts'

/** A table that rows go into, and the parts that the rows share. */
export interface InsertTarget {
  readonly table: TableModel
  readonly onConflict: OnConflict | null
  /** Where errors point. */
  readonly path: Path
}

/** Plans the insertion of a list of `T_insert_input` values. */
export function planInsert(objects: Value, target: InsertTarget, context: PlanContext): readonly MutationStep[] {
  const planner = new InsertPlanner(context)
  const variable = objects.rows()
  if (variable) {
    const rows = planner.read(variable, target.table)
    if (rows.length === 0) return []
    const arrays = planner.arrayRows(objects, rows, target.table)
    if (arrays) return [planner.arraysStep(arrays, target)]
  }
  const rows = planner.read(objects.items(1), target.table)
  return rows.length === 0 ? [] : planner.steps(rows, target, [])
}

/** Plans the insertion of one `T_insert_input` value. */
export function planInsertOne(object: Value, target: InsertTarget, context: PlanContext): readonly MutationStep[] {
  const planner = new InsertPlanner(context)
  return planner.steps(planner.read([object], target.table), target, [])
}

/** The columns of an inserted row that other statements read. */
class InsertedRow {
  readonly slot: number
  readonly columns: string[] = []

  constructor(slot: number) {
    this.slot = slot
  }

  /** The row's value of a column, as a value of PostgreSQL's type `type`. */
  value(column: string, type: string): ParamOperand {
    let index = this.columns.indexOf(column)
    if (index < 0) index = this.columns.push(column) - 1
    return { kind: 'param', source: { from: 'slot', slot: this.slot, column: index }, type }
  }
}

/** A row among those that are inserted with it. */
interface RelatedRow {
  /** Values that others give to it. */
  readonly determined: readonly ColumnValue[]
  /** The columns of this row that others read. */
  readonly inserted: InsertedRow
  /** The error when it is skipped though others need it. */
  readonly refusal: MutationStep['refusal']
}

class InsertPlanner {
  readonly #context: PlanContext
  #nextSlot = answerSlot + 1

  constructor(context: PlanContext) {
    this.#context = context
  }

  read(values: readonly Value[], table: TableModel): InsertRow[] {
    return values.map((value) => readInsertRow(value, this.#context, table))
  }

  /** Rows of a list of any length in a variable; null when some are related to others, or need a column's default. */
  arrayRows(objects: Value, rows: readonly InsertRow[], table: TableModel): ColumnValues[] | null {
    const columns = new Map(rows.flatMap((row) => [...row.columns]))
    const isPlain = ({ columns: given, nested }: InsertRow) =>
      nested.length === 0 && [...columns.keys()].every((name) => given.has(name) || isNullByDefault(name, table))
    if (columns.size === 0 || !rows.every(isPlain)) return null
    return [...columns].map(([column, { member, value }]) => {
      const codec = writtenCodec(this.#context.schema, table.columns.get(column)!)
      return { column, source: objects.memberParam(member, codec), type: value.type }
    })
  }

  /** One step for all rows when none has related ones, else one for each. `determined` are values that all rows get. */
  steps(rows: readonly InsertRow[], target: InsertTarget, determined: readonly ColumnValue[]): MutationStep[] {
    if (rows.some(({ nested }) => nested.length > 0)) {
      return rows.map((row, i) => {
        const place = { ...target, path: below(target.path, i) }
        return this.#rowStep(row, place, { determined, inserted: this.#newRow(), refusal: null })
      })
    }
    const { table, onConflict, path } = target
    const values = rows.map(({ columns }, i) => {
      refuseDetermined(columns, determined, below(path, i))
      return rowValues(columns, determined)
    })
    return this.#access(table)
      .rows(values, onConflict)
      .map((change) => soleStep(change, path))
  }

  arraysStep(arrays: readonly ColumnValues[], { table, onConflict, path }: InsertTarget): MutationStep {
    return soleStep(this.#access(table).arrays(arrays, onConflict), path)
  }

  /** A row and all that is inserted with it. */
  #rowStep(
    { columns, nested }: InsertRow,
    target: InsertTarget,
    { determined, inserted, refusal }: RelatedRow,
  ): MutationStep {
    const { table, path } = target
    refuseDetermined(columns, determined, path)
    const values = [...determined]
    const before: MutationStep[] = []
    for (const related of nested.filter(({ relationship }) => !relationship.insertedAfter)) {
      refuseGiven(related, columns, values, path)
      const { step, referenced } = this.#referencedRow(related, target)
      before.push(step)
      values.push(...referenced)
    }
    const after = nested
      .filter(({ relationship }) => relationship.insertedAfter)
      .flatMap((related) => this.#referringRows(related, target, inserted))
    const [change] = this.#access(table).rows([rowValues(columns, values)], target.onConflict)
    const ownRefusal = { message: arrayRefusal(table), path }
    return {
      change: change!,
      path,
      before,
      after,
      returns: inserted.columns.length > 0 ? inserted : null,
      refusal: after.length > 0 ? ownRefusal : refusal,
    }
  }

  /** The row that is inserted before the one at hand, and the values that it gives to it. */
  #referencedRow(
    { relationship, objects, onConflict }: NestedInsert,
    { table, path }: InsertTarget,
  ): { step: MutationStep; referenced: ColumnValue[] } {
    const { name, mapping } = relationship
    const target = this.#table(relationship.target)
    const inserted = this.#newRow()
    const referenced = mapping.map(([own, theirs]) => {
      return { column: own, value: inserted.value(theirs, table.columns.get(own)!.type.sql) }
    })
    const place = below(path, name)
    const [row] = this.read(objects, target)
    const refusal = { message: objectRefusal(name, target), path: place }
    const inner = { table: target, onConflict, path: below(place, 'data') }
    const step = this.#rowStep(row!, inner, { determined: [], inserted, refusal })
    return { step, referenced }
  }

  /** The rows that are inserted after the one at hand: they get values of it. */
  #referringRows(
    { relationship, objects, onConflict }: NestedInsert,
    { path }: InsertTarget,
    inserted: InsertedRow,
  ): MutationStep[] {
    const table = this.#table(relationship.target)
    const determined = relationship.mapping.map(([own, theirs]) => {
      return { column: theirs, value: inserted.value(own, table.columns.get(theirs)!.type.sql) }
    })
    const target = { table, onConflict, path: below(below(path, relationship.name), 'data') }
    const rows = this.read(objects, table)
    if (relationship.type === 'array') return this.steps(rows, target, determined)
    return rows.map((row) => this.#rowStep(row, target, { determined, inserted: this.#newRow(), refusal: null }))
  }

  #access({ name }: TableModel): InsertAccess {
    return this.#context.schema.access(name)!.insert!
  }

  #table(name: NestedInsert['relationship']['target']): TableModel {
    return this.#context.schema.access(name)!.table
  }

  #newRow(): InsertedRow {
    return new InsertedRow(this.#nextSlot++)
  }
}

/** Whether leaving a column out is the same as giving null; views do not show the defaults that are behind them. */
function isNullByDefault(name: string, { catalog, columns }: TableModel): boolean {
  const { hasDefault, generated, identity } = columns.get(name)!.column
  return catalog.kind !== 'view' && !hasDefault && !generated && identity === ''
}

/** A row's values, those that count most last. */
const rowValues = (given: InsertRow['columns'], determined: readonly ColumnValue[]): RowValues =>
  new Map([
    ...[...given].map(([column, { value }]) => [column, value] as const),
    ...determined.map(({ column, value }) => [column, value] as const),
  ])

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')

function refuseDetermined(given: InsertRow['columns'], determined: readonly ColumnValue[], path: Path): void {
  const columns = determined.map(({ column }) => column).filter((column) => given.has(column))
  if (columns.length === 0) return
  const message = `cannot insert ${quoted(columns)} columns as their values are already being determined by parent insert`
  throw validationFailed(message, pathKeys(path))
}

function refuseGiven(
  { relationship: { name, mapping } }: NestedInsert,
  given: InsertRow['columns'],
  determined: readonly ColumnValue[],
  path: Path,
): void {
  const columns = mapping
    .map(([own]) => own)
    .filter((own) => given.has(own) || determined.some(({ column }) => column === own))
  if (columns.length === 0) return
  const rest = `"${name}" as ${quoted(columns)} column values are already determined`
  throw validationFailed(`cannot insert object relation ship ${rest}`, pathKeys(below(path, name))).with({
    inInterface2: { message: `cannot insert object relationship ${rest}` },
  })
}

const arrayRefusal = ({ name }: TableModel): string =>
  `cannot proceed to insert array relations since insert to table "${nameText(name)}" affects zero rows`

const objectRefusal = (relationship: string, { name }: TableModel): string =>
  `cannot proceed to insert object relation "${relationship}" since insert to table "${nameText(name)}" affects zero rows`
