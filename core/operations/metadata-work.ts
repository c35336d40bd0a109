// Requests to the metadata API, as plugins see them.

import type { Around } from '../around/around.ts'
import type { EndableWork } from '../auth/admission.ts'
import type { ChangeWork } from '../graphql/works.ts'

/** A request to the metadata API: one operation, or a bulk. */
export interface MetadataWork extends EndableWork {
  /** The `type` of the request. */
  readonly type: string
  /** Its arguments, decoded and with defaults; members of a bulk as received. They may contain secrets. */
  readonly args: unknown
}

/** The hooks for metadata requests; null when no plugin has one. */
export interface MetadataHooks {
  readonly metadata: Around<MetadataWork> | null
  readonly change: Around<ChangeWork> | null
}
