// Arguments of the data operations.

import { parseFailed, type Static, Type } from '../../sdk/index.ts'
import { ColumnName, ObjectName, TableName, VerbatimObject } from '../../sdk/metadata.ts'
import { type BooleanExpression, Expression } from '../permissions/schema.ts'
import { longestPath, mostPatched } from './tuning.ts'

/** One thing to order by: a column, reached through object relationships. */
export interface OrderTerm {
  readonly path: readonly string[]
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
}

function orderTerm(path: readonly string[], direction: 'asc' | 'desc', nulls?: 'first' | 'last'): OrderTerm {
  if (path.length === 0 || path.includes('')) throw parseFailed('col/rel cannot be empty')
  return { path, direction, nulls: nulls ?? (direction === 'asc' ? 'last' : 'first') }
}

/** `name`, `+name` or `-name`; dots lead through relationships. */
function orderOfText(text: string): OrderTerm {
  const name = /^[+-]/.test(text) ? text.slice(1) : text
  return orderTerm(pathOf(name), text.startsWith('-') ? 'desc' : 'asc')
}

function pathOf(text: string): readonly string[] {
  if (text.length > longestPath) throw parseFailed(`a path has at most ${longestPath} characters`)
  return text.split('.')
}

const OrderObject = Type.Object(
  {
    column: Type.Union([Type.String(), Type.Array(Type.String())]),
    type: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    nulls: Type.Optional(Type.Union([Type.Literal('first'), Type.Literal('last')])),
  },
  { missingKey: 'A' },
)

const OrderItem = Type.Union([
  Type.String({ convert: orderOfText }),
  {
    ...OrderObject,
    convert: ({ column, type = 'asc', nulls }: Static<typeof OrderObject>) =>
      orderTerm(typeof column === 'string' ? pathOf(column) : column, type, nulls),
  },
])

export const OrderBy = Type.Unsafe<readonly OrderTerm[]>(
  Type.Union([...OrderItem.anyOf, Type.Array(OrderItem)], {
    message: 'Expecting : array/string/object',
    convert: (terms: unknown) => (Array.isArray(terms) ? terms : [terms]),
  }),
)

/** Which rows of a table, or of a relationship, are read. */
const rowArguments = {
  where: Type.Optional(Expression),
  order_by: Type.Optional(OrderBy),
  limit: Type.Optional(Type.Integer()),
  offset: Type.Optional(Type.Integer()),
}

/** Rows to read, and their selection. */
export interface RowsArguments {
  readonly columns: readonly ColumnSelection[]
  readonly where?: BooleanExpression
  readonly order_by?: readonly OrderTerm[]
  readonly limit?: number
  readonly offset?: number
}

/** A relationship that is read along. */
export interface RelationshipSelection extends RowsArguments {
  readonly name: string
  readonly alias?: string
}

/** A column, a wildcard, or a relationship. */
export type ColumnSelection = string | RelationshipSelection

const Columns = Type.Unsafe<readonly ColumnSelection[]>(
  Type.Recursive(
    (This) =>
      Type.Array(
        Type.Union(
          [
            Type.String(),
            Type.Object(
              { name: ObjectName, alias: Type.Optional(ObjectName), columns: This, ...rowArguments },
              { missingKey: 'A' },
            ),
          ],
          { message: 'A column should either be a string or an object (relationship)' },
        ),
        { examples: [['id', 'title']] },
      ),
    { $id: 'ColumnSelections' },
  ),
)

export const SelectArgs = Type.Object({ table: TableName, columns: Columns, ...rowArguments }, { missingKey: 'A' })

export const CountArgs = Type.Object({
  table: TableName,
  distinct: Type.Optional(Type.Array(ColumnName)),
  where: Type.Optional(Expression),
})

const Returning = Type.Optional(Type.Array(ColumnName))

const OnConflict = Type.Object({
  action: Type.Union([Type.Literal('ignore'), Type.Literal('update')]),
  constraint: Type.Optional(Type.String()),
  constraint_on: Type.Optional(Type.Union([ColumnName, Type.Array(ColumnName, { minItems: 1 })])),
})

/** The way to treat rows that are there already. */
export type ConflictArguments = Static<typeof OnConflict>

export const InsertArgs = Type.Object({
  table: TableName,
  objects: Type.Array(VerbatimObject),
  on_conflict: Type.Optional(OnConflict),
  returning: Returning,
})

const PatchOperation = Type.Object({
  op: Type.Union([Type.Literal('add'), Type.Literal('remove'), Type.Literal('replace'), Type.Literal('test')]),
  path: Type.String({ examples: ['/a/0/b'] }),
  value: Type.Optional(Type.Unknown()),
})

/** Operations of patches by column. They stay as they came, because null is a value of theirs. */
const Patches = Type.Unsafe<Readonly<Record<string, unknown>>>({
  ...VerbatimObject,
  shown: Type.Record(Type.String(), Type.Array(PatchOperation, { minItems: 1, maxItems: mostPatched })),
})

export const UpdateArgs = Type.Object(
  {
    table: TableName,
    where: Expression,
    $set: Type.Optional(VerbatimObject),
    values: Type.Optional(VerbatimObject),
    $inc: Type.Optional(VerbatimObject),
    $mul: Type.Optional(VerbatimObject),
    $default: Type.Optional(Type.Array(ColumnName)),
    $patch: Type.Optional(Patches),
    returning: Returning,
  },
  { missingKey: 'A' },
)

/** The answers of the operations. */
export const Rows = Type.Array(Type.Record(Type.String(), Type.Unknown()))
export const Count = Type.Object({ count: Type.Integer() })
export const Changed = Type.Object({ affected_rows: Type.Integer(), returning: Type.Optional(Rows) })

export const DeleteArgs = Type.Object({ table: TableName, where: Expression, returning: Returning })
