// Settings without what is secret in them.

import { loggableUrl } from '../outgoing/url.ts'
import { options, type Settings } from './options.ts'

/** A database URL without its password. */
export function redactedUrl(url: string): string {
  if (!URL.canParse(url)) return '<redacted>'
  const parsed = new URL(url)
  if (parsed.password) parsed.password = 'redacted'
  for (const key of parsed.searchParams.keys()) {
    if (/password/i.test(key)) parsed.searchParams.set(key, 'redacted')
  }
  return parsed.href
}

/** The settings as they may be printed. */
export function redactedSettings(settings: Settings): Record<keyof Settings, unknown> {
  const entries = options.map(({ key, declaration }) => {
    const value = settings[key]
    if (value === null) return [key, null]
    if (key === 'authHook') return [key, loggableUrl(value as string)]
    if (!declaration.secret) return [key, value]
    return [key, key === 'databaseUrl' ? redactedUrl(value as string) : '<redacted>']
  })
  return Object.fromEntries(entries)
}
