// The state of a request while it runs.

import type { Caller } from '../concurrency/shares.ts'
import type { Database, TransactionOptions } from '../database/database.ts'
import type { Transaction } from '../database/transaction.ts'
import type { ValidationOptions } from '../graphql/read/request.ts'
import type { Model } from '../metadata/document/model.ts'
import type { MetadataEdit } from '../metadata/serving/edit.ts'
import type { ServedMetadata } from '../metadata/serving/served.ts'
import type { SourceFetcher } from '../metadata/serving/source-fetcher.ts'
import type { MetadataState } from '../metadata/serving/state.ts'
import type { Author } from '../metadata/slices/recorder.ts'
import type { MetadataRegistry } from '../metadata/slices/registry.ts'
import type { InterfaceName } from '../names/version.ts'
import type { Session } from '../session/session.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { CombinedEdits } from './combined-edits.ts'
import type { MetadataHooks } from './metadata-work.ts'
import type { OperationEnvironment } from './operation.ts'
import type { OperationRegistry } from './registry.ts'
import type { RequestForm } from './request-form.ts'
import type { RequestOptions } from './service.ts'

export interface RunnerOptions {
  readonly database: Pick<Database, 'transaction'>
  readonly registry: MetadataRegistry
  readonly operations: OperationRegistry
  readonly served: ServedMetadata
  readonly sessionSettings: Pick<SessionSettings, 'apply'>
  readonly hooks: MetadataHooks
  readonly environment: Omit<OperationEnvironment, 'interface'>
  /** Refuses a GraphQL document that cannot run on a model. */
  validateDocument(text: string, options: ValidationOptions | undefined, model: Model): void
  /** A name that several GraphQL types of a model share; null: there is no such name. */
  conflictingType(model: Model): string | null
  readonly fetcher: Pick<SourceFetcher, 'fetch' | 'isNewest' | 'served'>
}

export type AfterCommit = () => void | Promise<void>

/** The outcome of a request before it is published. */
export interface Outcome {
  readonly result: unknown
  readonly afterCommit: readonly AfterCommit[]
}

/** The state that the calls of one request share. */
export interface Run {
  readonly session: Session
  readonly transaction: Transaction
  readonly interface: InterfaceName
  /** The edit of the request; null when no operation of it edits. */
  readonly edit: MetadataEdit | null
  /** Edits of a bulk that are resolved together; null: each is resolved by itself. */
  readonly combined: CombinedEdits | null
  /** The state that calls read while nothing was edited. */
  readonly state: MetadataState
  /** Filled by handlers. */
  readonly afterCommit: AfterCommit[]
  readonly signal: AbortSignal | null
  /** The id of the HTTP request; null if no client asked. */
  readonly requestId: string | null
  /** Whether requests that are tried in it must have no unknown keys; absent: as in the dialect. */
  readonly isStrict?: boolean
}

/** The request of a client as operations see it. */
export type Asked = Pick<Run, 'interface' | 'requestId'>

export const askedBy = ({ form, origin }: Pick<Circumstances, 'form' | 'origin'>): Asked => ({
  interface: form.interface,
  requestId: origin?.requestId ?? null,
})

/** The edit of a request, and its edits that are resolved together. */
export type Editing = { readonly edit: MetadataEdit } & Pick<Run, 'combined' | 'signal'> &
  Asked & { readonly author: Author }

/** Transaction options of a call that edits nothing. */
export type Reading = Pick<TransactionOptions, 'readOnly' | 'caller'> & Asked

/** The options of a request with their defaults. */
export type Circumstances = Pick<RequestOptions, 'whenUnwanted' | 'origin' | 'plugin'> & {
  readonly form: RequestForm
  readonly caller: Caller | null
}

/** The form of a request that edits, and its cause. */
export type EditCircumstances = Pick<Circumstances, 'form' | 'origin' | 'plugin'>
