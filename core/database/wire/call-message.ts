// What calls are sent as, in PostgreSQL's protocol. Messages for each step that are put together afterwards would cost more than
// all else that a short statement costs the server, so what is bound, run and followed by a Sync is written in one piece.

import { Buffer } from 'node:buffer'

const code = { bind: 0x42, execute: 0x45, sync: 0x53 } as const

/** A message counts its length and what follows, and not its code. */
const headerSize = 5

/** Beside its header: the unnamed portal, and no limit to its rows. */
const executeSize = 1 + 4

/** Beside its header, the statement's name and the values: two null bytes, no formats, how many values, no formats. */
const bindSize = 1 + 1 + 2 + 2 + 2

/** Of a value that is null, in the place of its length. */
const noValue = -1

/** A prepared statement, the unnamed one when the name is empty, and the values that it is given. */
export interface BoundCall {
  /** ASCII. */
  readonly statement: string
  readonly values: readonly (string | null)[]
}

/** Runs prepared statements one after another; `endsWithSync`: with a Sync behind the last one. */
export function runMessage(calls: readonly BoundCall[], endsWithSync: boolean): Buffer {
  let size = endsWithSync ? headerSize : 0
  for (const call of calls) size += sizeOf(call)
  const message = Buffer.allocUnsafe(size)
  let at = 0
  for (const call of calls) at = writeExecute(message, writeBind(message, at, call))
  if (endsWithSync) writeHeader(message, at, code.sync, at + headerSize)
  return message
}

function sizeOf({ statement, values }: BoundCall): number {
  let size = headerSize + bindSize + statement.length + headerSize + executeSize
  for (const value of values) size += 4 + (value === null ? 0 : Buffer.byteLength(value))
  return size
}

/** Returns where it ends. */
function writeBind(message: Buffer, start: number, { statement, values }: BoundCall): number {
  let at = start + headerSize
  message[at++] = 0
  at += message.write(statement, at, 'latin1')
  message[at++] = 0
  at = message.writeUInt16BE(0, at)
  at = message.writeUInt16BE(values.length, at)
  for (const value of values) {
    const size = value === null ? noValue : message.write(value, at + 4)
    at = message.writeInt32BE(size, at) + Math.max(size, 0)
  }
  at = message.writeUInt16BE(0, at)
  writeHeader(message, start, code.bind, at)
  return at
}

function writeExecute(message: Buffer, start: number): number {
  const at = start + headerSize
  message[at] = 0
  const end = message.writeInt32BE(0, at + 1)
  writeHeader(message, start, code.execute, end)
  return end
}

function writeHeader(message: Buffer, start: number, first: number, end: number): void {
  message[start] = first
  message.writeInt32BE(end - start - 1, start + 1)
}
