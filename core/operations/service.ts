// The metadata service for routes and jobs.

import type { Caller } from '../concurrency/shares.ts'
import type { MetadataDocument } from '../metadata/document/document.ts'
import type { Model } from '../metadata/document/model.ts'
import type { DocumentFormat } from '../metadata/slices/document-format.ts'
import type { DocumentParts } from '../metadata/slices/parts.ts'
import type { WantedSource } from '../metadata/slices/sources.ts'
import type { Session } from '../session/session.ts'
import type { RequestForm } from './request-form.ts'

/** The circumstances of a request of the metadata API. */
export interface RequestOptions {
  /** Returns a signal that aborts when the client is gone; operations that only read then end. */
  readonly whenUnwanted?: () => AbortSignal
  /** The client, for its share of the connections. */
  readonly caller?: Caller
  /** The form of the endpoint; absent: the engine's, which `engine.operations.form` sets. */
  readonly form?: RequestForm
  /** The HTTP request, for the record of changes; absent: no client asked. */
  readonly origin?: RequestOrigin
  /** Whether unknown keys are refused in any dialect; absent: no. */
  readonly isStrict?: boolean
  /** The plugin that asks. The service of a plugin sets it. */
  readonly plugin?: string
}

/** The HTTP request behind a request of the metadata API. */
export interface RequestOrigin {
  readonly requestId: string
  /** The program that sent it, as it names itself. */
  readonly agent?: string | undefined
}

/** The served metadata, and edits of it. */
export interface MetadataService {
  readonly model: Model
  /** The document as stored; frozen. */
  readonly document: MetadataDocument
  /** Converts between the document and its wire form. */
  readonly format: DocumentFormat
  /** The parts of documents, whose changes are recorded and undone. */
  readonly parts: DocumentParts
  /** The document in wire form (format 2), inconsistent objects included. */
  exportDocument(): Record<string, unknown>
  /**
   * Runs one request of the metadata API: an envelope `{type, args, version?, resource_version?}`, decoded from JSON.
   */
  run(envelope: unknown, session: Session, options?: RequestOptions): Promise<unknown>
  /** The arguments of `reload_metadata` that refetch sources. */
  readonly reloadArguments: readonly string[]
  /** The sources that a document needs. */
  sourcesOf(document: MetadataDocument): readonly WantedSource[]
  /** Reads document and catalog again, and serves the result. */
  reload(): Promise<void>
  /** Calls back after each change of the model. */
  onChange(listener: (model: Model) => void): void
}
