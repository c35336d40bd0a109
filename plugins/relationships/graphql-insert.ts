// Related rows as part of an inserted one.

import { type GraphQLInputFieldConfig, type GraphQLInputFieldConfigMap, GraphQLList, GraphQLNonNull } from 'graphql'
import {
  type InputFieldMap,
  type NestedInsert,
  type PlanContext,
  type SchemaScope,
  tableInput,
  type Value,
} from '../../sdk/graphql.ts'
import { isGraphQLName, nameText } from '../../sdk/index.ts'
import type { RelationshipModel, TableModel } from '../../sdk/metadata.ts'
import { insertInputType, isWritableColumn, onConflictType, planOnConflict } from '../tables/graphql.ts'

/** Contribution: `T_insert_input` members for relationships to tables that the role may insert into. */
export function relationshipInsertFields(scope: SchemaScope, table: TableModel): InputFieldMap {
  const fields = new Map<string, () => GraphQLInputFieldConfig>()
  for (const relationship of table.fields.values()) {
    if (relationship.kind !== 'relationship' || !isGraphQLName(relationship.name)) continue
    const access = scope.access(relationship.target)
    if (!access?.insert || access.table.graphqlName === null) continue
    const target = access.table
    if (!isWritable(relationship, table, target)) continue
    fields.set(relationship.name, () => ({
      type: relatedInputTypes[relationship.type](scope, target),
      extensions: {
        relationship: relationship.name,
        insert: (value: Value, context: PlanContext) => readRelated(value, context, relationship, target),
      },
    }))
  }
  return fields
}

/** Whether PostgreSQL lets a statement give a value to the columns that the relationship determines. */
function isWritable({ mapping, insertedAfter }: RelationshipModel, table: TableModel, target: TableModel): boolean {
  return mapping.every(([own, theirs]) => {
    const column = insertedAfter ? target.columns.get(theirs) : table.columns.get(own)
    return column !== undefined && isWritableColumn(column)
  })
}

function relatedInputType(type: RelationshipModel['type']) {
  const infix = type === 'object' ? 'obj' : 'arr'
  return tableInput({
    name: (table) => `${table.graphqlName}_${infix}_rel_insert_input`,
    description: ({ name }) => `input type for inserting ${type} relation for remote table "${nameText(name)}"`,
    fields: (table, scope): GraphQLInputFieldConfigMap => {
      const row = new GraphQLNonNull(insertInputType(scope, table))
      const onConflict = onConflictType(scope, table)
      const described = scope.settings.graphqlInterface === '2' && { description: 'upsert condition' }
      return {
        data: { type: type === 'object' ? row : new GraphQLNonNull(new GraphQLList(row)) },
        ...(onConflict ? { on_conflict: { type: onConflict, ...described } } : {}),
      }
    },
  })
}

/** `R_obj_rel_insert_input` and `R_arr_rel_insert_input`. */
const relatedInputTypes = { object: relatedInputType('object'), array: relatedInputType('array') }

function readRelated(
  value: Value,
  context: PlanContext,
  relationship: RelationshipModel,
  target: TableModel,
): NestedInsert | null {
  if (value.isNull) return null
  const members = value.members()
  const data = members.get('data')!
  const objects = relationship.type === 'object' ? [data] : data.items(1)
  const conflict = members.get('on_conflict')
  const onConflict = conflict && !conflict.isNull ? planOnConflict(conflict, context, target) : null
  return objects.length === 0 ? null : { relationship, objects, onConflict }
}
