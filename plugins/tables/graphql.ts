// What other plugins may build on: the types that tables have in GraphQL, and how selections of them are planned.

export { aggregateType, planAggregate } from './graphql/aggregate.ts'
export { booleanExpressionType, planBoolean } from './graphql/boolean-expression.ts'
export { aggregateOrderByType, directed, orderByType, planAggregateOrder, planOrder } from './graphql/order-by.ts'
export { allRows, keyArguments, keyColumns, keyCondition, rootName, rowList } from './graphql/query-fields.ts'
export { planMembers, planRow, rowType, selectableColumns } from './graphql/row-type.ts'
export { planRows, type RowSource, selectArguments } from './graphql/select-arguments.ts'
