// The schema for clients of Relay: connections in place of the select fields, and rows that are nodes.

import { type GraphQLFieldConfig, GraphQLNonNull } from 'graphql'
import type { Contribution, FieldMap, FieldSelection, PlanContext, RootFields, SchemaScope } from '../../sdk/graphql.ts'
import { nameText } from '../../sdk/index.ts'
import { basesWithin, type TableModel } from '../../sdk/metadata.ts'
import { type Rows, sql } from '../../sdk/sql.ts'
import { callArguments, callableFunctions, planFunctionRows, showsFunction } from '../functions/graphql.ts'
import { visibleRelationships } from '../relationships/graphql.ts'
import { fieldsOfTables, planRows, type ReadingRoot, showsRootField } from '../tables/graphql.ts'
import { planConnection } from './graphql/connection.ts'
import { connectionSql } from './graphql/connection-sql.ts'
import { nodeField } from './graphql/node.ts'
import { nodeIdJson, nodeKey } from './graphql/node-id.ts'
import { connectionArguments, connectionType, idField, nodeInterface } from './graphql/types.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** The rows that a connection is made of, under the role's permission and the field's arguments. */
type BaseSet = (field: FieldSelection, context: PlanContext) => Rows

const suffix = '_connection'

/** The connections of tables that a root type has. */
const tableConnections =
  (root: ReadingRoot) =>
  (scope: SchemaScope): RootFields =>
    fieldsOfTables(
      scope,
      (table) => {
        const fields = new Map<string, () => Field>()
        const select = scope.access(table.name)?.select
        const isShown = select && showsRootField(select, root, 'select') && nodeKey(scope, table)
        if (isShown) fields.set(scope.withSuffix(table.graphqlName!, suffix), () => tableField(scope, table))
        return fields
      },
      (name) => basesWithin(name, ['', suffix]),
    )

const nodeOf = (scope: SchemaScope, root: ReadingRoot): FieldMap => new Map([['node', () => nodeField(scope, root)]])

/** The connections of functions. */
function functionConnections(scope: SchemaScope, root: ReadingRoot): FieldMap {
  const fields = new Map<string, () => Field>()
  for (const model of callableFunctions(scope, 'query')) {
    const { graphqlName, name, call } = model
    const access = scope.access(model.table)
    if (!model.returnsSet || !access?.select || !nodeKey(scope, access.table)) continue
    if (!showsFunction(model, access.select, root, 'select')) continue
    const { table } = access
    fields.set(scope.withSuffix(graphqlName, suffix), () => {
      const description = `execute function "${nameText(name)}" which returns "${nameText(table.name)}"`
      const rows: BaseSet = (field, context) => planFunctionRows(field, context, { call, table })
      const given = callArguments(scope, call, `${graphqlName}_args`)
      const field = rootConnection(scope, table, { description, rows })
      return { ...field, args: { ...given, ...field.args } }
    })
  }
  return fields
}

function tableField(scope: SchemaScope, table: TableModel): Field {
  const description = `fetch data from the table: "${nameText(table.name)}"`
  const rows: BaseSet = (field, context) => planRows(field, context, table)
  return rootConnection(scope, table, { description, rows })
}

function rootConnection(
  scope: SchemaScope,
  table: TableModel,
  { description, rows }: { readonly description: string; readonly rows: BaseSet },
): Field {
  return {
    type: new GraphQLNonNull(connectionType(scope, table)),
    description,
    args: connectionArguments(scope, table),
    extensions: {
      root: {
        kind: 'relational',
        plan: (field, context) => {
          const connection = planConnection(field, context, { table, rows: rows(field, context) })
          return { kind: 'sql', build: (_row, printer) => sql`(${connectionSql(connection, null, printer)})` }
        },
      },
    },
  }
}

/** Contribution: the node id of rows, and the connections of array relationships. */
function rowFields(scope: SchemaScope, table: TableModel): FieldMap {
  const fields = new Map<string, () => Field>()
  const key = nodeKey(scope, table)
  if (key) {
    const output = { kind: 'sql', build: nodeIdJson(table.name, key), columnsOnly: true } as const
    fields.set('id', () => ({ ...idField(), extensions: { row: { kind: 'relational', plan: () => output } } }))
  }
  for (const { relationship, target } of visibleRelationships(scope, table)) {
    if (relationship.type !== 'array' || !nodeKey(scope, target)) continue
    const { name, comment, mapping } = relationship
    const description = comment ?? 'An array relationship connection'
    fields.set(`${name}${suffix}`, () => relatedConnection(scope, target, { description, mapping }))
  }
  return fields
}

function relatedConnection(
  scope: SchemaScope,
  target: TableModel,
  { description, mapping }: { readonly description: string; readonly mapping: Rows['mapping'] },
): Field {
  return {
    type: new GraphQLNonNull(connectionType(scope, target)),
    description,
    args: connectionArguments(scope, target),
    extensions: {
      row: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = planRows(field, context, target, { mapping })
          const connection = planConnection(field, context, { table: target, rows })
          return { kind: 'sql', build: (row, printer) => sql`(${connectionSql(connection, row, printer)})` }
        },
      },
    },
  }
}

/** The connections of tables, as root fields. */
export const connectionContribution: Contribution = {
  name: 'relay connections',
  isOfSource: true,
  schemas: ['relay'],
  query: tableConnections('query'),
  subscription: tableConnections('subscription'),
}

/** The connections of functions, as root fields. */
export const functionConnectionContribution: Contribution = {
  name: 'relay connections of functions',
  isOfSource: true,
  schemas: ['relay'],
  query: (scope) => functionConnections(scope, 'query'),
  subscription: (scope) => functionConnections(scope, 'subscription'),
}

/** The parts of Relay's schema that the usual schema lacks. */
export const relayContribution: Contribution = {
  name: 'relay',
  schemas: ['relay'],
  ownRowFields: ['id'],
  query: (scope) => nodeOf(scope, 'query'),
  subscription: (scope) => nodeOf(scope, 'subscription'),
  rowFields,
  rowInterfaces: (scope, table) => (nodeKey(scope, table) ? [nodeInterface(scope)] : []),
}
