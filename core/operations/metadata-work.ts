// Requests to the metadata API, as plugins see them.

import type { Around } from '../around/around.ts'
import type { EndableWork } from '../auth/admission.ts'

/** A request to the metadata API: one operation, or a bulk. */
export interface MetadataWork extends EndableWork {
  /** The `type` of the request. */
  readonly type: string
}

/** The hook for metadata requests; null when no plugin has one. */
export interface MetadataHooks {
  readonly metadata: Around<MetadataWork> | null
}
