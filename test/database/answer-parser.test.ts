import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerParser, type Message } from '../../core/database/wire/answer-parser.ts'
import fc from '../support/fast-check.ts'

const message = (code: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(code)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const row = (values: readonly (Uint8Array | null)[]) => {
  const count = Buffer.alloc(2)
  count.writeInt16BE(values.length)
  const fields = values.flatMap((value) => (value === null ? [int32(-1)] : [int32(value.length), Buffer.from(value)]))
  return message('D', count, ...fields)
}

const complete = (tag: string) => message('C', Buffer.from(`${tag}\0`))

/** Reads the messages from bytes that arrive in pieces of these lengths. */
function read(bytes: Buffer, lengths: readonly number[], wantsBytes = true): Message[] {
  const parser = new AnswerParser(() => wantsBytes)
  const messages: Message[] = []
  let at = 0
  for (const length of [...lengths, bytes.length]) {
    // A copy, since each piece is a buffer of its own when it comes from the network.
    const piece = Buffer.from(bytes.subarray(at, at + length))
    at += piece.length
    if (piece.length > 0) parser.read(piece, (each) => messages.push(each))
  }
  return messages
}

const value = fc.option(fc.uint8Array({ maxLength: 300 }))

test('rows arrive as they were sent, however the network cuts them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(value, { maxLength: 4 }), { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 200 }),
      (rows, lengths) => {
        const bytes = Buffer.concat([
          ...rows.map(row),
          complete(`SELECT ${rows.length}`),
          message('Z', Buffer.from('I')),
        ])
        const messages = read(bytes, lengths)
        const names = [...rows.map(() => 'dataRow'), 'commandComplete', 'readyForQuery']
        assert.deepEqual(
          messages.map(({ name }) => name),
          names,
        )
        for (const [i, values] of rows.entries()) {
          const { fields } = messages[i] as unknown as { fields: (Buffer | null)[] }
          assert.deepEqual(
            fields.map((field) => field && [...field]),
            values.map((each) => each && [...each]),
          )
        }
      },
    ),
  )
})

test('a large value that arrives in many pieces is joined', () => {
  const large = Buffer.alloc(1_000_000, 'x')
  const [first] = read(
    row([large]),
    Array.from({ length: 200 }, () => 8192),
  ) as unknown as { fields: Buffer[] }[]
  assert.ok(first!.fields[0]!.equals(large))
})

test('rows of other statements are decoded', () => {
  const [first] = read(row([Buffer.from('text')]), [3], false) as unknown as { fields: string[] }[]
  assert.deepEqual(first!.fields, ['text'])
})
