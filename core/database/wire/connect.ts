// Connections during the start: retries, and errors worded for the person who starts the server.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { StartError } from '../../errors/start-error.ts'
import { codeOf, messageOf, reasonOf } from '../../errors/thrown.ts'
import type { Observer } from '../../log/observe.ts'
import type { DatabaseSettings } from '../options.ts'
import { connectionConfig } from './connection-config.ts'
import { currentUrl } from './current-url.ts'
import { DatabaseClient } from './database-client.ts'
import { needsPrimary, standbyError, tryHosts } from './hosts.ts'
import { lostByProxy, originOf, tooManyConnections } from './postgres-errors.ts'

/**
 * Errors that may be temporary: PostgreSQL does not listen yet, is starting, stopping, busy or full, or the connection or a
 * proxy's connection broke.
 */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  tooManyConnections,
  'EAGAIN',
  lostByProxy,
])

/** A statement ended early: by statement_timeout, by lock_timeout, or by a cancellation. */
const endings = new Set(['57014', '55P03'])

/** The user lacks a privilege. */
export const refusedPrivilege = '42501'

/** Connects once to each host, until one takes writes; the caller ends the connection. */
export async function connectOnce(given: string): Promise<DatabaseClient> {
  const url = currentUrl(given)
  const isPrimary = needsPrimary(url)
  return tryHosts(url, (host) => connectTo(host, isPrimary))
}

async function connectTo(url: string, isPrimary: boolean): Promise<DatabaseClient> {
  const client = new DatabaseClient(connectionConfig(url))
  // A broken connection fails the query that runs on it.
  client.on('error', () => {})
  try {
    await client.connect()
    if (isPrimary) {
      const { rows } = await client.query('select pg_catalog.pg_is_in_recovery() as standby')
      if (rows[0].standby) throw standbyError()
    }
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if (passing.has(failureCode(error))) throw error
    throw new StartError(unreachable(client, error, 1))
  }
}

/** The settings of the first connection and its retries. */
export type StartSettings = Pick<DatabaseSettings, 'databaseUrl' | 'retries'>

/** Runs a step of the start that needs the database; repeats it if no connection can be had, or if it breaks. */
export async function takeStep<T>(
  { databaseUrl, retries }: StartSettings,
  observe: Observer,
  step: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      const origin = originOf(error)
      const code = failureCode(origin)
      if (!passing.has(code) && !endings.has(code) && code !== refusedPrivilege) throw error
      if (!passing.has(code) || attempt >= retries) {
        const client = new DatabaseClient(connectionConfig(databaseUrl ?? ''))
        if (code === refusedPrivilege) throw mayNotUseSchema(client, origin)
        throw new StartError(endings.has(code) ? endedEarly(client, origin) : unreachable(client, origin, attempt + 1))
      }
      observe.log({ type: 'pg-client', level: 'warn', detail: { message: `cannot connect (${code}), trying again` } })
      await sleep(1000)
    }
  }
}

/** Messages of the driver that come without a code. */
const wordsOfDriver: readonly (readonly [words: RegExp, code: string])[] = [
  [/timeout/i, 'ETIMEDOUT'],
  [/^Connection terminated|^Client was closed|^Client has encountered a connection error/, 'ECONNRESET'],
]

/** The error code; for a host with several addresses, that of the first one. */
function failureCode(error: unknown): string {
  const message = messageOf(error)
  return codeOf(error) ?? wordsOfDriver.find(([words]) => words.test(message))?.[1] ?? ''
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ENOENT: 'the socket does not exist',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host is unknown',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'the host does not answer',
  EAGAIN: 'its backlog is full',
}

function unreachable(client: DatabaseClient, error: unknown, attempts: number): string {
  const place = `PostgreSQL at ${client.host}:${client.port}`
  const code = failureCode(error)
  const message = messageOf(error)
  if (code.startsWith('28') && client.user === undefined)
    return `${place} needs the name of a user, and the user of this process has no name: add one to --database-url`
  if (code.startsWith('28')) return `${place} refuses user "${client.user}" (${message}): check --database-url`
  if (isAboutCertificate(code))
    return `The certificate for ${place} cannot be used (${reasonOf(error)}): check sslcert, sslkey and sslpassword in --database-url`
  if (isAboutTls(code, message))
    return `${place} is not trusted (${reasonOf(error)}): check sslmode and sslrootcert in --database-url`
  if (code === '3D000') return `${place}: ${message}: make it with createdb, or check --database-url`
  const tried = attempts === 1 ? '' : ` after ${attempts} attempts`
  if (code === tooManyConnections)
    return `${place} gives no connection${tried} (${message}): close some connections, raise max_connections, or raise --retries`
  return `${place} cannot be reached${tried} (${words[code] ?? message}): check that it runs and --database-url, or raise --retries`
}

const endedEarly = ({ host, port, user }: DatabaseClient, error: unknown): string =>
  `PostgreSQL at ${host}:${port} ended a statement of the start (${messageOf(error)}): check statement_timeout and lock_timeout of user "${user}", and which sessions lock tables of the schema trellis`

/** The refusal to start as a user who lacks privileges on the tables of Trellis. */
export const mayNotUseSchema = ({ user }: Pick<pg.Client, 'user'>, error: unknown): StartError =>
  new StartError(
    `User "${user}" may not use the schema trellis (${messageOf(error)}): name its owner in --database-url, or have the owner run GRANT ALL ON SCHEMA trellis TO "${user}"; GRANT ALL ON ALL TABLES IN SCHEMA trellis TO "${user}"`,
  )

/** Whether the client certificate cannot be used, or PostgreSQL rejects it. */
const isAboutCertificate = (code: string): boolean =>
  /^ERR_(OSSL|MISSING_PASSPHRASE)|^ERR_SSL_.*ALERT.*(UNKNOWN_CA|CERTIFICATE)/.test(code)

const isAboutTls = (code: string, message: string): boolean =>
  code.startsWith('ERR_TLS') ||
  code.startsWith('ERR_SSL') ||
  /certificate|CERT/.test(code) ||
  /SSL connections?$/.test(message)
