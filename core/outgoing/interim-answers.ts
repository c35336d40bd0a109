// Interim answers, such as `100 Continue`, before the one that counts: a client has to pass over them, also where it did not ask for
// them (RFC 9110, 15.2). The library would end the connection at `100`.

const empty: Buffer = Buffer.alloc(0)

/** Bytes that the head of such an answer may have. */
const mostHead = 16_384

/** Takes such answers out of what is received on a connection. */
export class InterimAnswers {
  /** Whether an answer is to begin. */
  #isAtStart = false
  /** The first bytes of an answer, as long as they do not say of which kind it is. */
  #held = empty

  /** The rest of the bytes that were received; `begins`: they are the first ones after a request. */
  rest(received: Buffer, begins: boolean): Buffer {
    if (begins) this.#isAtStart = true
    if (!this.#isAtStart) return received
    let bytes = this.#held.length === 0 ? received : Buffer.concat([this.#held, received])
    this.#held = empty
    while (bytes.length > 0 && mayBeInterim(bytes)) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0 && bytes.length <= mostHead) {
        this.#held = bytes
        return empty
      }
      if (end < 0) break
      bytes = bytes.subarray(end + 4)
    }
    this.#isAtStart = bytes.length === 0
    return bytes
  }
}

const interim = 'HTTP/1.1 1'

function mayBeInterim(bytes: Buffer): boolean {
  const status = bytes.toString('latin1', 0, 12).replace('/1.0', '/1.1')
  // Another protocol may begin behind 101.
  return status.length < interim.length
    ? interim.startsWith(status)
    : status.startsWith(interim) && status !== `${interim}01`
}
