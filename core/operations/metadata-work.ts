// Requests to the metadata API, as plugins see them.

import type { Around } from '../around/around.ts'
import type { EndableWork } from '../auth/admission.ts'
import type { ChangeWork } from '../graphql/works.ts'
import { type Call, mayChange } from './envelope.ts'

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

/** Runs a request that may change something within the change hooks of plugins. */
export function asChange<T>(
  call: Call,
  { session, transaction }: Pick<ChangeWork, 'session' | 'transaction'>,
  { change }: Pick<MetadataHooks, 'change'>,
  run: () => Promise<T>,
): Promise<T> {
  const { operation, args } = call
  if (!change || !mayChange(call) || operation.isDryRun?.(args)) return run()
  const metadata = { type: operation.type, args }
  return change({ session, transaction, operation: null, request: null, metadata, extensions: {} }, run)
}
