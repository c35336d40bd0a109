// The identity that sends requests: the content of the bar, and its headers.

/** The names on the wire, which differ between dialects. */
export interface Names {
  readonly adminSecretHeader: string
  readonly roleHeader: string
  readonly variablePrefix: string
  /** Whether the server has no admin secret, so that every request is an administrator's. */
  readonly isOpen: boolean
  /** Whether the metadata can be read at `/v1/query`. */
  readonly hasMetadata: boolean
}

/** A session variable as it is typed. */
export interface Variable {
  /** Tells it from others in the bar. */
  readonly id: number
  readonly name: string
  readonly value: string
}

export interface Identity {
  readonly adminSecret: string
  /** A JSON web token. */
  readonly token: string
  /** Empty: the server decides. */
  readonly role: string
  readonly variables: readonly Variable[]
}

/** The names that the server wrote into the page. */
export function namesOf(page: Document): Names {
  return JSON.parse(page.querySelector<HTMLMetaElement>('meta[name=trellis]')?.content ?? '{}')
}

/** The headers of requests that ask as this one. */
export function headersOf(
  { adminSecret, token, role, variables }: Identity,
  names: Names,
): Readonly<Record<string, string>> {
  const { adminSecretHeader, roleHeader, variablePrefix } = names
  const headers: Record<string, string> = {}
  for (const { name, value } of variables) {
    const lower = name.toLowerCase()
    if (lower !== '') headers[lower.startsWith(variablePrefix) ? lower : variablePrefix + lower] = value
  }
  if (role !== '') headers[roleHeader] = role
  if (token !== '') headers['authorization'] = `Bearer ${token.replace(/^Bearer\s+/i, '')}`
  if (adminSecret !== '') headers[adminSecretHeader] = adminSecret
  return headers
}

const key = 'trellis:identity'

/** Remembers all but the secret and the token for the next visit. */
export function keepIdentity(storage: Storage, { role, variables }: Identity): void {
  storage.setItem(key, JSON.stringify({ role, variables }))
}

/** The remembered identity. */
export function keptIdentity(storage: Storage): Identity {
  const nobody = { adminSecret: '', token: '', role: '', variables: [] }
  try {
    return { ...nobody, ...JSON.parse(storage.getItem(key) ?? '{}') }
  } catch {
    return nobody
  }
}
