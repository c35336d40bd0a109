// The secret or token of the person. It stays in this closure; "keep for this tab" puts it into the tab's storage.

import { consolePath, facts } from '../base/facts.ts'
import { createStore } from '../base/store.ts'
import { secretVariable } from './code.ts'

/** How the person proves to be allowed. */
export type CredentialKind = 'none' | 'secret' | 'token'

interface Credentials {
  readonly kind: CredentialKind
  readonly value: string
}

const nothing: Credentials = { kind: 'none', value: '' }

/** Another server of the host, below another path, never gets them. */
const key = `trellis${consolePath.replaceAll('/', ':')}:credentials`

function kept(): Credentials {
  try {
    const { kind, value } = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    return (kind === 'secret' || kind === 'token') && typeof value === 'string' ? { kind, value } : nothing
  } catch {
    return nothing
  }
}

let credentials = kept()

/** Whether there is a secret or a token; never the text of it. */
export const credentialKind = createStore<CredentialKind>(credentials.kind)

/** The header that proves it. Only the request module calls this. */
export function credentialHeaders(): Record<string, string> {
  const { kind, value } = credentials
  if (kind === 'secret') return { [facts.adminSecretHeader]: value }
  return kind === 'token' ? { authorization: `Bearer ${value}` } : {}
}

/** The same header with the name of a shell's variable in the place of the credentials. */
export function shownCredentialHeaders(): Record<string, string> {
  const { kind } = credentials
  if (kind === 'secret') return { [facts.adminSecretHeader]: secretVariable }
  return kind === 'token' ? { authorization: `Bearer ${secretVariable}` } : {}
}

/** Replaces credentials in a text, so that it can be shown, copied and recorded. */
export const withoutCredentials = (text: string): string =>
  credentials.value.length < 4 ? text : text.replaceAll(credentials.value, secretVariable)

/** An open question for credentials. */
interface SignIn {
  /** The server's words; null: the person asked to sign in, or has not tried yet. */
  readonly reason: string | null
}

/** The question for credentials that the shell shows; null: there is no question. */
export const signIn = createStore<SignIn | null>(null)

let answer: ((given: boolean) => void) | null = null
let asked: Promise<boolean> | null = null

/** Asks the person, once for all requests that wait; false: they declined. */
export function askForCredentials(reason: string | null): Promise<boolean> {
  asked ??= new Promise<boolean>((done) => {
    answer = done
  }).finally(() => {
    asked = null
    answer = null
    signIn.set(null)
  })
  signIn.set({ reason })
  return asked
}

/** Takes the credentials that the person gave; null: they declined. */
export function giveCredentials(given: (Credentials & { readonly isKept: boolean }) | null): void {
  if (given) {
    credentials = { kind: given.kind, value: given.value }
    if (given.isKept) sessionStorage.setItem(key, JSON.stringify(credentials))
    else sessionStorage.removeItem(key)
    credentialKind.set(given.kind)
  }
  answer?.(given !== null)
}

/** Forgets the credentials. */
export function forgetCredentials(): void {
  credentials = nothing
  sessionStorage.removeItem(key)
  credentialKind.set('none')
}
