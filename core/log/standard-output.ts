// Writes log lines to stdout. If the reader is slow, a limited amount is buffered.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { longestDrain, longestPause, mostAtOnce, mostBuffered } from './tuning.ts'

/** The destination of formatted lines. */
export interface LogDestination {
  write(lines: string): void
  flushSync(): void
  /** Resolves when everything is written, or the reader does not read in time. */
  written?(): Promise<void>
  /** Whether lines are still unwritten; after `written` they will not be read any more. */
  isBlocked?(): boolean
  /** Sets a listener. It receives the number of lines dropped since the last call, once the buffer is written. */
  onDropped?(report: (count: number) => void): void
}

const linesIn = (text: string): number => text.split('\n').length - 1

function open(): LogDestination {
  const stream = pino.destination({ dest: 1, sync: false, maxWrite: mostAtOnce, maxLength: mostBuffered })
  let reportDropped = (_count: number): void => {}
  let isWriting = false
  let progress = 0
  // For example on a full disk. At the end of the process, the stream would retry forever.
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
    reportDropped(count)
  })
  // A reader that closes the pipe must not end the server.
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
    isBlocked: () => isWriting || isFailing,
    onDropped(report) {
      reportDropped = report
    },
  }
}

let stdout: LogDestination | undefined

/** Whether lines on stdout wait for a slow reader. */
export const isOutputBlocked = (): boolean => stdout?.isBlocked?.() ?? false

/** A single destination per process, so that lines of several observers never mix. */
export const standardOutput = (): LogDestination => (stdout ??= open())
