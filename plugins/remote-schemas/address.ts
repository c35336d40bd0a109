// Where a remote schema's server is: the URL, from the definition or from variables of the environment.

import { badRequest } from '../../sdk/index.ts'
import { isHttpUrl, loggableUrl } from '../../sdk/services.ts'
import { asHttpUrl, type RemoteSchemaDefinition } from './schema.ts'

type Environment = (name: string) => string | undefined

/** The URL; refuses a definition that gives none, or several. */
export function remoteUrl(
  { url, url_from_env: variable }: Pick<RemoteSchemaDefinition, 'url' | 'url_from_env'>,
  environment: Environment,
): string {
  if (url !== undefined && variable !== undefined) {
    throw badRequest('invalid-params', "both `url` and `url_from_env` can't be present")
  }
  if (url !== undefined) return checked(filledIn(url, environment))
  if (variable === undefined) throw badRequest('invalid-params', "both `url` and `url_from_env` can't be empty")
  const value = environment(variable)
  if (value === undefined) throw badRequest('invalid-params', `environment variable '${variable}' not set`)
  return checked(filledIn(value, environment))
}

/** Where subscriptions are asked for. */
export function subscriptionUrl(definition: RemoteSchemaDefinition, environment: Environment): string {
  const { subscription_url: url } = definition
  return url === undefined ? remoteUrl(definition, environment) : checked(asHttpUrl(filledIn(url, environment)))
}

/** A URL as errors tell of it, which the log has too: as it was given, unless it holds what may be a secret. */
export function shownUrl(url: string): string {
  const shown = loggableUrl(url)
  return shown === URL.parse(url)?.href ? url : shown
}

function checked(url: string): string {
  if (isHttpUrl(url)) return url
  throw badRequest('invalid-params', `not a valid URI: ${url}`)
}

/** The text with values of variables in the places of `{{NAME}}`. */
function filledIn(text: string, environment: Environment): string {
  const missing: string[] = []
  const filled = text.replaceAll(/\{\{([^{}]*)\}\}/g, (_, given: string) => {
    const value = environment(given.trim())
    if (value === undefined) missing.push(given.trim())
    return value ?? ''
  })
  if (missing.length === 0) return filled
  throw badRequest('unexpected', `Value for environment variables not found: ${[...new Set(missing)].join(', ')}`)
}
