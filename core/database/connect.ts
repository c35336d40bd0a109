// The first connection of a start: attempts, and what went wrong told to the person who started the server.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Observer } from '../observe.ts'
import { StartError } from '../start-error.ts'
import { connectionConfig } from './connection-config.ts'
import { DatabaseClient } from './database-client.ts'

/** Errors that may pass: nobody listens yet, or PostgreSQL is starting or full. */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  '57P03',
  '53300',
])

/** Connects, trying again as often as allowed; the caller ends the connection. */
export async function connectAtStart(url: string, retries: number, observe: Observer): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new DatabaseClient(connectionConfig(url))
    // A connection that breaks fails the query that runs on it.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => {})
      const code = codeOf(error)
      if (!passing.has(code) || attempt >= retries) throw new StartError(unreachable(client, error, attempt + 1))
      observe.log({ type: 'pg-client', level: 'warn', detail: { message: `cannot connect (${code}), trying again` } })
      await sleep(1000)
    }
  }
}

/** Of a host with several addresses, what the first one said. */
function codeOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return code ?? (/timeout/i.test(message ?? '') ? 'ETIMEDOUT' : '')
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host is not known',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'the host does not answer',
}

function unreachable(client: pg.Client, error: unknown, attempts: number): string {
  const place = `PostgreSQL at ${client.host}:${client.port}`
  const code = codeOf(error)
  const message = (error as Error).message
  if (code.startsWith('28')) return `${place} refuses user "${client.user}" (${message}): check --database-url`
  if (code === '3D000') return `${place}: ${message}: make it with createdb, or check --database-url`
  const tried = attempts === 1 ? '' : ` after ${attempts} attempts`
  return `${place} cannot be reached${tried} (${words[code] ?? message}): check that it runs and --database-url, or raise --retries`
}
