// The facts that the server puts into the page.

interface Facts {
  readonly adminSecretHeader: string
  readonly roleHeader: string
  /** The beginning of the names of session variables, as `x-service-`. */
  readonly variablePrefix: string
  /** Whether the server has no admin secret. */
  readonly isOpen: boolean
  /** Whether the server wants nothing edited in the console. */
  readonly isReadOnly: boolean
}

const element = document.querySelector('meta[name="trellis"]')

/** The names of headers in the server's dialect, whether it is open, and whether the console may edit. */
export const facts: Facts = JSON.parse(element?.getAttribute('content') ?? '{}')

/** The nonce for style elements. Browsers hide it from `getAttribute`. */
export const nonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

/** The address of the server, ending in a slash: its APIs are below it. */
export const serverUrl = new URL('../../', new URL('.', import.meta.url))

/** The path of the console, without a slash at its end. */
export const consolePath = new URL('..', new URL('.', import.meta.url)).pathname.replace(/\/$/, '')
