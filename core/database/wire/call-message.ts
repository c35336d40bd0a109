// Calls as messages of PostgreSQL's protocol. Separate messages that are concatenated later would cost more than the rest of
// a short statement, so Bind, Execute and Sync are written into one buffer.

import { Buffer } from 'node:buffer'

const code = { bind: 0x42, execute: 0x45, sync: 0x53 } as const

/** A message's length includes itself and the body, but not the code. */
const headerSize = 5

/** Besides its header: the unnamed portal, and no row limit. */
const executeSize = 1 + 4

/** Besides its header, the statement's name and the values: two null bytes, no formats, the number of values, no formats. */
const bindSize = 1 + 1 + 2 + 2 + 2

/** The length of a null value. */
const noValue = -1

/** A prepared statement (the unnamed one if the name is empty) with its values. */
export interface BoundCall {
  /** ASCII. */
  readonly statement: string
  readonly values: readonly (string | null)[]
}

/** Runs prepared statements one after another; `endsWithSync`: with a Sync after the last one. */
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

/** Writes a Bind message; returns where it ends. */
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
