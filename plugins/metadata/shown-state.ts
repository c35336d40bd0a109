// The served state as an inspection shows it. It contains URLs and headers of webhooks and remote servers, so secrets
// are hidden.

import { isSecretHeader, loggableTemplate } from '../../sdk/services.ts'

/** A variable that the metadata names. */
interface NamedValue {
  readonly name: string
  readonly value: string
}

const redacted = '<redacted>'

/** Places where a document names a variable: templates, and keys such as `webhook_from_env`. */
const names = [/\{\{([^{}"]*)\}\}/g, /"(?:\w+_)?from_env":"([^"\\]*)"/g]

/** The values of all variables that a document names, in each form that the state may contain; the longest first. */
export function namedValues(
  document: unknown,
  environment: (name: string) => string | undefined,
): readonly NamedValue[] {
  const text = JSON.stringify(document)
  const found = new Set(names.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name.trim())))
  const values = [...found].flatMap((name) => formsOf(environment(name) ?? '').map((value) => ({ name, value })))
  return values.sort((a, b) => b.value.length - a.value.length)
}

/** A value unchanged, as the bytes of a header, and as a part of a URL. */
function formsOf(value: string): readonly string[] {
  const whole = [value, Buffer.from(value).toString('latin1'), encodeURI(value.toWellFormed())]
  if (URL.canParse(value)) whole.push(new URL(value).href)
  // A WebSocket URL has another scheme than the configured one.
  const forms = [...whole, ...whole.map((text) => text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ''))]
  return [...new Set(forms)].filter((text) => text !== '')
}

const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i

function shownText(text: string, values: readonly NamedValue[]): string {
  const named = values.reduce((shown, { name, value }) => shown.replaceAll(value, () => `{{${name}}}`), text)
  return isUrl.test(named) ? loggableTemplate(named) : named
}

/**
 * Converts maps and sets to JSON. Replaces values of variables by their names, and hides user, password and query of
 * URLs and headers with secrets.
 */
export function shownState(state: unknown, values: readonly NamedValue[]): unknown {
  const show = (key: string, value: unknown): unknown => {
    if (value instanceof Map) return Object.fromEntries(value)
    if (value instanceof Set) return [...value]
    if (typeof value === 'string') return isSecretHeader(key) ? redacted : shownText(value, values)
    return isSecretEntry(value) ? { ...value, value: redacted } : value
  }
  return JSON.parse(JSON.stringify(state, show))
}

/** Whether this is a configured header with a secret value. */
function isSecretEntry(value: unknown): value is { readonly name: string; readonly value: string } {
  if (typeof value !== 'object' || value === null) return false
  return (
    'name' in value &&
    'value' in value &&
    typeof value.name === 'string' &&
    typeof value.value === 'string' &&
    isSecretHeader(value.name)
  )
}
