// One generation of the metadata.

import type { Catalog } from '../../catalog/types.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { Model } from '../document/model.ts'
import type { Resolution } from '../resolving/resolve.ts'
import type { SourceContents, SourceStates } from '../slices/sources.ts'

/** The served model, and all inputs of the next generation. */
export interface MetadataState {
  readonly document: MetadataDocument
  readonly catalog: Catalog
  /** The contents of sources that this instance has, and the states of the sources that the document needs. */
  readonly contents: SourceContents
  readonly sources: SourceStates
  readonly resolution: Resolution
  readonly model: Model
}
