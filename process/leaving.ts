// The end of the process.

import { isOutputBlocked } from '../core/log/standard-output.ts'

/** Work on Node's threads that may take any time: name lookups, and files, which may be pipes or on a network. */
const blocking = /^(?:GetAddrInfo|GetNameInfo|FSReq)/

/** Whether a thread may be blocked by work whose result is no longer needed. */
const mayBlock = (): boolean => process.getActiveResourcesInfo().some((name) => blocking.test(name))

/**
 * Ends the process once its log is written, or at once if the log's reader is stuck. At its end Node waits for its threads,
 * such as a blocked write or name lookup, and ignores signals meanwhile. Signals from itself do nothing to process 1 of a
 * container. Replacing the process by another program drops these threads, and output that could not be written, for
 * example to a full disk, is not retried forever.
 */
export function leave(code: number): never {
  if (isOutputBlocked() || mayBlock()) {
    const program = [process.execPath, '--eval', `process.exit(${code})`]
    process.execve?.(process.execPath, program, { ...process.env, NODE_OPTIONS: '' })
  }
  process.exit(code)
}
