// The end of the process, whoever reads what it wrote.

import { isOutputBlocked } from '../core/log/standard-output.ts'

/** Work for Node's threads that may take any time: names to look up, and files, which may be pipes or on a network. */
const blocking = /^(?:GetAddrInfo|GetNameInfo|FSReq)/

/** Whether a thread may be held up, by what nobody waits for any more. */
const mayBlock = (): boolean => process.getActiveResourcesInfo().some((name) => blocking.test(name))

/**
 * Ends the process, when its log is written or nobody reads it. Node waits at its end for what its threads do, such as a write
 * that nobody reads or a name that no server looks up, and takes no signal meanwhile; signals that a process sends itself do
 * nothing to the first one of a container. Another program in the place of this one has no such thread, nor what would be
 * written once more at the end, onto a full disk without end.
 */
export function leave(code: number): never {
  if (isOutputBlocked() || mayBlock()) {
    const program = [process.execPath, '--eval', `process.exit(${code})`]
    process.execve?.(process.execPath, program, { ...process.env, NODE_OPTIONS: '' })
  }
  process.exit(code)
}
