// For plugins whose fields and conditions become SQL: plans, the `sql` tag, operators, codecs, transactions.

export { type CallPlan, effectful, returnedRows } from '../core/compiler/plan/call-plan.ts'
export { type ColumnEncoding, encodedCodec, mapColumnValues } from '../core/compiler/plan/mapped-values.ts'
export type { UpdateOperand } from '../core/compiler/plan/mutation-operators.ts'
export { type UpdateOperator, updateOperators } from '../core/compiler/plan/mutation-operators.ts'
export {
  type AnsweredTable,
  type AnyChange,
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
  type MutationList,
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
} from '../core/compiler/plan/mutation-plan.ts'
export { type OperandReader, readOperands } from '../core/compiler/plan/operands.ts'
export type * from '../core/compiler/plan/plan.ts'
export { allOf, allRows, always, columnPair, isNull } from '../core/compiler/plan/plan.ts'
export type { Scope } from '../core/compiler/plan/scope.ts'
export type { UseOfColumns } from '../core/compiler/plan/used-columns.ts'
export { usedColumns, usedList } from '../core/compiler/plan/used-columns.ts'
export { aggregateSql, callSql } from '../core/compiler/print/aggregate-sql.ts'
export type { BatchStatement } from '../core/compiler/print/batch-sql.ts'
export { type Compared, compare, compareNull } from '../core/compiler/print/compare.ts'
export {
  andSql,
  columnSql,
  comparableSql,
  conditionSql,
  isTrue,
  mappingSql,
  operandSql,
  tableSql,
} from '../core/compiler/print/condition-sql.ts'
export { columnJson, concat, roundTripJson } from '../core/compiler/print/json-sql.ts'
export type { KeyedReads, KeyedTable, RowKey, TableColumn } from '../core/compiler/print/keyed-reads.ts'
export type { ListProgram, MergedProgram } from '../core/compiler/print/mutation-list.ts'
export { programStatements } from '../core/compiler/print/mutation-list.ts'
export type {
  DirectProgram,
  MutationProgram,
  ProgramStep,
  StagedProgram,
} from '../core/compiler/print/mutation-program.ts'
export { mutationProgram } from '../core/compiler/print/mutation-program.ts'
export type { PrintedOrder } from '../core/compiler/print/order-sql.ts'
export { orderItemSql, targetsSql } from '../core/compiler/print/order-sql.ts'
export type { Envelope, InnerFrame, RowSet } from '../core/compiler/print/select-sql.ts'
export { type Frame, manyQuery, outputSql, rowQuery, rowSet } from '../core/compiler/print/select-sql.ts'
export { Printer, type PrinterOptions } from '../core/compiler/printer.ts'
export type { Bindings, BoundInputs } from '../core/compiler/run/bind.ts'
export { bindParams, sessionVariablesOf } from '../core/compiler/run/bind.ts'
export type { RunStatement } from '../core/compiler/run/mutation-run.ts'
export { runStaged } from '../core/compiler/run/mutation-run.ts'
export {
  codecFor,
  encodeArray,
  idCodec,
  inputType,
  isKnownType,
  listInputType,
  numberText,
  requireDouble,
  scalarName,
  stringCodec,
  textLiteralCodec,
  undecodable,
} from '../core/compiler/types/codecs.ts'
export {
  comparisonSql,
  isAbsentSql,
  isComparedAsUsual,
  isRowType,
  isThereSql,
  rowComparisonSql,
} from '../core/compiler/types/comparing.ts'
export type {
  ComparisonOperator,
  OperandKind,
  OperandMember,
  OperandObject,
  OperandValue,
} from '../core/compiler/types/comparison-operator.ts'
export {
  findOperator,
  isOperandObject,
  operatorsFor,
  operatorsNamed,
} from '../core/compiler/types/operators.ts'
export {
  castsOf,
  elementOf,
  isComparedByMembers,
  isOrdered,
  offersOrder,
  supportOf,
  type TypeSupport,
  typeBeside,
} from '../core/compiler/types/type-support.ts'
export type {
  ChangeOptions,
  ConnectionCounts,
  Database,
  Isolation,
  ManyOptions,
  ReadOptions,
  StatementBefore,
  TransactionOptions,
} from '../core/database/database.ts'
export type { DecodedChange, DecodedRow, DecodedValue } from '../core/database/hearing/decoded-rows.ts'
export type { DecodedCommit, DecodedRows, Decoding, DecodingListener } from '../core/database/hearing/decoding.ts'
export type { ChannelListener, Listening } from '../core/database/hearing/listening.ts'
export type { Codec, InputSource, ParamSource, TextCheck, TextEncoding } from '../core/database/sql/param.ts'
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
  storableText,
  trusted,
} from '../core/database/sql/sql.ts'
export type { StatementHistory } from '../core/database/sql/statement-history.ts'
export type { TransactionSettings } from '../core/database/sql/transaction-settings.ts'
export type {
  KeptRows,
  OwnTransaction,
  Row,
  ScriptResult,
  StatementResult,
  Transaction,
} from '../core/database/transaction.ts'
export { isCancelled } from '../core/database/wire/cancelling.ts'
export { currentUrl as currentDatabaseUrl } from '../core/database/wire/current-url.ts'
export type { PostgresError } from '../core/database/wire/postgres-errors.ts'
export {
  databaseErrorDetails,
  deniedPrivilege,
  isConnectionLost,
  isReadOnlyTransaction,
} from '../core/database/wire/postgres-errors.ts'
