// Skips interim responses such as `100 Continue`. A client has to ignore those that it did not ask for (RFC 9110,
// 15.2), but undici closes the connection at `100`.

import { mostInterimHead } from '../tuning.ts'

const empty: Buffer = Buffer.alloc(0)

/** Removes interim responses from the bytes of a connection. */
export class InterimAnswers {
  /** Whether the next bytes begin a response. */
  #isAtStart = false
  /** The first bytes of a response, while they do not yet show its kind. */
  #pending = empty

  /** Returns the received bytes without interim responses; `begins`: they are the first bytes after a request. */
  rest(received: Buffer, begins: boolean): Buffer {
    if (begins) this.#isAtStart = true
    if (!this.#isAtStart) return received
    let bytes = this.#pending.length === 0 ? received : Buffer.concat([this.#pending, received])
    this.#pending = empty
    while (bytes.length > 0 && mayBeInterim(bytes)) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0 && bytes.length <= mostInterimHead) {
        this.#pending = bytes
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
  // Another protocol may begin after 101.
  return status.length < interim.length
    ? interim.startsWith(status)
    : status.startsWith(interim) && status !== `${interim}01`
}
