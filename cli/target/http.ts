// Requests to a server. A migration may take any time, so an answer has no timeout.

import { Agent, request } from 'undici'
import { codeOf, messageOf } from '../../core/errors/thrown.ts'
import { Failure } from '../exits.ts'
import { connectTimeoutMillis } from '../tuning.ts'
import { type Answer, bodyOf, type Transport } from './answers.ts'

/** A transport to a server; both dialects' names of the header carry the secret. */
export function httpTransport(endpoint: URL, secret: string | null): Transport {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMillis } })
  const base = endpoint.href.replace(/\/$/, '')
  const secrets = secret === null ? {} : { 'x-service-admin-secret': secret, 'x-hasura-admin-secret': secret }
  return {
    async send(method, path, body, { isAdmin = true, headers: more = {} } = {}): Promise<Answer> {
      const headers = { 'content-type': 'application/json', ...(isAdmin && secrets), ...more }
      try {
        const text = body === undefined ? null : JSON.stringify(body)
        const answer = await request(`${base}${path}`, { method, headers, body: text, dispatcher })
        return { status: answer.statusCode, body: bodyOf(await answer.body.text()) }
      } catch (error) {
        throw unreachable(base, error)
      }
    },
    close: () => dispatcher.destroy(),
  }
}

const brokenCodes: readonly string[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

function unreachable(base: string, error: unknown): Failure {
  const code = codeOf(error) ?? ''
  if (brokenCodes.includes(code)) {
    const advice = 'the last step may be done or not: migrate status and metadata diff show which'
    return new Failure('unreachable', `the connection to ${base} broke: ${advice}`)
  }
  return new Failure('unreachable', `there is no answer from ${base}: ${code || messageOf(error)}`)
}
