// Further services for plugins: hooks around the server's work, requests to other servers, the log, and JSON that
// keeps every digit.

export type { Around, AroundSync } from '../core/around/around.ts'
export type { BatchWork, EndableWork } from '../core/auth/admission.ts'
export { unlessAborted } from '../core/concurrency/aborting.ts'
export { type Caller, type Seat, Shares, type SharesOptions } from '../core/concurrency/shares.ts'
export { inTurns, mapSteps, type Steps, TurnTaker } from '../core/concurrency/stepwise.ts'
export { atTime, longestTimer } from '../core/concurrency/timers.ts'
export type { WorkerAnswers, Workers } from '../core/concurrency/workers.ts'
export type { StatementWork } from '../core/database/statement-work.ts'
export type {
  Measure,
  MeasureDescription,
  MeasuredNumber,
  Observe,
  ObservedMeasure,
  ReadMeasure,
} from '../core/engine/measures.ts'
export type { Surroundings } from '../core/engine/work-hooks.ts'
export type { ChangeWork, DocumentWork, OperationWork, PlanningWork } from '../core/graphql/works.ts'
export type { RequestWork } from '../core/http/route/exchange.ts'
export type { Decimal } from '../core/json/decimal.ts'
export { decimalText, parseDecimal } from '../core/json/decimal.ts'
export type { NumberMode } from '../core/json/json.ts'
export {
  isDeeper,
  isJsonObject,
  isRawNumber,
  type JsonType,
  jsonType,
  parseJson,
  parseScanned,
  type RawNumber,
  saysNothing,
} from '../core/json/json.ts'
export { parseJsonPath, valueAt } from '../core/json/json-path.ts'
export type { JsonScan } from '../core/json/json-scan.ts'
export { scanJson } from '../core/json/json-scan.ts'
export { maxLevels } from '../core/json/tuning.ts'
export type { GeneratedSql, HttpLog, LogType, StartupLog } from '../core/log/log-entry.ts'
export type { LogDetails, LogEntry, LogLevel, Observer, QueryLog } from '../core/log/observe.ts'
export type { MetadataWork } from '../core/operations/metadata-work.ts'
export type { Freshness } from '../core/outgoing/answer/freshness.ts'
export { answerExpiry, freshnessOf } from '../core/outgoing/answer/freshness.ts'
export { retryAfterOf } from '../core/outgoing/answer/http-date.ts'
export {
  type Outgoing,
  OutgoingError,
  type OutgoingRequest,
  type OutgoingResponse,
  type OutgoingSocket,
  type OutgoingStream,
  type SocketClass,
} from '../core/outgoing/client.ts'
export { configuredHeaders, configuredUrl, type Environment, filledTemplate } from '../core/outgoing/configured.ts'
export { clientHeaders, forwardedHeaders, isSecretHeader, type OutgoingHeaders } from '../core/outgoing/headers.ts'
export type { AroundOutgoing, UnverifiedHosts } from '../core/outgoing/request.ts'
export { type SignedMessage, signatureHeaders, signingKey } from '../core/outgoing/signing.ts'
export { isHttpUrl, loggableTemplate, loggableUrl } from '../core/outgoing/url.ts'
export { type Batches, deleteInBatches, type InTransaction } from '../core/queue/deletion.ts'
export type { Handler, Leased, LeaseTable, QueueLedger, RunCall, Settled } from '../core/queue/ledger.ts'
export { Outage } from '../core/queue/outage.ts'
export { type Page, type PageQuery, readPage } from '../core/queue/pages.ts'
export { RecentCount } from '../core/queue/recent-count.ts'
export { sqlStateOf } from '../core/queue/recorder.ts'
export { afterStartMillis, leaseSeconds, prefetchWindowMillis } from '../core/queue/tuning.ts'
export { Work } from '../core/queue/work.ts'
export { QueueWorker, type Serving } from '../core/queue/worker.ts'
