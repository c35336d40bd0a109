// The parts for other plugins: the GraphQL types of tables, and the planning of their selections.

import type { Contribution } from '../../sdk/graphql.ts'
import { columnInsertFields } from './graphql/mutations/insert-input.ts'
import { tableMutationFields } from './graphql/mutations/mutation-fields.ts'
import { columnComparisons } from './graphql/queries/boolean-expression.ts'
import { columnOrders } from './graphql/queries/order-by.ts'
import { tableQueryFields } from './graphql/queries/query-fields.ts'
import { columnFields } from './graphql/row-type.ts'

export { columnInputs } from './graphql/column-members.ts'
export { insertInputType } from './graphql/mutations/insert-input.ts'
export { onConflictType, planOnConflict } from './graphql/mutations/on-conflict.ts'
export { isWritableColumn } from './graphql/mutations/written-columns.ts'
export { aggregateType, planAggregate } from './graphql/queries/aggregate.ts'
export { type Aggregable, isNumeric } from './graphql/queries/aggregate-columns.ts'
export {
  type AggregatedRows,
  aggregatePredicateType,
  planAggregatePredicate,
} from './graphql/queries/aggregate-predicate.ts'
export { booleanExpressionType, planBoolean } from './graphql/queries/boolean-expression.ts'
export {
  type AggregateComparison,
  type ComparableAggregate,
  type ComparedRows,
  comparableAggregates,
  compareAggregate,
  comparedType,
  comparedValue,
  isComparedBy,
  pairArguments,
} from './graphql/queries/compared-aggregate.ts'
export { valueComparison } from './graphql/queries/comparison.ts'
export { readPathArgument } from './graphql/queries/json-path.ts'
export {
  aggregateOrderByType,
  columnOrders,
  directed,
  orderByEnum,
  orderByType,
  orderedColumn,
  planAggregateOrder,
  planOrder,
  type RelatedRows,
  relatedValue,
} from './graphql/queries/order-by.ts'
export {
  keyArguments,
  keyColumns,
  keyCondition,
  type ReadingRoot,
  rowList,
  showsRootField,
} from './graphql/queries/query-fields.ts'
export {
  planOrderBy,
  planRows,
  type RowSource,
  readLimit,
  selectArguments,
} from './graphql/queries/select-arguments.ts'
export { fieldsOfTables } from './graphql/root-fields.ts'
export { planMembers, planRow, rowType, selectableColumns } from './graphql/row-type.ts'

/** Tables as root fields to select from. */
export const tableQueryContribution: Contribution = {
  name: 'table queries',
  isOfSource: true,
  schemas: ['standard'],
  query: tableQueryFields('query'),
  subscription: tableQueryFields('subscription'),
}

export { updateManyContribution } from './graphql/mutations/update-many.ts'

/** Columns as fields, predicates and orderings; tables as root fields that change them. */
export const tableContribution: Contribution = {
  name: 'tables',
  isOfSource: true,
  mutation: tableMutationFields,
  rowFields: columnFields,
  booleanFields: columnComparisons,
  orderFields: columnOrders,
  insertFields: columnInsertFields,
}
