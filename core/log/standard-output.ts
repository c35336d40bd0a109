// Lines of the log on stdout, which somebody else reads: what they do not read in time is kept within limits.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'

/** Where the text of lines goes. */
export interface LogDestination {
  write(lines: string): void
  flushSync(): void
  /** Resolves when everything is written, or it is not read in time. */
  written?(): Promise<void>
  /** Whether something is not written, which after `written` nobody takes. */
  isHeldUp?(): boolean
  /** Has `tell` told, when what is kept is written, how many lines were not kept since the last time. */
  onDropped?(tell: (count: number) => void): void
}

/** Bytes that are written at once: with fewer, many lines wait for long, since each write takes a turn of the event loop. */
const mostAtOnce = 65_536

/** Bytes that are kept for a reader that is slow: the lines of some 50,000 requests. */
const mostKept = 32 * 2 ** 20

/** Milliseconds to wait for a reader that reads nothing, and for one that reads slowly. */
const longestPause = 1_500
const longestDrain = 10_000

const linesIn = (text: string): number => text.split('\n').length - 1

function open(): LogDestination {
  const stream = pino.destination({ dest: 1, sync: false, maxWrite: mostAtOnce, maxLength: mostKept })
  let tellDropped = (_count: number): void => {}
  let isWriting = false
  let progress = 0
  // Such as on a full disk: the stream would try again at the end of the process, without end.
  let isFailing = false
  let dropped = 0
  stream.on('drop', (text) => {
    dropped += linesIn(String(text))
  })
  stream.on('write', () => {
    progress += 1
  })
  stream.on('drain', () => {
    isWriting = false
    isFailing = false
    if (dropped === 0) return
    const count = dropped
    dropped = 0
    tellDropped(count)
  })
  // A reader that went away must not end the server.
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    isWriting = false
    isFailing = code !== 'EPIPE'
  })
  return {
    write(lines) {
      isWriting = true
      stream.write(lines)
    },
    flushSync: () => stream.flushSync(),
    async written() {
      const end = performance.now() + longestDrain
      for (let before = -1; isWriting && before !== progress && performance.now() < end; ) {
        before = progress
        const drained = once(stream, 'drain').catch(() => {})
        await Promise.race([drained, sleep(longestPause, undefined, { ref: false })])
      }
    },
    isHeldUp: () => isWriting || isFailing,
    onDropped(tell) {
      tellDropped = tell
    },
  }
}

let stdout: LogDestination | undefined

/** Whether lines on stdout are held up by whoever should read them. */
export const isOutputHeldUp = (): boolean => stdout?.isHeldUp?.() ?? false

/** One destination for the whole process, so that lines of several observers never mix. */
export const standardOutput = (): LogDestination => (stdout ??= open())
