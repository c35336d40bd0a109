// The promised part of the SDK for hooks, other servers, JSON and services of the engine. Names leave it only in a major release.

export type {
  Around,
  AroundOutgoing,
  AroundSync,
  BatchWork,
  Decimal,
  DocumentWork,
  Measure,
  MetadataWork,
  NumberMode,
  Observer,
  OperationWork,
  Outgoing,
  OutgoingRequest,
  OutgoingResponse,
  OutgoingSocket,
  OutgoingStream,
  PlanningWork,
  RequestWork,
  StatementWork,
  Surroundings,
} from '../services.ts'
