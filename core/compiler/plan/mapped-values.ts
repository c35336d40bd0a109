// Replaces the values that a change gives to columns.

import type { Codec, ParamSource, TextEncoding } from '../../database/sql/param.ts'
import { badRequest } from '../../errors/errors.ts'
import type {
  Assignment,
  Change,
  ColumnValue,
  ColumnValues,
  Insert,
  InsertRows,
  ParamOperand,
} from './mutation-plan.ts'

/** The text to store in a column for a given one. */
export type ColumnEncoding = (text: string, column: string) => string

/**
 * The change with other values for these columns. `encode` receives each text that a request, a preset or a constant
 * gives, in PostgreSQL's input syntax, when the statement runs; nulls and defaults stay. Values that come from rows of
 * the same mutation stay too: they are stored already. Refuses operators other than `_set`.
 */
export function mapColumnValues<C extends Change>(change: C, columns: ReadonlySet<string>, encode: ColumnEncoding): C
export function mapColumnValues(change: Change, columns: ReadonlySet<string>, encode: ColumnEncoding): Change {
  const mapped = <V extends ColumnValue>(value: V): V =>
    columns.has(value.column) ? { ...value, value: encoded(value.value, (text) => encode(text, value.column)) } : value
  switch (change.kind) {
    case 'insert':
      return { ...change, rows: mapRows(change.rows, columns, encode), onConflict: mapConflict(change, mapped) }
    case 'update':
      return { ...change, assignments: change.assignments.map((each) => mapAssignment(each, columns, mapped)) }
    default:
      return change
  }
}

type MapValue = <V extends ColumnValue>(value: V) => V

const mapConflict = ({ onConflict }: Insert, mapped: MapValue): Insert['onConflict'] =>
  onConflict?.update
    ? { ...onConflict, update: { ...onConflict.update, presets: onConflict.update.presets.map(mapped) } }
    : onConflict

function mapAssignment(assignment: Assignment, columns: ReadonlySet<string>, mapped: MapValue): Assignment {
  const { column, operator } = assignment
  if (!columns.has(column) || operator === '_default') return assignment
  if (operator === '_set') return mapped(assignment)
  throw badRequest('not-supported', `the operator "${operator}" cannot change the column "${column}"`)
}

function mapRows(rows: InsertRows, columns: ReadonlySet<string>, encode: ColumnEncoding): InsertRows {
  if (rows.kind === 'arrays') {
    return {
      kind: 'arrays',
      arrays: rows.arrays.map((each) => (columns.has(each.column) ? encodedArray(each, encode) : each)),
      constants: rows.constants.map((each) =>
        columns.has(each.column) ? { ...each, value: encoded(each.value, (text) => encode(text, each.column)) } : each,
      ),
    }
  }
  const encodings = rows.columns.map((column) => (columns.has(column) ? (text: string) => encode(text, column) : null))
  if (!encodings.some((encoding) => encoding)) return rows
  const mapRow = (row: (typeof rows.rows)[number]) =>
    row.map((value, i) => (value && encodings[i] ? encoded(value, encodings[i]) : value))
  return { ...rows, rows: rows.rows.map(mapRow) }
}

function encodedArray(values: ColumnValues, encode: ColumnEncoding): ColumnValues {
  const { source, column } = values
  if (source.from !== 'members' && !(source.from === 'input' && source.list)) {
    throw new Error(`the values of the column "${column}" are an array that cannot be mapped`)
  }
  return { ...values, source: { ...source, codec: encodedCodec(source.codec, (text) => encode(text, column)) } }
}

/** An operand whose text is encoded when it is bound. */
export const encoded = (operand: ParamOperand, encode: TextEncoding): ParamOperand => ({
  ...operand,
  source: encodedSource(operand.source, encode),
})

function encodedSource(source: ParamSource, encode: TextEncoding): ParamSource {
  switch (source.from) {
    case 'constant':
    case 'session':
    case 'input': {
      const { encode: inner } = source
      return { ...source, encode: inner ? (text) => encode(inner(text)) : encode }
    }
    default:
      return source
  }
}

/** The codec, followed by another encoding of its text. */
export const encodedCodec = (codec: Codec, encode: TextEncoding): Codec => ({
  type: codec.type,
  ...(codec.expects !== undefined && { expects: codec.expects }),
  encode: (value, kind) => encode(codec.encode(value, kind)),
  ...(codec.decode && { decode: (text) => codec.decode!(text) }),
})
