// A proxy between the server and PostgreSQL that can drop everything: connections stay open, new ones are accepted, and
// no data arrives.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { atEnd } from './cleanup.ts'

export interface NetworkProxy {
  /** The URL of PostgreSQL through it. */
  readonly url: string
  /** The number of connections that were made through it. */
  readonly accepted: number
  /** From now on no data passes; `only: 'open'`: none on open connections, while new ones pass. */
  swallow(only?: 'open'): void
  /** New connections pass; earlier ones stay silent for good. */
  heal(): void
  /** Ends all connections. */
  cut(): void
  /** New connections go to another PostgreSQL. */
  redirect(databaseUrl: string): void
}

export interface ProxyOptions {
  /** Rewrites the data that PostgreSQL sends; absent: the data pass unchanged. */
  readonly rewrite?: (chunk: Buffer) => Buffer
}

const asItIs = (chunk: Buffer): Buffer => chunk

/** One connection through the proxy. */
class Passage {
  readonly #ends: readonly [Socket, Socket | null]
  #isSilent = false

  constructor(client: Socket, server: Socket | null, rewrite: (chunk: Buffer) => Buffer) {
    this.#ends = [client, server]
    client.on('error', () => {})
    // A sender gets no error, although its data are dropped.
    client.resume()
    if (!server) return
    server.on('error', () => {})
    this.#pass(client, server, asItIs)
    this.#pass(server, client, rewrite)
  }

  #pass(from: Socket, to: Socket, rewrite: (chunk: Buffer) => Buffer): void {
    from.on('data', (chunk) => {
      if (!this.#isSilent) to.write(rewrite(chunk))
    })
    from.on('close', () => {
      if (!this.#isSilent) to.destroy()
    })
  }

  silence(): void {
    this.#isSilent = true
  }

  destroy(): void {
    for (const end of this.#ends) end?.destroy()
  }
}

/** The address of the PostgreSQL of a URL. */
function targetOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** Starts a proxy that ends with the test. */
export async function startProxy(
  t: TestContext,
  databaseUrl: string,
  { rewrite = asItIs }: ProxyOptions = {},
): Promise<NetworkProxy> {
  const { user, password, database } = new pg.Client({ connectionString: databaseUrl })
  let target = targetOf(databaseUrl)
  const passages = new Set<Passage>()
  let isSwallowing = false
  let accepted = 0
  const listener = createServer({ noDelay: true }, (client) => {
    accepted++
    passages.add(new Passage(client, isSwallowing ? null : connect(target), rewrite))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const cut = () => {
    for (const passage of passages) passage.destroy()
  }
  atEnd(t, () => {
    listener.close()
    cut()
  })
  const url = new URL(`postgres://127.0.0.1:${(listener.address() as AddressInfo).port}/${database}`)
  url.username = user ?? ''
  url.password = password ?? ''
  return {
    url: url.href,
    get accepted() {
      return accepted
    },
    swallow(only) {
      isSwallowing = only === undefined
      for (const passage of passages) passage.silence()
    },
    heal() {
      isSwallowing = false
    },
    cut,
    redirect(other) {
      target = targetOf(other)
    },
  }
}
