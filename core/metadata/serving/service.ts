// What routes and jobs may ask of the metadata.

import type { Caller } from '../../concurrency/shares.ts'
import type { Session } from '../../session/session.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { Model } from '../document/model.ts'
import type { DocumentFormat } from '../slices/document-format.ts'
import type { WantedSource } from '../slices/sources.ts'

export interface MetadataService {
  readonly model: Model
  /** The document as stored; frozen. */
  readonly document: MetadataDocument
  /** Between the document and its wire form. */
  readonly format: DocumentFormat
  /** The document in wire form (format 2), inconsistent objects included. */
  exportDocument(): Record<string, unknown>
  /**
   * Runs one request of the metadata API: an envelope `{type, args, version?}`, decoded JSON. `whenUnwanted` gives what aborts
   * when nobody waits for the answer any more: then what only reads ends. `caller`: who asks, and has a share of the connections.
   */
  run(envelope: unknown, session: Session, whenUnwanted?: () => AbortSignal, caller?: Caller): Promise<unknown>
  /** The arguments of `reload_metadata` that have sources fetched again. */
  readonly reloadArguments: readonly string[]
  /** The sources that a document needs. */
  sourcesOf(document: MetadataDocument): readonly WantedSource[]
  /** Reads document and catalog again, and serves the result. */
  reload(): Promise<void>
  /** Calls back after each change of the model. */
  onChange(listener: (model: Model) => void): void
}
