// Removes secrets from settings.

import { dynamicFileOf } from './dynamic-file.ts'
import type { Option } from './option-values.ts'

/** Scheme and authority. */
const beginning = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/**
 * Whether a URL may be parsed differently than intended, because there is an `@` after the host. That happens when a
 * password contains an unescaped `/`, `?` or `#`. No part of such a URL is known to be free of secrets.
 */
export const isAmbiguousUrl = (url: string): boolean => url.replace(beginning, '').includes('@')

/** A database URL without its password. */
export function redactedUrl(url: string): string {
  if (dynamicFileOf(url) !== null) return url
  if (!URL.canParse(url) || isAmbiguousUrl(url)) return '<redacted>'
  const parsed = new URL(url)
  if (parsed.password) parsed.password = 'redacted'
  for (const key of parsed.searchParams.keys()) {
    if (/password/i.test(key)) parsed.searchParams.set(key, 'redacted')
  }
  return parsed.href
}

/** The printable value of an option. */
function shownValue({ declaration }: Option, value: unknown): unknown {
  if (value === null) return null
  if (declaration.shown) return declaration.shown(value as never)
  return declaration.secret ? '<redacted>' : value
}

/** The printable values of these options. */
export const redactedSettings = (
  settings: Readonly<Record<string, unknown>>,
  options: readonly Option[],
): Record<string, unknown> =>
  Object.fromEntries(options.map((option) => [option.key, shownValue(option, settings[option.key])]))
