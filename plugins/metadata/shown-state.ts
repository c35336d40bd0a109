// What is served, as an inspection shows it: what webhooks and remote servers are called with is in it, and holds secrets.

import { isSecretHeader, loggableTemplate } from '../../sdk/services.ts'

/** A variable that the metadata names. */
interface NamedValue {
  readonly name: string
  readonly value: string
}

const redacted = '<redacted>'

/** Places where a document names a variable: templates, and keys such as `webhook_from_env`. */
const names = [/\{\{([^{}"]*)\}\}/g, /"(?:\w+_)?from_env":"([^"\\]*)"/g]

/** The values of all variables that a document names, in each form in which they may stand in what was made of them; the longest first. */
export function namedValues(
  document: unknown,
  environment: (name: string) => string | undefined,
): readonly NamedValue[] {
  const text = JSON.stringify(document)
  const found = new Set(names.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name.trim())))
  const values = [...found].flatMap((name) => formsOf(environment(name) ?? '').map((value) => ({ name, value })))
  return values.sort((a, b) => b.value.length - a.value.length)
}

/** A value as it is, as a header's bytes, and as a part of a URL. */
function formsOf(value: string): readonly string[] {
  const whole = [value, Buffer.from(value).toString('latin1'), encodeURI(value.toWellFormed())]
  if (URL.canParse(value)) whole.push(new URL(value).href)
  // Another scheme takes the place of the URL's, for WebSockets.
  const forms = [...whole, ...whole.map((text) => text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ''))]
  return [...new Set(forms)].filter((text) => text !== '')
}

const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i

function shownText(text: string, values: readonly NamedValue[]): string {
  const named = values.reduce((shown, { name, value }) => shown.replaceAll(value, () => `{{${name}}}`), text)
  return isUrl.test(named) ? loggableTemplate(named) : named
}

/**
 * Maps and sets as JSON has them; variables by their names in place of their values; no user, password or query of a URL, and no
 * header that holds a secret.
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

/** Whether it is a configured header whose value is a secret. */
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
