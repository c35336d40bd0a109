// Secrets in the values of a form, which no draft keeps: values of headers, and passwords in URLs.

import { parseExactly } from './json.ts'
import { isObject } from './objects.ts'

/** Takes the name and the text of a secret; answers the text in its place. */
type Exchange = (name: string, text: string) => string

const isHeaders = (member: string): boolean => /headers$/i.test(member)
const passwords = /([a-z][a-z\d+.-]*:\/\/[^\s/:@"'\\]*):([^\s/@"'\\]*)@([^\s/"'\\]*)/gi

/** Throws where a text may have a secret, and is not whole enough to find it. */
function exchangedText(text: string, exchange: Exchange): string {
  const beginning = text.trimStart()[0]
  if (isSecretive(text) && (beginning === '{' || beginning === '[')) {
    const value = parseExactly(text)
    const next = exchanged(value, exchange)
    return JSON.stringify(next) === JSON.stringify(value) ? text : JSON.stringify(next, null, 2)
  }
  return text.replace(
    passwords,
    (_, user: string, password: string, host: string) => `${user}:${exchange(`${user}@${host}`, password)}@${host}`,
  )
}

/** Whether a text of JSON may have values of headers. */
const isSecretive = (text: string): boolean => /headers/i.test(text)

/** The value with other secrets. Texts of JSON in it are looked through, too. */
function exchanged(value: unknown, exchange: Exchange, isInHeaders = false): unknown {
  if (typeof value === 'string') return exchangedText(value, exchange)
  if (Array.isArray(value)) return value.map((each) => exchanged(each, exchange, isInHeaders))
  if (!isObject(value)) return value
  const isHeader = isInHeaders && typeof value['name'] === 'string'
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => {
      const isSecret = isInHeaders && typeof inner === 'string' && (!isHeader || member === 'value')
      if (isSecret) return [member, exchange(isHeader ? String(value['name']) : member, inner)]
      return [member, isHeader ? inner : exchanged(inner, exchange, isInHeaders || isHeaders(member))]
    }),
  )
}

/** The secrets of a value by their names. */
function secretsOf(value: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  exchanged(value, (name, text) => {
    found.set(name, text)
    return text
  })
  return found
}

/** Values without their secrets. */
export interface Stripped<T> {
  readonly values: T
  /** Whether they had secrets that the saved thing does not have. */
  readonly hasLost: boolean
}

/** The values of a form without secrets; null: a text is not whole, and may have some. */
export function withoutSecrets<T>(values: T, saved: T): Stripped<T> | null {
  try {
    const known = secretsOf(saved)
    const hasLost = [...secretsOf(values)].some(([name, text]) => known.get(name) !== text)
    return { values: exchanged(values, () => '') as T, hasLost }
  } catch {
    return null
  }
}

/** The values of a form with the secrets of the saved thing. */
export function withSecrets<T>(values: T, saved: T): T {
  try {
    const known = secretsOf(saved)
    return exchanged(values, (name, text) => (text === '' ? (known.get(name) ?? '') : text)) as T
  } catch {
    return values
  }
}
