// The operators of updates. Schema generation and the SQL printer read this one table.

import { type Sql, sql } from '../../database/sql/sql.ts'

/** The kind of an operand; `scalar` is a value of the column's type. */
export type UpdateOperand = 'scalar' | 'text' | 'integer' | 'texts'

export interface UpdateOperator {
  /** The name of the argument: `_set`. */
  readonly name: string
  readonly description: string
  /** The description of the input type; `table` is the table's name in messages. */
  typeDescription(table: string): string
  readonly operand: UpdateOperand
  readonly columns: 'all' | 'numeric' | 'jsonb'
  /** The column's new value. */
  sql(column: Sql, operand: Sql): Sql
}

const onJsonb = (
  name: string,
  operand: UpdateOperand,
  description: string,
  print: UpdateOperator['sql'],
): UpdateOperator => ({
  name,
  description,
  typeDescription: () => description,
  operand,
  columns: 'jsonb',
  sql: print,
})

/** In the order in which messages list them. */
export const updateOperators: readonly UpdateOperator[] = [
  {
    name: '_set',
    description: 'sets the columns of the filtered rows to the given values',
    typeDescription: (table) => `input type for updating data in table "${table}"`,
    operand: 'scalar',
    columns: 'all',
    sql: (_column, value) => value,
  },
  {
    name: '_inc',
    description: 'increments the numeric columns with given value of the filtered values',
    typeDescription: (table) => `input type for incrementing numeric columns in table "${table}"`,
    operand: 'scalar',
    columns: 'numeric',
    sql: (column, value) => sql`${column} + ${value}`,
  },
  onJsonb(
    '_prepend',
    'scalar',
    'prepend existing jsonb value of filtered columns with new jsonb value',
    (column, value) => sql`${value} || ${column}`,
  ),
  onJsonb(
    '_append',
    'scalar',
    'append existing jsonb value of filtered columns with new jsonb value',
    (column, value) => sql`${column} || ${value}`,
  ),
  onJsonb(
    '_delete_key',
    'text',
    'delete key/value pair or string element. key/value pairs are matched based on their key value',
    (column, key) => sql`${column} - ${key}`,
  ),
  onJsonb(
    '_delete_elem',
    'integer',
    'delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array',
    (column, index) => sql`${column} - ${index}`,
  ),
  onJsonb(
    '_delete_at_path',
    'texts',
    'delete the field or element with specified path (for JSON arrays, negative integers count from the end)',
    (column, path) => sql`${column} #- ${path}`,
  ),
]

/** Operators that GraphQL does not offer. */
const otherOperators: readonly Pick<UpdateOperator, 'name' | 'sql'>[] = [
  { name: '_mul', sql: (column, value) => sql`${column} * ${value}` },
  { name: '_default', sql: () => sql`default` },
]

const byName = new Map([...updateOperators, ...otherOperators].map((operator) => [operator.name, operator]))

/** A column's new value, given the name of the operator. */
export const updateSql = (name: string, column: Sql, operand: Sql): Sql => byName.get(name)!.sql(column, operand)
