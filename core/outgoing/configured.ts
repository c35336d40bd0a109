// Fills in the environment variables of configured URLs and headers.

import { badRequest } from '../errors/errors.ts'
import type { ConfiguredHeader } from '../wire/configured-header.ts'
import { type ConfiguredUrl, mayBeUrl } from './configured-url.ts'
import type { OutgoingHeaders } from './headers.ts'

/** Returns the value of a variable of the server's environment. */
export type Environment = (name: string) => string | undefined

/** Returns the headers to send, names in lower case; refuses a variable that is not set. */
export function configuredHeaders(headers: readonly ConfiguredHeader[], environment: Environment): OutgoingHeaders {
  const entries = headers.map((header) => {
    const value = 'value' in header ? header.value : valueOfVariable(header.value_from_env, environment)
    // Each character of a header is one byte.
    return [header.name.toLowerCase(), Buffer.from(value).toString('latin1')]
  })
  return Object.fromEntries(entries)
}

function valueOfVariable(variable: string, environment: Environment): string {
  const value = environment(variable)
  if (value === undefined) throw badRequest('not-found', `environment variable '${variable}' not set`)
  return value
}

const variable = /\{\{([^{}]*)\}\}/g

/** Replaces the variables of a URL such as `https://{{HOST}}/hook`; refuses variables that are not set. */
export function filledTemplate(template: string, environment: Environment): string {
  const missing = new Set<string>()
  const filled = template.replace(variable, (_, name: string) => {
    const value = environment(name.trim())
    if (value === undefined) missing.add(name.trim())
    return value ?? ''
  })
  if (missing.size === 0) return filled
  throw badRequest('unexpected', `Value for environment variables not found: ${[...missing].join(', ')}`)
}

/** Returns the URL of a request; refuses a variable that is not set, and a text that can never be an HTTP URL. */
export function configuredUrl(given: ConfiguredUrl, environment: Environment): string {
  if (typeof given !== 'string') return valueOfVariable(given.from_env, environment)
  if (mayBeUrl(given)) return filledTemplate(given, environment)
  throw badRequest('unexpected', 'not a valid URI')
}
