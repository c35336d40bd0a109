// The URL of a remote schema's server, from the definition or from environment variables.

import { badRequest } from '../../../sdk/index.ts'
import { type Environment, filledTemplate, isHttpUrl, loggableTemplate } from '../../../sdk/services.ts'
import { asHttpUrl, type RemoteSchemaDefinition, severalUrls } from '../schema.ts'

/** The URL for queries and mutations; throws if the definition has no URL, or two. */
export function remoteUrl(
  { url, url_from_env: variable }: Pick<RemoteSchemaDefinition, 'url' | 'url_from_env'>,
  environment: Environment,
): string {
  if (url !== undefined && variable !== undefined) {
    throw severalUrls()
  }
  if (url !== undefined) return checked(filledTemplate(url, environment))
  if (variable === undefined) throw badRequest('invalid-params', "both `url` and `url_from_env` can't be empty")
  return checked(variableValue(variable, environment))
}

function variableValue(variable: string, environment: Environment): string {
  const value = environment(variable)
  if (value === undefined) throw badRequest('invalid-params', `environment variable '${variable}' not set`)
  return filledTemplate(value, environment)
}

/** The URL for subscriptions. */
export function subscriptionUrl(definition: RemoteSchemaDefinition, environment: Environment): string {
  const { subscription_url: url } = definition
  if (url === undefined) return remoteUrl(definition, environment)
  return checked(
    asHttpUrl(typeof url === 'string' ? filledTemplate(url, environment) : variableValue(url.from_env, environment)),
  )
}

/** The URL for errors and the log: it shows the names of variables, not their values. */
export function shownUrl({ url, url_from_env: variable = '' }: Pick<RemoteSchemaDefinition, 'url' | 'url_from_env'>) {
  return url === undefined ? `{{${variable}}}` : loggableTemplate(url)
}

function checked(url: string): string {
  if (isHttpUrl(url)) return url
  throw badRequest('invalid-params', `not a valid URI: ${loggableTemplate(url)}`)
}
