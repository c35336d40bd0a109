// One generation of the metadata.

import type { Catalog } from '../../catalog/types.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { Model } from '../document/model.ts'
import type { Resolution } from '../resolving/resolve.ts'
import type { SourceContents, SourceStates } from '../slices/sources.ts'

/** The served model, and everything that the next generation is made from. */
export interface MetadataState {
  readonly document: MetadataDocument
  readonly catalog: Catalog
  /** The sources that this instance knows, and those of them that the document needs. */
  readonly contents: SourceContents
  readonly sources: SourceStates
  readonly resolution: Resolution
  readonly model: Model
}
