// What other plugins may build on: the types that tables have in GraphQL, and how selections of them are planned.

import type { Contribution } from '../../sdk/graphql.ts'
import { columnComparisons } from './graphql/boolean-expression.ts'
import { columnInsertFields } from './graphql/insert-input.ts'
import { tableMutationFields } from './graphql/mutation-fields.ts'
import { columnOrders } from './graphql/order-by.ts'
import { tableQueryFields } from './graphql/query-fields.ts'
import { columnFields } from './graphql/row-type.ts'

export { aggregateType, planAggregate } from './graphql/aggregate.ts'
export { isNumeric } from './graphql/aggregate-columns.ts'
export { booleanExpressionType, planBoolean } from './graphql/boolean-expression.ts'
export { insertInputType } from './graphql/insert-input.ts'
export { readPathArgument } from './graphql/json-path.ts'
export { onConflictType, planOnConflict } from './graphql/on-conflict.ts'
export {
  aggregateOrderByType,
  directed,
  orderableColumns,
  orderByType,
  orderedColumn,
  planAggregateOrder,
  planOrder,
  type RelatedRows,
  relatedValue,
} from './graphql/order-by.ts'
export {
  keyArguments,
  keyColumns,
  keyCondition,
  type ReadingRoot,
  rowList,
  showsRootField,
} from './graphql/query-fields.ts'
export { fieldsOfTables } from './graphql/root-fields.ts'
export { planMembers, planRow, rowType, selectableColumns } from './graphql/row-type.ts'
export { planOrderBy, planRows, type RowSource, readLimit, selectArguments } from './graphql/select-arguments.ts'
export { isWritableColumn } from './graphql/written-columns.ts'

/** Tables as root fields to select from. */
export const tableQueryContribution: Contribution = {
  name: 'table queries',
  schemas: ['standard'],
  query: tableQueryFields('query'),
  subscription: tableQueryFields('subscription'),
}

/** Columns as fields, predicates and orderings; tables as root fields that change them. */
export const tableContribution: Contribution = {
  name: 'tables',
  mutation: tableMutationFields,
  rowFields: columnFields,
  booleanFields: columnComparisons,
  orderFields: columnOrders,
  insertFields: columnInsertFields,
}
