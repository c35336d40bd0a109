// Table permissions of roles: compiled rows and changes for planners, and narrowing them for all requests.

export type {
  AccessOptions,
  Accessor,
  AccessService,
  Composition,
  RoleAccess,
  SharedObjects,
  TableAccess,
} from '../core/access/access.ts'
export type { DeleteAccess, InsertAccess, RowValues, UpdateAccess } from '../core/access/changes.ts'
export { grantors, type RoleParents, type SharedObject } from '../core/access/composed.ts'
export { type NarrowedTable, type Narrowing, updateInstead } from '../core/access/narrowing.ts'
export { type CostLimit, RequestCost, selectionCost } from '../core/access/request-cost.ts'
export type { Aggregate, ComparedAggregate, Related, SelectAccess, WantedRow, WantedRows } from '../core/access/rows.ts'
export {
  conditionBuilder,
  equalityOperators,
  isComparable,
  isReadByFunction,
  maskedValue,
  mayCompare,
  onlyWhere,
  readValue,
  type TransformedColumn,
  transformedOutput,
} from '../core/access/transformed-columns.ts'
export { comparisonCost, relatedCost, rootCost } from '../core/access/tuning.ts'
