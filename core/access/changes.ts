// Changes that a role may make to a table, ready for plans. Only here are filters, checks and presets of permissions
// merged with the narrowings of plugins.

import type {
  Assignment,
  Change,
  ColumnValue,
  ColumnValues,
  ConflictUpdate,
  Insert,
  InsertRows,
  OnConflict,
  ParamOperand,
  RowCheck,
} from '../compiler/plan/mutation-plan.ts'
import { allOf, type Condition } from '../compiler/plan/plan.ts'
import { codecFor, inputType } from '../compiler/types/codecs.ts'
import type { ParamSource } from '../database/sql/param.ts'
import type {
  DeletePermission,
  InsertPermission,
  PresetValue,
  TableModel,
  UpdatePermission,
} from '../metadata/document/model.ts'
import type { Narrower } from './narrowing.ts'

/** The values of a row to insert, by column; other columns get their default. */
export type RowValues = ReadonlyMap<string, ParamOperand>

/** The right to insert into a table. */
export interface InsertAccess {
  /** The permission as the document has it; empty for administrators. */
  readonly definition: object
  /** The columns that the role may set, by their database names. */
  readonly columns: ReadonlySet<string>
  /** The columns that the permission presets. */
  readonly presets: ReadonlySet<string>
  /** Inserts rows, with as many statements as needed. */
  rows(rows: readonly RowValues[], onConflict: OnConflict | null): readonly Insert[]
  /** Inserts one row for each element of the arrays. */
  arrays(arrays: readonly ColumnValues[], onConflict: OnConflict | null): Insert
}

/** The right to update a table. */
export interface UpdateAccess {
  /** The permission as the document has it; empty for administrators. */
  readonly definition: object
  /** The columns that the role may set, by their database names. */
  readonly columns: ReadonlySet<string>
  /** The columns that the permission presets. */
  readonly presets: ReadonlySet<string>
  /** Changes the rows that fulfil a condition. At least one assignment or preset is required. */
  change(update: { readonly assignments: readonly Assignment[]; readonly where: Condition }): Change
  /** Changes the existing row that conflicts with an inserted one, if it fulfils a condition. */
  onConflict(columns: readonly string[], where: Condition): ConflictUpdate
}

/** The right to delete from a table. */
export interface DeleteAccess {
  /** The permission as the document has it; empty for administrators. */
  readonly definition: object
  /** Deletes the rows that fulfil a condition. */
  change(where: Condition): Change
}

/** An insert with more values is split, since PostgreSQL takes at most 65,535 parameters. */
const maxValues = 32_000

/** Inserts, limited by a permission. */
export class PermittedInsert implements InsertAccess {
  readonly definition: object
  readonly columns: ReadonlySet<string>
  readonly presets: ReadonlySet<string>
  readonly #table: TableModel
  readonly #permission: InsertPermission
  readonly #update: PermittedUpdate | null
  readonly #narrower: Narrower
  #checked: Condition | null = null
  #values: readonly ColumnValue[] | null = null

  constructor(
    table: TableModel,
    permission: InsertPermission,
    given: { update: PermittedUpdate | null; narrower: Narrower },
  ) {
    this.definition = permission.definition
    this.columns = permission.columns
    this.presets = new Set(permission.presets.keys())
    this.#table = table
    this.#permission = permission
    this.#update = given.update
    this.#narrower = given.narrower
  }

  rows(rows: readonly RowValues[], onConflict: OnConflict | null): readonly Insert[] {
    const presets = this.#presetValues().map(({ column, value }) => [column, value] as const)
    const whole = presets.length === 0 ? rows : rows.map((row) => new Map([...presets, ...row]))
    return chunks(whole, this.#table.columns.size).map((part) => this.#insert(valuesRows(part), onConflict))
  }

  arrays(arrays: readonly ColumnValues[], onConflict: OnConflict | null): Insert {
    const given = new Set(arrays.map(({ column }) => column))
    const constants = this.#presetValues().filter(({ column }) => !given.has(column))
    return this.#insert({ kind: 'arrays', arrays, constants }, onConflict)
  }

  #insert(rows: InsertRows, onConflict: OnConflict | null): Insert {
    const check = this.#check(onConflict)
    const insert: Insert = { kind: 'insert', table: this.#table.name, rows, onConflict, check }
    return this.#narrower.change(insert, this.#table) as Insert
  }

  /**
   * The insert check applies to inserted rows, the update check to updated ones. Without an update check the insert
   * check applies to both.
   */
  #check(onConflict: OnConflict | null): RowCheck | null {
    const { check } = this.#permission
    this.#checked ??= allOf([this.#narrower.permitted(check), this.#narrower.written(this.#table)])
    const condition = this.#checked
    const updated = onConflict?.update ? (this.#update?.check ?? null) : null
    const isFree = condition.kind === 'true' && (updated === null || updated.kind === 'true')
    return isFree ? null : { kind: 'insert', condition, updated }
  }

  #presetValues(): readonly ColumnValue[] {
    this.#values ??= presetValues(this.#permission.presets, this.#table)
    return this.#values
  }
}

