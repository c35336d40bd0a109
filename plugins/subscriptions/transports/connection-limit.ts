// The limits of open connections: in all, and per address.

import { TrellisError } from '../../../sdk/index.ts'
import type { SocketOptions } from '../options.ts'

export class ConnectionLimit {
  readonly #limits: Pick<SocketOptions, 'maxSockets' | 'socketsPerAddress'>
  readonly #byAddress = new Map<string, number>()
  #taken = 0

  constructor(limits: Pick<SocketOptions, 'maxSockets' | 'socketsPerAddress'>) {
    this.#limits = limits
  }

  get taken(): number {
    return this.#taken
  }

  /** Counts a connection; gives a function that releases it once. Throws if a limit is reached. */
  acquire(address: string): () => void {
    const { maxSockets, socketsPerAddress } = this.#limits
    const here = this.#byAddress.get(address) ?? 0
    if (maxSockets > 0 && this.#taken >= maxSockets) throw tooMany(503, `the server has ${maxSockets} connections`)
    if (socketsPerAddress > 0 && here >= socketsPerAddress) {
      throw tooMany(429, `this address has ${socketsPerAddress} connections`)
    }
    this.#taken++
    this.#byAddress.set(address, here + 1)
    let isGiven = true
    return () => {
      if (isGiven) this.#release(address)
      isGiven = false
    }
  }

  #release(address: string): void {
    this.#taken--
    const here = this.#byAddress.get(address)! - 1
    if (here > 0) this.#byAddress.set(address, here)
    else this.#byAddress.delete(address)
  }
}

const tooMany = (status: number, message: string) =>
  new TrellisError(status, 'too-many-connections', `${message} for subscriptions already`)
