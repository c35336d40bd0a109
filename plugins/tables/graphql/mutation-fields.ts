// The mutation fields of tables, as far as a role's permissions go (graphql-api 3.2).

import type { GraphQLFieldConfig } from 'graphql'
import type { FieldMap, SchemaScope } from '../../../core/graphql/contribution.ts'
import type { TableModel } from '../../../core/metadata/model.ts'
import { deleteByKeyField, deleteField } from './delete.ts'
import { insertField, insertOneField } from './insert.ts'
import { keyColumns, rootName } from './query-fields.ts'
import { updateByKeyField, updateField } from './update.ts'
import { updatableColumns } from './written-columns.ts'

type Fields = Map<string, () => GraphQLFieldConfig<unknown, unknown>>

/** Contribution: the insert, update and delete fields of every table. */
export function tableMutationFields(scope: SchemaScope): FieldMap {
  const fields: Fields = new Map()
  for (const table of scope.model.tables.values()) {
    if (table.graphqlName !== null) addFields(fields, scope, table, table.graphqlName)
  }
  return fields
}

function addFields(fields: Fields, scope: SchemaScope, table: TableModel, base: string): void {
  const access = scope.access(table.name)
  if (access?.insert) {
    fields.set(rootName(scope, table, 'insert', `insert_${base}`), () => insertField(scope, table))
    if (access.select) {
      fields.set(rootName(scope, table, 'insert_one', `insert_${base}_one`), () => insertOneField(scope, table))
    }
  }
  const hasKey = keyColumns(scope, table) !== null
  if (access?.update && updatableColumns(scope, table).size > 0) {
    fields.set(rootName(scope, table, 'update', `update_${base}`), () => updateField(scope, table))
    if (hasKey) {
      fields.set(rootName(scope, table, 'update_by_pk', `update_${base}_by_pk`), () => updateByKeyField(scope, table))
    }
  }
  if (access?.delete) {
    fields.set(rootName(scope, table, 'delete', `delete_${base}`), () => deleteField(scope, table))
    if (hasKey) {
      fields.set(rootName(scope, table, 'delete_by_pk', `delete_${base}_by_pk`), () => deleteByKeyField(scope, table))
    }
  }
}
