// Lines of the log on stdout, which somebody else reads: what they do not read in time is kept within limits.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'

/** Where the text of lines goes. */
export interface LogDestination {
  write(lines: string): void
  flushSync(): void
  /** Resolves when everything is written, or nobody reads it. */
  written?(): Promise<void>
  /** Has `tell` told, when what is kept is written, how many lines were not kept since the last time. */
  onDropped?(tell: (count: number) => void): void
}

/** Bytes that are written at once: with fewer, many lines wait for long, since each write takes a turn of the event loop. */
const mostAtOnce = 65_536

/** Bytes that are kept for a reader that is slow: the lines of some 50,000 requests. */
const mostKept = 32 * 2 ** 20

/** Milliseconds to wait for a reader that does not read. */
const longestDrain = 1_000

const linesIn = (text: string): number => text.split('\n').length - 1

function open(): LogDestination {
  const stream = pino.destination({ dest: 1, sync: false, maxWrite: mostAtOnce, maxLength: mostKept })
  let tellDropped = (_count: number): void => {}
  let isWriting = false
  let dropped = 0
  stream.on('drop', (text) => {
    dropped += linesIn(String(text))
  })
  stream.on('drain', () => {
    isWriting = false
    if (dropped === 0) return
    const count = dropped
    dropped = 0
    tellDropped(count)
  })
  // A reader that went away must not end the server.
  stream.on('error', () => {})
  return {
    write(lines) {
      isWriting = true
      stream.write(lines)
    },
    flushSync: () => stream.flushSync(),
    async written() {
      if (!isWriting) return
      const drained = once(stream, 'drain').catch(() => {})
      await Promise.race([drained, sleep(longestDrain, undefined, { ref: false })])
    },
    onDropped(tell) {
      tellDropped = tell
    },
  }
}

let stdout: LogDestination | undefined

/** One destination for the whole process, so that lines of several observers never mix. */
export const standardOutput = (): LogDestination => (stdout ??= open())
