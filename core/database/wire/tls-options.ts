// `sslmode` and its certificates, with the meaning they have in libpq.

import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionOptions, SecureVersion } from 'node:tls'
import { codeOf } from '../../errors/thrown.ts'
import { environment } from '../../options/environment.ts'
import { type ConnectionUrl, refusal } from './connection-url.ts'

/** Whether to encrypt, and the fallback. */
export interface TlsChoice {
  /** How to encrypt; false: not at all. */
  readonly ssl: ConnectionOptions | false
  /** The kind tried first if both are allowed; null: there is no choice. */
  readonly preference: 'encrypted' | 'plain' | null
  /** Whether to ask the server first, or to start TLS at once. */
  readonly sslnegotiation: 'postgres' | 'direct'
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof modes)[number]

/** Modes of other drivers. */
const synonyms: ReadonlyMap<string, Mode> = new Map([
  ['no-verify', 'require'],
  ['true', 'require'],
  ['1', 'require'],
  ['false', 'disable'],
  ['0', 'disable'],
])

const plain: TlsChoice = { ssl: false, preference: null, sslnegotiation: 'postgres' }

/** The encryption that a URL asks for. */
export function tlsChoice(url: ConnectionUrl): TlsChoice {
  // A Unix socket stays on this machine.
  if (url.host.startsWith('/')) return plain
  const mode = modeOf(url)
  if (mode === 'disable') return plain
  const ssl = { ...certificates(url), ...versions(url), ...verification(url, mode), ...identity(url) }
  const preference = mode === 'prefer' ? 'encrypted' : mode === 'allow' ? 'plain' : null
  return { ssl, preference, sslnegotiation: isDirect(url) ? 'direct' : 'postgres' }
}

const isDirect = (url: ConnectionUrl): boolean => url.parameter('sslnegotiation') === 'direct'

function modeOf(url: ConnectionUrl): Mode {
  const given = url.parameter('sslmode') ?? url.parameter('ssl') ?? environment['PGSSLMODE'] ?? ''
  const direct = isDirect(url)
  const mode = given === '' ? (direct ? 'require' : 'prefer') : (synonyms.get(given) ?? given)
  const known = modes.find((each) => each === mode)
  if (!known) throw refusal(`sslmode ${JSON.stringify(given)} is none of ${modes.join(', ')}`)
  if (direct && /^(disable|allow|prefer)$/.test(known)) {
    throw refusal(`sslnegotiation=direct needs sslmode=require or a stricter one`)
  }
  return known
}

/** The home directory; null without HOME for a user without an account, as in containers. */
function home(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}

/** The file from the parameter, its variable, or libpq's default place; null if no such file exists. */
function fileOf(url: ConnectionUrl, name: 'sslrootcert' | 'sslcert' | 'sslkey', usual: string): string | null {
  const given = url.parameter(name)
  if (given !== null) return given
  const directory = home()
  const path = directory && join(directory, '.postgresql', usual)
  return path && existsSync(path) ? path : null
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw refusal(`${name}: ${path} cannot be read (${codeOf(error)})`)
  }
}

/** The certificate and key that identify the client. */
function certificates(url: ConnectionUrl): ConnectionOptions {
  const cert = fileOf(url, 'sslcert', 'postgresql.crt')
  const key = fileOf(url, 'sslkey', 'postgresql.key')
  if (cert === null) return {}
  if (key === null) throw refusal(`sslcert=${cert} needs its key as sslkey`)
  const passphrase = url.parameter('sslpassword')
  return { cert: read('sslcert', cert), key: read('sslkey', key), ...(passphrase !== null && { passphrase }) }
}

const protocols: readonly SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']

function versions(url: ConnectionUrl): ConnectionOptions {
  const version = (name: string): SecureVersion | null => {
    const given = url.parameter(name)
    const found = given === null ? null : protocols.find((each) => each === given)
    if (found === undefined) throw refusal(`${name} ${JSON.stringify(given)} is not a TLS version`)
    return found
  }
  const minVersion = version('ssl_min_protocol_version')
  const maxVersion = version('ssl_max_protocol_version')
  return { ...(minVersion && { minVersion }), ...(maxVersion && { maxVersion }) }
}

/** How to verify the server. With a root certificate `require` means the same as `verify-ca`. */
function verification(url: ConnectionUrl, mode: Mode): ConnectionOptions {
  const root = fileOf(url, 'sslrootcert', 'root.crt')
  if (root === 'system' && mode !== 'verify-full') throw refusal('sslrootcert=system needs sslmode=verify-full')
  if (mode === 'allow' || mode === 'prefer' || (mode === 'require' && root === null))
    return { rejectUnauthorized: false }
  if (root === null && mode === 'verify-ca')
    throw refusal('sslmode=verify-ca needs the certificate to trust as sslrootcert')
  const ca = root === null || root === 'system' ? {} : { ca: read('sslrootcert', root) }
  return mode === 'verify-full' ? ca : { ...ca, checkServerIdentity: () => undefined }
}

/** The name that the certificate must have if the address is given separately. */
function identity(url: ConnectionUrl): ConnectionOptions {
  if (url.parameter('hostaddr') === null) return {}
  // SNI takes a name only; an address is not allowed there.
  return isIP(url.host) === 0 ? { servername: url.host } : { host: url.host }
}
