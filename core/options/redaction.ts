// Settings without what is secret in them.

import type { Option } from './option-values.ts'

/** Scheme, and what stands before the path. */
const beginning = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/**
 * Whether a URL may be taken apart in another way than it was meant: behind what seems to be the host there is another `@`, as where a
 * password holds `/`, `?` or `#` as they are. Of such a URL nothing is known to be no secret.
 */
export const isAmbiguousUrl = (url: string): boolean => url.replace(beginning, '').includes('@')

/** A database URL without its password. */
export function redactedUrl(url: string): string {
  if (!URL.canParse(url) || isAmbiguousUrl(url)) return '<redacted>'
  const parsed = new URL(url)
  if (parsed.password) parsed.password = 'redacted'
  for (const key of parsed.searchParams.keys()) {
    if (/password/i.test(key)) parsed.searchParams.set(key, 'redacted')
  }
  return parsed.href
}

/** The value of an option as it may be printed. */
function shownValue({ declaration }: Option, value: unknown): unknown {
  if (value === null) return null
  if (declaration.shown) return declaration.shown(value as never)
  return declaration.secret ? '<redacted>' : value
}

/** The values of these options as they may be printed. */
export const redactedSettings = (
  settings: Readonly<Record<string, unknown>>,
  options: readonly Option[],
): Record<string, unknown> =>
  Object.fromEntries(options.map((option) => [option.key, shownValue(option, settings[option.key])]))
