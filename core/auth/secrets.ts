// Admin secrets: how an option writes several of them, and comparing them in constant time.

import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (bytes: string | Buffer): Buffer => createHash('sha512').update(bytes).digest()

/** The list that a text holds; undefined when it is no JSON array. */
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

/** Why a text cannot be the admin secret, or secrets; null when it can. */
export function secretsRefusal(text: string): string | null {
  const list = listOf(text)
  const isOne = list === undefined && text !== '' && !/^\s*\[\s*"/.test(text)
  if (isOne || (list && list.length > 0 && list.every(isSecret))) return null
  return 'Only expecting a secret, or a JSON array of secrets, none of them empty'
}

/** The admin secrets of a server, known by their digests only. */
export class AdminSecrets {
  readonly #digests: readonly Buffer[]

  /** `text`: the one secret, or a JSON array of several. */
  constructor(text: string) {
    const refusal = secretsRefusal(text)
    if (refusal !== null) throw new Error(`adminSecret: ${refusal}`)
    this.#digests = (listOf(text) ?? [text]).map((secret) => digest(secret as string))
  }

  /** Whether it is one of them. Digests have one length, and all are compared: the time taken tells nothing. */
  includes(secret: Buffer): boolean {
    const given = digest(secret)
    const matches = this.#digests.map((expected) => timingSafeEqual(given, expected))
    return matches.includes(true)
  }
}

/** Checks what requests carry against a secret, or a JSON array of secrets; in constant time, and keeping their digests only. */
export function secretCheck(text: string): (given: Buffer) => boolean {
  const secrets = new AdminSecrets(text)
  return (given) => secrets.includes(given)
}
