// Keys and tokens, and JWT authentication without a database.

import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { TestContext } from 'node:test'
import { CompactSign, SignJWT } from 'jose'
import { Auth } from '../../core/auth/auth.ts'
import type { RequestHeaders } from '../../core/auth/headers.ts'
import { defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import { TrellisError } from '../../core/errors/errors.ts'
import { type Observer, silentObserver } from '../../core/log/observe.ts'
import { dialects } from '../../core/names/dialect.ts'
import { OutgoingClient } from '../../core/outgoing/client.ts'
import type { Session } from '../../core/session/session.ts'
import { authenticateByToken } from '../../plugins/auth-jwt/start.ts'

export const namespace = 'https://hasura.io/jwt/claims'
export const macKey = 'a secret of more than sixty-four characters, so that it fits every MAC'

/** A key pair in the forms for configurations and signers. */
export interface Pair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly pem: string
}

function pairOf({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): Pair {
  return { privateKey, publicKey, pem: publicKey.export({ type: 'spki', format: 'pem' }) as string }
}

export const rsaPair = (bits = 2048): Pair => pairOf(generateKeyPairSync('rsa', { modulusLength: bits }))
export const ecPair = (namedCurve: string): Pair => pairOf(generateKeyPairSync('ec', { namedCurve }))
export const edPair = (): Pair => pairOf(generateKeyPairSync('ed25519'))

/** Claims for the roles reader and editor. */
export const roles = { 'x-service-allowed-roles': ['reader', 'editor'], 'x-service-default-role': 'reader' }

/** Signs claims, by default with the MAC key and an expiry of one minute. */
export function sign(
  payload: Readonly<Record<string, unknown>>,
  { alg = 'HS256', key = Buffer.from(macKey), header = {} }: SignOptions = {},
): Promise<string> {
  return new SignJWT({ exp: inSeconds(60), ...payload }).setProtectedHeader({ alg, ...header }).sign(key)
}

export interface SignOptions {
  readonly alg?: string
  readonly key?: KeyObject | Uint8Array
  readonly header?: Readonly<Record<string, unknown>>
}

/** Signs any bytes. */
export const signText = (text: string, { alg = 'HS256', key = Buffer.from(macKey), header = {} }: SignOptions = {}) =>
  new CompactSign(Buffer.from(text)).setProtectedHeader({ alg, ...header }).sign(key)

/** A token with role claims and others in the default namespace. */
export const tokenFor = (claims: Readonly<Record<string, unknown>> = {}, options?: SignOptions): Promise<string> =>
  sign({ [namespace]: { ...roles, ...claims } }, options)

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

export interface AuthOptions {
  readonly settings?: GivenSettings
  readonly observe?: Observer
}

/** Authentication with a JWT configuration; the default key is `macKey` with HS256. */
export async function jwtAuth(
  t: TestContext,
  secret: Readonly<Record<string, unknown>> = {},
  { settings: given, observe }: AuthOptions = {},
): Promise<Auth> {
  const keys = 'key' in secret || 'jwk_url' in secret ? {} : { type: 'HS256', key: macKey }
  return jwtAuthOf(t, { ...keys, ...secret }, given, observe)
}

/** The same with exactly this option. */
export async function jwtAuthOf(
  t: TestContext,
  secret: unknown,
  given: GivenSettings = {},
  observe: Observer = silentObserver,
): Promise<Auth> {
  const settings = defaultSettings({ adminSecret: 'sesame', ...given })
  const dialect = dialects[settings.dialect]
  const auth = new Auth(settings, dialect)
  const outgoing = new OutgoingClient(dialect)
  t.after(() => outgoing.close())
  const onClose = (run: () => void | Promise<void>) => t.after(run)
  const host = { auth, dialect, settings, observe, outgoing, onClose }
  await authenticateByToken(host, JSON.stringify(secret))
  return auth
}

/** The session of a bearer token. */
export const bearer = async (auth: Auth, token: string, headers: RequestHeaders = {}): Promise<Session> =>
  auth.authenticate({ authorization: `Bearer ${token}`, ...headers })

/** Asserts that a request is refused with exactly this error. */
export async function refused(
  request: Promise<unknown> | (() => unknown),
  status: number,
  code: string,
  message: string | RegExp,
): Promise<void> {
  const run = typeof request === 'function' ? async () => request() : () => request
  const error = await run().then(
    (session) => assert.fail(`was let in: ${JSON.stringify(session)}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof TrellisError, String((error as Error)?.stack))
  assert.deepEqual([error.status, error.code, error.path], [status, code, []])
  if (typeof message === 'string') assert.equal(error.message, message)
  else assert.match(error.message, message)
}

/** Asserts that a token cannot be verified. */
export const unverified = (request: Promise<unknown>, reason: string): Promise<void> =>
  refused(request, 400, 'invalid-jwt', `Could not verify JWT: ${reason}`)
