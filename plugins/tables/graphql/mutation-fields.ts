// The mutation fields of tables, as far as a role's permissions go.

import type { GraphQLFieldConfig } from 'graphql'
import type { FieldMap, RootFields, SchemaScope } from '../../../core/graphql/contribution.ts'
import type { TableModel } from '../../../core/metadata/model.ts'
import { deleteByKeyField, deleteField } from './delete.ts'
import { insertField, insertOneField } from './insert.ts'
import { keyColumns } from './query-fields.ts'
import { fieldsOfTables, rootName } from './root-fields.ts'
import { updateByKeyField, updateField } from './update.ts'
import { updatableColumns } from './written-columns.ts'

/** Contribution: the insert, update and delete fields of every table. */
export const tableMutationFields = (scope: SchemaScope): RootFields =>
  fieldsOfTables(scope, (table) => mutationFieldsOf(scope, table))

function mutationFieldsOf(scope: SchemaScope, table: TableModel): FieldMap {
  const fields = new Map<string, () => GraphQLFieldConfig<unknown, unknown>>()
  const access = scope.access(table.name)
  if (access?.insert) {
    fields.set(rootName(scope, table, 'insert'), () => insertField(scope, table))
    if (access.select) {
      fields.set(rootName(scope, table, 'insert_one'), () => insertOneField(scope, table))
    }
  }
  const hasKey = keyColumns(scope, table) !== null
  if (access?.update && updatableColumns(scope, table).size > 0) {
    fields.set(rootName(scope, table, 'update'), () => updateField(scope, table))
    if (hasKey) {
      fields.set(rootName(scope, table, 'update_by_pk'), () => updateByKeyField(scope, table))
    }
  }
  if (access?.delete) {
    fields.set(rootName(scope, table, 'delete'), () => deleteField(scope, table))
    if (hasKey) {
      fields.set(rootName(scope, table, 'delete_by_pk'), () => deleteByKeyField(scope, table))
    }
  }
  return fields
}
