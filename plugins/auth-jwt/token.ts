// Finds the token of a request.

import type { RequestHeaders } from '../../sdk/http.ts'
import { badRequest, type TrellisError } from '../../sdk/index.ts'
import type { TokenPlace } from './configuration.ts'

const bearer = /^\s*Bearer\s+(\S+)\s*$/

/** The token, or null if the request has none; throws if it is malformed. */
export function findToken(headers: RequestHeaders, place: TokenPlace): string | null {
  switch (place.kind) {
    case 'authorization':
      return inHeader(headers.authorization, bearer, place)
    case 'cookie':
      return inHeader(cookieValue(headers.cookie, place.name), /^"?([^\s"]+)"?$/, place)
    case 'header':
      return inHeader(headers[place.name], /^\s*(?:Bearer\s+)?(\S+)\s*$/, place)
    default:
      return place satisfies never
  }
}

/** Whether the token of a request is in a cookie. */
export function isInCookie({ cookie }: RequestHeaders, place: TokenPlace): boolean {
  if (place.kind === 'authorization' || cookie === undefined) return false
  return place.kind === 'header' ? place.name === 'cookie' : cookieValue(cookie, place.name) !== undefined
}

function inHeader(value: string | readonly string[] | undefined, form: RegExp, place: TokenPlace): string | null {
  if (value === undefined) return null
  const token = form.exec(typeof value === 'string' ? value : value.join(', '))?.[1]
  if (token === undefined) throw badRequest('invalid-headers', `Malformed ${placeName(place)}`)
  return token
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const end = pair.indexOf('=')
    if (end >= 0 && pair.slice(0, end).trim() === name) return pair.slice(end + 1).trim()
  }
  return undefined
}

function placeName(place: TokenPlace): string {
  if (place.kind === 'authorization') return 'Authorization header'
  return place.kind === 'cookie' ? `cookie ${place.name}` : `header ${place.name}`
}

/** The error for a request without a token at any of these places. */
export function missingToken(places: readonly TokenPlace[]): TrellisError {
  const names = [...new Set(places.map(placeName))].join(' or ')
  return badRequest('invalid-headers', `Missing ${names} in JWT authentication mode`, {
    inInterface2: { message: `Missing 'Authorization' or 'Cookie' header in JWT authentication mode` },
  })
}
