// The metadata service for routes and jobs.

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
  /** Converts between the document and its wire form. */
  readonly format: DocumentFormat
  /** The document in wire form (format 2), inconsistent objects included. */
  exportDocument(): Record<string, unknown>
  /**
   * Runs one request of the metadata API: an envelope `{type, args, version?}`, decoded from JSON. `whenUnwanted`
   * returns a signal that aborts when the client is gone; operations that only read then end. `caller`: the client, for
   * its share of the connections.
   */
  run(envelope: unknown, session: Session, whenUnwanted?: () => AbortSignal, caller?: Caller): Promise<unknown>
  /** The arguments of `reload_metadata` that refetch sources. */
  readonly reloadArguments: readonly string[]
  /** The sources that a document needs. */
  sourcesOf(document: MetadataDocument): readonly WantedSource[]
  /** Reads document and catalog again, and serves the result. */
  reload(): Promise<void>
  /** Calls back after each change of the model. */
  onChange(listener: (model: Model) => void): void
}
