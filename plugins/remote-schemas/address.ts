// Where a remote schema's server is: the URL, from the definition or from variables of the environment.

import { badRequest } from '../../sdk/index.ts'
import { type Environment, filledTemplate, isHttpUrl, loggableTemplate } from '../../sdk/services.ts'
import { asHttpUrl, type RemoteSchemaDefinition, severalUrls } from './schema.ts'

/** The URL; refuses a definition that gives none, or several. */
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

/** Where subscriptions are asked for. */
export function subscriptionUrl(definition: RemoteSchemaDefinition, environment: Environment): string {
  const { subscription_url: url } = definition
  if (url === undefined) return remoteUrl(definition, environment)
  return checked(
    asHttpUrl(typeof url === 'string' ? filledTemplate(url, environment) : variableValue(url.from_env, environment)),
  )
}

/** The URL as errors tell of it, which the log has too: the name of a variable in the place of its value. */
export function shownUrl({ url, url_from_env: variable = '' }: Pick<RemoteSchemaDefinition, 'url' | 'url_from_env'>) {
  return url === undefined ? `{{${variable}}}` : loggableTemplate(url)
}

function checked(url: string): string {
  if (isHttpUrl(url)) return url
  throw badRequest('invalid-params', `not a valid URI: ${loggableTemplate(url)}`)
}
