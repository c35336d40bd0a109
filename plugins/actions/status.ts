// The status of an asynchronous call: a field that one statement reads from the log, so subscriptions can follow it.

import {
  type GraphQLFieldConfig,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
} from 'graphql'
import { type FieldSelection, type PlanContext, type SchemaScope, scalarType } from '../../sdk/graphql.ts'
import { builtInType } from '../../sdk/metadata.ts'
import {
  allOf,
  allRows,
  type Condition,
  codecFor,
  constantValue,
  empty,
  id,
  type Output,
  param,
  type RootOutput,
  sql,
} from '../../sdk/sql.ts'
import { outputTypeOf, planStored } from '../custom-types/graphql.ts'
import type { ActionModel } from './metadata.ts'

const actionLog = { schema: 'trellis', name: 'hdb_action_log' }

const types = { uuid: builtInType('uuid'), timestamptz: builtInType('timestamptz'), json: builtInType('json') }

/** The status field of an asynchronous action on the query and subscription roots. */
export const statusField = (scope: SchemaScope, action: ActionModel): GraphQLFieldConfig<unknown, unknown> => ({
  type: statusType(scope, action),
  description: action.description,
  args: {
    id: {
      type: new GraphQLNonNull(scalarType(scope, types.uuid)!),
      description: `id of the action: "${action.name}"`,
    },
  },
  extensions: {
    root: { kind: 'relational', plan: (field, context) => planStatus(field, context, action) },
  },
})

function statusType(scope: SchemaScope, { name, output }: ActionModel): GraphQLObjectType {
  return scope.type(name, () => {
    const required = (type: keyof typeof types) => new GraphQLNonNull(scalarType(scope, types[type])!)
    return new GraphQLObjectType({
      name,
      description: `fields of action: "${name}"`,
      fields: () => ({
        id: { type: required('uuid'), description: 'the unique id of an action' },
        created_at: { type: required('timestamptz'), description: 'the time at which this action was created' },
        errors: { type: scalarType(scope, types.json)!, description: 'errors related to the invocation' },
        // Null while the call waits, even if the action's type is not nullable.
        output: {
          type: getNullableType(outputTypeOf(scope, output)) as GraphQLOutputType,
          description: 'the output fields of this action',
        },
      }),
    })
  })
}

function planStatus(field: FieldSelection, context: PlanContext, action: ActionModel): RootOutput {
  const entries = field.fields().map((child) => ({ key: child.responseName, value: planMember(child, context) }))
  const rows = {
    ...allRows,
    from: { kind: 'table', table: actionLog } as const,
    where: whereOf(field, context, action),
  }
  return { kind: 'one', unique: true, select: { rows, output: { kind: 'object', entries } } }
}

/** The row with this id; roles other than `admin` see only calls of their own session. */
function whereOf(field: FieldSelection, { schema }: PlanContext, { name }: ActionModel): Condition {
  const operand = field.argument('id')!.param(codecFor(types.uuid), 'uuid')
  const own: Condition = {
    kind: 'sql',
    build: (row) => sql`${row}.${id('session_variables')} = ${param({ from: 'session-object' }, 'jsonb')}`,
  }
  return allOf([
    { kind: 'compare', column: 'id', operator: '_eq', operand },
    { kind: 'compare', column: 'action_name', operator: '_eq', operand: constantValue(name, 'text') },
    ...(schema.role === 'admin' ? [] : [own]),
  ])
}

function planMember(field: FieldSelection, context: PlanContext): Output {
  const { name, definition, parentType } = field
  if (definition === null) return { kind: 'json', text: JSON.stringify(parentType) }
  switch (name) {
    case 'id':
      return { kind: 'column', column: 'id', type: types.uuid }
    case 'created_at':
      return { kind: 'column', column: 'created_at', type: types.timestamptz }
    case 'errors':
      return errorsOutput(context)
    default:
      return planStored(field, context, (row) => sql`${row}.${id('response_payload')}`)
  }
}

/** The error, with internals for those who may see them. */
function errorsOutput({ schema: { role, settings } }: PlanContext): Output {
  const showsInternal = settings.devMode || (role === 'admin' && settings.adminInternalErrors)
  const hidden = showsInternal ? empty : sql` - 'internal'`
  return {
    kind: 'sql',
    columnsOnly: true,
    build: (row) => sql`coalesce((${row}.${id('errors')}${hidden})::text, 'null')`,
  }
}