/** Updates, limited by a permission. */
export class PermittedUpdate implements UpdateAccess {
  readonly definition: object
  readonly columns: ReadonlySet<string>
  readonly presets: ReadonlySet<string>
  readonly #table: TableModel
  readonly #permission: UpdatePermission
  readonly #narrower: Narrower
  #known: { readonly filter: Condition; readonly written: Condition; readonly check: Condition | null } | null = null
  #values: readonly ColumnValue[] | null = null

  constructor(table: TableModel, permission: UpdatePermission, narrower: Narrower) {
    this.definition = permission.definition
    this.columns = permission.columns
    this.presets = new Set(permission.presets.keys())
    this.#table = table
    this.#permission = permission
    this.#narrower = narrower
  }

  change({ assignments, where }: { readonly assignments: readonly Assignment[]; readonly where: Condition }): Change {
    const { filter, written, check } = this.#conditions()
    const condition = check ?? written
    const presets = this.#presetValues().map((value) => ({ ...value, operator: '_set' }))
    const change: Change = {
      kind: 'update',
      table: this.#table.name,
      assignments: [...assignments, ...presets],
      where: allOf([filter, where]),
      check: condition.kind === 'true' ? null : { kind: 'update', condition, updated: null },
    }
    return this.#narrower.change(change, this.#table)
  }

  onConflict(columns: readonly string[], where: Condition): ConflictUpdate {
    return { columns, presets: this.#presetValues(), where: allOf([this.#conditions().filter, where]) }
  }

  /** The condition on updated rows; null if the permission has no check. */
  get check(): Condition | null {
    return this.#conditions().check
  }

  #conditions() {
    if (this.#known) return this.#known
    const { filter, check } = this.#permission
    const narrower = this.#narrower
    const written = narrower.written(this.#table)
    this.#known = {
      filter: allOf([narrower.rows(this.#table.name), narrower.permitted(filter)]),
      written,
      check: check && allOf([narrower.permitted(check), written]),
    }
    return this.#known
  }

  #presetValues(): readonly ColumnValue[] {
    this.#values ??= presetValues(this.#permission.presets, this.#table)
    return this.#values
  }
}

/** Deletions, limited by a permission. */
export class PermittedDelete implements DeleteAccess {
  readonly definition: object
  readonly #table: TableModel
  readonly #permission: DeletePermission
  readonly #narrower: Narrower
  #filter: Condition | null = null

  constructor(table: TableModel, permission: DeletePermission, narrower: Narrower) {
    this.definition = permission.definition
    this.#table = table
    this.#permission = permission
    this.#narrower = narrower
  }

  change(where: Condition): Change {
    const { name } = this.#table
    this.#filter ??= allOf([this.#narrower.rows(name), this.#narrower.permitted(this.#permission.filter)])
    return this.#narrower.change({ kind: 'delete', table: name, where: allOf([this.#filter, where]) }, this.#table)
  }
}

/** The values that a permission presets. */
function presetValues(presets: ReadonlyMap<string, PresetValue>, { columns }: TableModel): ColumnValue[] {
  return [...presets].map(([name, preset]) => {
    const column = columns.get(name)!
    const type = inputType(codecFor(column.type), column.type.sql)
    return { column: name, value: { kind: 'param', source: presetSource(preset), type } }
  })
}

const presetSource = (preset: PresetValue): ParamSource =>
  preset.kind === 'session' ? { from: 'session', variable: preset.variable } : { from: 'constant', value: preset.text }

function valuesRows(rows: readonly RowValues[]): InsertRows {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  return { kind: 'values', columns, rows: rows.map((row) => columns.map((column) => row.get(column) ?? null)) }
}

function chunks<T>(rows: readonly T[], width: number): T[][] {
  const size = Math.max(1, Math.floor(maxValues / Math.max(width, 1)))
  const parts: T[][] = []
  for (let i = 0; i < rows.length; i += size) parts.push(rows.slice(i, i + size))
  return parts
}
