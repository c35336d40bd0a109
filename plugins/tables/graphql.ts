// What other plugins may build on: the types that tables have in GraphQL, and how selections of them are planned.

import type { Contribution } from '../../core/graphql/contribution.ts'
import { columnComparisons } from './graphql/boolean-expression.ts'
import { columnInsertFields } from './graphql/insert-input.ts'
import { tableMutationFields } from './graphql/mutation-fields.ts'
import { columnOrders } from './graphql/order-by.ts'
import { tableQueryFields } from './graphql/query-fields.ts'
import { columnFields } from './graphql/row-type.ts'

export { aggregateType, planAggregate } from './graphql/aggregate.ts'
export { booleanExpressionType, planBoolean } from './graphql/boolean-expression.ts'
export { insertInputType } from './graphql/insert-input.ts'
export { parseJsonPath } from './graphql/json-path.ts'
export { onConflictType, planOnConflict } from './graphql/on-conflict.ts'
export { aggregateOrderByType, directed, orderByType, planAggregateOrder, planOrder } from './graphql/order-by.ts'
export { allRows, keyArguments, keyColumns, keyCondition, rootName, rowList } from './graphql/query-fields.ts'
export { planMembers, planRow, rowType, selectableColumns } from './graphql/row-type.ts'
export { planRows, type RowSource, selectArguments } from './graphql/select-arguments.ts'

/** Columns as fields, predicates and orderings; tables as root fields. */
export const tableContribution: Contribution = {
  name: 'tables',
  query: tableQueryFields,
  mutation: tableMutationFields,
  subscription: tableQueryFields,
  rowFields: columnFields,
  booleanFields: columnComparisons,
  orderFields: columnOrders,
  insertFields: columnInsertFields,
}
