// The comparison operators of ltree columns, written with the schema of the extension, which need not be on the search
// path. No operand makes them fail: its text is read once, when it is bound.

import { type ComparisonOperator, id, type OperandValue, type Sql, sql, trusted, typeBeside } from '../../sdk/sql.ts'

const operator = (schema: string, symbol: string): Sql => sql`operator(${id(schema)}.${trusted(symbol)})`

const onPath = (
  name: string,
  symbol: string,
  operand: ComparisonOperator['operand'],
  description: string,
): ComparisonOperator => ({
  name,
  description,
  operand,
  types: ['ltree'],
  sql: (column, [value], { schema }) => sql`${column} ${operator(schema, symbol)} ${value!}`,
})

const query: OperandValue = { type: (column) => typeBeside(column, 'lquery') }
const textQuery: OperandValue = { type: (column) => typeBeside(column, 'ltxtquery') }

/** In the order of the 2.x interface. */
export const ltreeOperators: readonly ComparisonOperator[] = [
  onPath('_ancestor', '@>', 'scalar', 'is the column an ancestor of the given path, or equal to it'),
  onPath('_ancestor_any', '@>', 'list', 'is the column an ancestor of any of the given paths, or equal to one'),
  onPath('_descendant', '<@', 'scalar', 'is the column a descendant of the given path, or equal to it'),
  onPath('_descendant_any', '<@', 'list', 'is the column a descendant of any of the given paths, or equal to one'),
  onPath('_matches', '~', query, 'does the column match the given `lquery`'),
  onPath('_matches_any', '?', { ...query, isList: true }, 'does the column match any of the given `lquery`s'),
  onPath('_matches_fulltext', '@', textQuery, 'does the column match the given `ltxtquery`'),
]
