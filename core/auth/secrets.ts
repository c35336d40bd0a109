// Admin secrets and read secrets: parses an option with one or several, and compares them in constant time.

import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (bytes: string | Buffer): Buffer => createHash('sha512').update(bytes).digest()

/** Parses a JSON array; undefined if the text is not one. */
function listOf(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isSecret = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The reason why a text cannot be a secret or a list of secrets; null if it can. */
export function secretsRefusal(text: string): string | null {
  const list = listOf(text)
  const isOne = list === undefined && text !== '' && !/^\s*\[\s*"/.test(text)
  if (isOne || (list && list.length > 0 && list.every(isSecret))) return null
  return 'Only expecting a secret, or a JSON array of secrets, none of them empty'
}

/** Whether two options have a secret in common. */
export function shareSecret(one: string, other: string): boolean {
  const others: readonly unknown[] = listOf(other) ?? [other]
  return (listOf(one) ?? [one]).some((secret) => others.includes(secret))
}

/** The admin secrets of a server, or its read secrets. Only their digests are kept. */
export class Secrets {
  readonly #digests: readonly Buffer[]
  readonly #kind: string

  /** `text`: one secret, or a JSON array of several. */
  constructor(text: string, option: 'adminSecret' | 'readSecret' = 'adminSecret') {
    const refusal = secretsRefusal(text)
    if (refusal !== null) throw new Error(`${option}: ${refusal}`)
    this.#kind = option === 'adminSecret' ? 'admin secret' : 'read secret'
    this.#digests = (listOf(text) ?? [text]).map((secret) => digest(secret as string))
  }

  /**
   * Whether it is one of the secrets. All digests have the same length and all are compared, so the time reveals
   * nothing.
   */
  includes(secret: Buffer): boolean {
    return this.labelOf(secret) !== null
  }

  /** The label of a secret, such as `admin secret`, or `admin secret 2` for the second of several; null: it is another. */
  labelOf(secret: Buffer): string | null {
    const given = digest(secret)
    const matches = this.#digests.map((expected) => timingSafeEqual(given, expected))
    const at = matches.indexOf(true)
    if (at < 0) return null
    return matches.length > 1 ? `${this.#kind} ${at + 1}` : this.#kind
  }
}

/** Returns a check against a secret, or a JSON array of secrets. It runs in constant time and keeps only digests. */
export function secretCheck(text: string): (given: Buffer) => boolean {
  const secrets = new Secrets(text)
  return (given) => secrets.includes(given)
}
