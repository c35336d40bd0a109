// The faults of the form of a new table, by its fields.

import { type TableName, tableKey } from '../../../server/names.ts'
import {
  filledColumns,
  identity,
  isBlank,
  type NewColumn,
  type NewForeignKey,
  type NewTable,
  nameOf,
} from './new-table.ts'
import { expressionFault, isBareWord, isType } from './sql-parts.ts'

/** A table that a foreign key leads to. */
export interface Target {
  readonly columns: readonly string[]
  /** The sets of columns of which no two rows have the same values. */
  readonly keys: readonly (readonly string[])[]
}

/** The part of the database that the form is judged by. */
export interface Known {
  /** The keys of all tables and views. */
  readonly tables: ReadonlySet<string>
  tableOf(label: string): TableName | null
  /** Null: it is not read yet. */
  targetOf(table: TableName): Target | null
}

/** The faults of a column; null: none. */
export interface ColumnFaults {
  readonly name: string | null
  readonly type: string | null
  readonly default: string | null
}

/** The faults of a foreign key; null: none. */
export interface KeyFaults {
  readonly table: string | null
  readonly pairs: string | null
}

/** The faults of the form; null: none. */
export interface Faults {
  readonly name: string | null
  readonly columns: readonly ColumnFaults[]
  readonly foreignKeys: readonly KeyFaults[]
  readonly whole: string | null
}

const missing = {
  table: 'Name the table.',
  column: 'Name the column.',
  type: 'Choose a type.',
  target: 'Choose a table.',
  pair: 'Choose both columns.',
  columns: 'A table needs a column.',
}
const missingTexts = new Set<string | null>(Object.values(missing))

const systemColumns = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

const lengthFault = (name: string): string | null =>
  new TextEncoder().encode(name).length > 63 ? 'PostgreSQL keeps 63 bytes of a name; this one is longer.' : null

const wholeNumbers = /^(?:smallint|integer|bigint|int|int2|int4|int8)$/i

function defaultFault(column: NewColumn): string | null {
  const text = column.default.trim()
  if (text === '') return null
  if (text === identity) {
    return wholeNumbers.test(column.type.trim()) ? null : 'Only smallint, integer and bigint are counted.'
  }
  if (isBareWord(text)) return `A text stands in quotes, as '${text}'.`
  return expressionFault(text)
}

function columnFaults(column: NewColumn, columns: readonly NewColumn[]): ColumnFaults {
  if (isBlank(column)) return { name: null, type: null, default: null }
  const name = column.name.trim()
  const isTwice = columns.filter((each) => each.name.trim() === name).length > 1
  const type = column.type.trim()
  return {
    name:
      name === ''
        ? missing.column
        : (lengthFault(name) ??
          (systemColumns.has(name) ? 'PostgreSQL has a column of this name in every table.' : null) ??
          (isTwice ? 'Another column has this name.' : null)),
    type: type === '' ? missing.type : isType(type) ? null : 'It is no type, such as text, numeric(10, 2) or text[].',
    default: defaultFault(column),
  }
}

/** The form with the columns of a foreign key that a person did not choose yet, as far as names tell them. */
export const guessed = (values: NewTable, known: Known): NewTable => ({
  ...values,
  foreignKeys: values.foreignKeys.map((key) => {
    const table = known.tableOf(key.table)
    const there = (table && known.targetOf(table))?.keys[0]
    if (!table || !there || key.pairs.some(([from, to]) => from !== '' || to !== '')) return key
    const isOwn = tableKey(table) === tableKey(nameOf(values))
    const names = filledColumns(values).map(({ name }) => name.trim())
    const here = (to: string) => names.find((name) => (name === to && !isOwn) || name === `${table.name}_${to}`) ?? ''
    return { ...key, pairs: there.map((to) => [here(to), to] as const) }
  }),
})

const isSame = (names: readonly string[], others: readonly string[]): boolean =>
  names.length === others.length && names.every((name) => others.includes(name))

function keyFaults({ table: label, pairs, onDelete }: NewForeignKey, values: NewTable, known: Known): KeyFaults {
  if (label.trim() === '') return { table: missing.target, pairs: null }
  const table = known.tableOf(label)
  if (table === null) return { table: 'The database has no such table.', pairs: null }
  const [from, to] = [pairs.map(([column]) => column), pairs.map(([, column]) => column)]
  if ([...from, ...to].includes('')) return { table: null, pairs: missing.pair }
  if (new Set(from).size < from.length || new Set(to).size < to.length) {
    return { table: null, pairs: 'A column stands here twice.' }
  }
  const gone = from.find((each) => !filledColumns(values).some(({ name }) => name.trim() === each))
  if (gone !== undefined) return { table: null, pairs: `No column above has the name ${gone}.` }
  const target = known.targetOf(table)
  if (target && !target.keys.some((key) => isSame(key, to))) {
    return { table: null, pairs: `No key of ${label.trim()} has exactly the columns ${to.join(', ')}.` }
  }
  const full = filledColumns(values).find(
    ({ name, isNullable, isKey }) => from.includes(name.trim()) && (isKey || !isNullable),
  )
  if (onDelete === 'set null' && full) {
    return { table: null, pairs: `${full.name.trim()} takes no NULL, which "set null" would give it.` }
  }
  return { table: null, pairs: null }
}

/** All faults of the form. */
export function faultsOf(values: NewTable, known: Known): Faults {
  const { name } = nameOf(values)
  const columns = filledColumns(values)
  const isTaken = known.tables.has(tableKey(nameOf(values)))
  return {
    name:
      name === '' ? missing.table : (lengthFault(name) ?? (isTaken ? `${values.schema} has one of this name.` : null)),
    columns: values.columns.map((column) => columnFaults(column, columns)),
    foreignKeys: values.foreignKeys.map((key) => keyFaults(key, values, known)),
    whole: columns.length === 0 ? missing.columns : null,
  }
}

const textsOf = ({ name, columns, foreignKeys, whole }: Faults): readonly (string | null)[] =>
  [...columns, ...foreignKeys].flatMap((each): (string | null)[] => Object.values(each)).concat(name, whole)

/** Whether anything is wrong. */
export const hasFaults = (faults: Faults): boolean => textsOf(faults).some((text) => text !== null)

/** A fault as it is shown: of a field that is only empty, once the person goes on. */
export const shownFault = (text: string | null | undefined, isTried: boolean): string | null =>
  text === undefined || (!isTried && missingTexts.has(text)) ? null : text
