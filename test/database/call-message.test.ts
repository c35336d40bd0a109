import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BoundCall, runMessage } from '../../core/database/wire/call-message.ts'
import fc from '../support/fast-check.ts'

/** Reads a message as PostgreSQL does: its code, and the bytes after its length. */
function messagesOf(bytes: Buffer): { code: string; body: Buffer }[] {
  const messages = []
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readInt32BE(at + 1)
    messages.push({ code: String.fromCharCode(bytes[at]!), body: bytes.subarray(at + 5, at + 1 + size) })
    at += 1 + size
  }
  return messages
}

/** The portal, the statement and the values of a Bind. */
function boundBy(body: Buffer): { portal: string; statement: string; values: (string | null)[] } {
  let at = 0
  const text = () => {
    const end = body.indexOf(0, at)
    const read = body.toString('utf8', at, end)
    at = end + 1
    return read
  }
  const int16 = () => {
    at += 2
    return body.readInt16BE(at - 2)
  }
  const value = () => {
    const size = body.readInt32BE(at)
    at += 4
    if (size < 0) return null
    at += size
    return body.toString('utf8', at - size, at)
  }
  const [portal, statement] = [text(), text()]
  assert.equal(int16(), 0, 'formats of values')
  const values = Array.from({ length: int16() }, value)
  assert.equal(int16(), 0, 'formats of results')
  assert.equal(at, body.length)
  return { portal, statement, values }
}

test('each call is bound to its statement and run, in order, and the last is followed by a Sync', () => {
  const statement = fc.stringMatching(/^[\w-]{0,40}$/)
  // Half a surrogate pair is sent as the replacement character.
  const values = fc.array(fc.option(fc.string({ unit: 'binary', maxLength: 400 })), { maxLength: 5 })
  const calls = fc.array(fc.record({ statement, values }), { minLength: 1, maxLength: 3 })
  const property = fc.property(calls, fc.boolean(), (given: BoundCall[], endsWithSync) => {
    const messages = messagesOf(runMessage(given, endsWithSync))
    const codes = given.map(() => 'BE').join('') + (endsWithSync ? 'S' : '')
    assert.equal(messages.map(({ code }) => code).join(''), codes)
    for (const [i, call] of given.entries()) {
      const sent = call.values.map((value) => value?.toWellFormed() ?? null)
      assert.deepEqual(boundBy(messages[2 * i]!.body), { portal: '', statement: call.statement, values: sent })
      assert.deepEqual(messages[2 * i + 1]!.body, Buffer.alloc(5), 'the unnamed portal, all of its rows')
    }
  })
  fc.assert(property)
})
