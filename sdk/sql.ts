// For plugins whose fields and conditions become SQL: plans, the `sql` tag, operators, codecs, transactions.

export { aggregateSql } from '../core/compiler/aggregate-sql.ts'
export type { BatchStatement } from '../core/compiler/batch-sql.ts'
export type { Bindings, BoundInputs } from '../core/compiler/bind.ts'
export { bindParams, sessionVariablesOf } from '../core/compiler/bind.ts'
export {
  codecFor,
  encodeArray,
  idCodec,
  inputType,
  isKnownType,
  numberText,
  requireDouble,
  scalarName,
  stringCodec,
  textLiteralCodec,
  undecodable,
} from '../core/compiler/codecs.ts'
export { type Compared, compare } from '../core/compiler/compare.ts'
export {
  comparisonSql,
  isAbsentSql,
  isComparedAsUsual,
  isRowType,
  isThereSql,
  rowComparisonSql,
} from '../core/compiler/comparing.ts'
export type {
  ComparisonOperator,
  OperandKind,
  OperandMember,
  OperandObject,
  OperandValue,
} from '../core/compiler/comparison-operator.ts'
export {
  andSql,
  columnSql,
  comparableSql,
  conditionSql,
  isTrue,
  operandSql,
  tableSql,
} from '../core/compiler/condition-sql.ts'
export { columnJson, concat, roundTripJson } from '../core/compiler/json-sql.ts'
export type { UpdateOperand } from '../core/compiler/mutation-operators.ts'
export { type UpdateOperator, updateOperators } from '../core/compiler/mutation-operators.ts'
export {
  type AnsweredTable,
  type Assignment,
  answerSlot,
  type Change,
  type ColumnValue,
  type ColumnValues,
  type ConflictUpdate,
  constantValue,
  type Delete,
  type Insert,
  type InsertRows,
  type MutationAnswer,
  type MutationPlan,
  type MutationStep,
  type OnConflict,
  type ParamOperand,
  type ResponseEntry,
  type ResponseValue,
  type RowCheck,
  sessionValue,
  soleStep,
  type Update,
} from '../core/compiler/mutation-plan.ts'
export type { DirectProgram, MutationProgram, ProgramStep } from '../core/compiler/mutation-program.ts'
export { mutationProgram } from '../core/compiler/mutation-program.ts'
export type { Scope } from '../core/compiler/nesting.ts'
export {
  findOperator,
  isOperandObject,
  operandType,
  operatorsFor,
  operatorsNamed,
} from '../core/compiler/operators.ts'
export type { PrintedOrder } from '../core/compiler/order-sql.ts'
export { orderItemSql, targetsSql } from '../core/compiler/order-sql.ts'
export type * from '../core/compiler/plan.ts'
export { allOf, allRows, always, columnPair, isNull } from '../core/compiler/plan.ts'
export { Printer, type PrinterOptions } from '../core/compiler/printer.ts'
export type { Envelope, InnerFrame, RowSet } from '../core/compiler/select-sql.ts'
export { type Frame, manyQuery, outputSql, rowSet } from '../core/compiler/select-sql.ts'
export {
  isComparedByMembers,
  isOrdered,
  offersOrder,
  supportOf,
  type TypeSupport,
  typeBeside,
} from '../core/compiler/type-support.ts'
export type { UseOfColumns } from '../core/compiler/used-columns.ts'
export { usedColumns, usedList } from '../core/compiler/used-columns.ts'
export type {
  ChangeOptions,
  ConnectionCounts,
  Database,
  Isolation,
  ReadOptions,
  TransactionOptions,
} from '../core/database/database.ts'
export type { DecodedCommit, Decoding } from '../core/database/hearing/decoding.ts'
export type { Listening } from '../core/database/hearing/listening.ts'
export type { Codec, InputSource, ParamSource, TextCheck } from '../core/database/sql/param.ts'
export type { PreparedStatement, StatementTraits } from '../core/database/sql/prepared-statement.ts'
export { prepare } from '../core/database/sql/prepared-statement.ts'
export type { SqlType } from '../core/database/sql/sql.ts'
export {
  compile,
  empty,
  id,
  integer,
  join,
  literal,
  param,
  replaceParams,
  type Sql,
  type Statement,
  sql,
  trusted,
} from '../core/database/sql/sql.ts'
export type { StatementHistory } from '../core/database/sql/statement-history.ts'
export { storableText } from '../core/database/sql/storable-text.ts'
export type { TransactionSettings } from '../core/database/sql/transaction-settings.ts'
export type { OwnTransaction, Row, ScriptResult, Transaction } from '../core/database/transaction.ts'
export type { PostgresError } from '../core/database/wire/postgres-errors.ts'
export { databaseErrorDetails, isConnectionLost } from '../core/database/wire/postgres-errors.ts'
