// `T_insert_input`, and how its values are read.

import { type GraphQLInputFieldConfig, type GraphQLInputObjectType, getNamedType } from 'graphql'
import {
  columnType,
  declaredField,
  type InputFieldMap,
  type NestedInsert,
  type PlanContext,
  type SchemaScope,
  tableInput,
  type Value,
} from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import type { ParamOperand } from '../../../../sdk/sql.ts'
import { columnParam, insertableColumns } from './written-columns.ts'

/** `T_insert_input`. */
export const insertInputType = tableInput({
  name: (table) => `${table.graphqlName}_insert_input`,
  description: ({ name }) => `input type for inserting data into table "${nameText(name)}"`,
  fields: (table, scope) => scope.insertFields(table),
})

/** Contribution: a field for each insertable column. */
export function columnInsertFields(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map<string, () => GraphQLInputFieldConfig>()
  for (const [name, column] of insertableColumns(scope, table)) {
    fields.set(name, () => ({
      type: columnType(scope, column)!,
      description: column.comment,
      extensions: { column: column.name },
    }))
  }
  return fields
}

/** The content of one `T_insert_input` value. */
export interface InsertRow {
  /** By the column's database name. */
  readonly columns: ReadonlyMap<string, GivenColumn>
  readonly nested: readonly NestedInsert[]
}

interface GivenColumn {
  /** The name that the value stands under. */
  readonly member: string
  readonly value: ParamOperand
}

/** Reads a `T_insert_input` value. */
export function readInsertRow(value: Value, context: PlanContext, table: TableModel): InsertRow {
  const fields = (getNamedType(value.type) as GraphQLInputObjectType).getFields()
  const columns = new Map<string, GivenColumn>()
  const nested: NestedInsert[] = []
  for (const [member, given] of value.members()) {
    const { column, insert } = declaredField(fields, member)!.extensions
    if (column !== undefined) {
      columns.set(column, { member, value: columnParam(context.schema, table.columns.get(column)!, given) })
    } else if (insert) {
      const rows = insert(given, context)
      if (rows) nested.push(rows)
    } else {
      throw new Error(`the field "${member}" of an insert input has no planner`)
    }
  }
  return { columns, nested }
}
