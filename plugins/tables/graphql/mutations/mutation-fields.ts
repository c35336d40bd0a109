// The mutation fields of tables, as far as a role's permissions go.

import type { FieldMap, RootFields, SchemaScope } from '../../../../sdk/graphql.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import { keyColumns } from '../queries/query-fields.ts'
import { fieldsOfTables, TableRootFields } from '../root-fields.ts'
import { deleteByKeyField, deleteField } from './delete.ts'
import { insertField, insertOneField } from './insert.ts'
import { updateByKeyField, updateField } from './update.ts'
import { updatableColumns } from './written-columns.ts'

/** Contribution: the insert, update and delete fields of every table. */
export const tableMutationFields = (scope: SchemaScope): RootFields =>
  fieldsOfTables(scope, (table) => mutationFieldsOf(scope, table))

function mutationFieldsOf(scope: SchemaScope, table: TableModel): FieldMap {
  const root = new TableRootFields(scope, table)
  const access = scope.access(table.name)
  if (access?.insert) {
    root.add('insert', insertField)
    if (access.select) {
      root.add('insert_one', insertOneField)
    }
  }
  const hasKey = keyColumns(scope, table) !== null
  if (access?.update && updatableColumns(scope, table).size > 0) {
    root.add('update', updateField)
    if (hasKey) {
      root.add('update_by_pk', updateByKeyField)
    }
  }
  if (access?.delete) {
    root.add('delete', deleteField)
    if (hasKey) {
      root.add('delete_by_pk', deleteByKeyField)
    }
  }
  return root.fields
}
