// Merges the log lines of the workers: pieces of lines in a common pipe would mix.

import type { Readable } from 'node:stream'
import { standardOutput } from '../../core/log/standard-output.ts'

const lineEnd = 0x0a

/** Writes the whole lines of a worker to stdout. */
export function passLines(from: Readable): void {
  let rest: Buffer[] = []
  from.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(lineEnd) + 1
    if (end === 0) {
      rest.push(chunk)
      return
    }
    standardOutput().write(Buffer.concat([...rest, chunk.subarray(0, end)]).toString())
    rest = end === chunk.length ? [] : [chunk.subarray(end)]
  })
  // The last line of a killed worker lacks its end.
  from.on('end', () => {
    if (rest.length > 0) standardOutput().write(`${Buffer.concat(rest)}\n`)
  })
}
