// The end of the process, whoever reads what it wrote.

import { isOutputHeldUp } from '../core/log/standard-output.ts'

/**
 * Ends the process, when its log is written or nobody reads it. A write that nobody reads blocks a thread, which Node waits
 * for at its end, and signals that a process sends itself do nothing to the first one of a container: another program in
 * the place of this one has no such thread, nor what would be written once more at the end, onto a full disk without end.
 */
export function leave(code: number): never {
  if (isOutputHeldUp()) {
    const program = [process.execPath, '--eval', `process.exit(${code})`]
    process.execve?.(process.execPath, program, { ...process.env, NODE_OPTIONS: '' })
  }
  process.exit(code)
}
