// `test_webhook_transform`: the request that a transform makes, without sending it.

import { badRequest, Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import { filledTemplate, parseJson } from '../../sdk/services.ts'
import { TransformError, type TransformedRequest, transformRequest, transformResponse } from './apply.ts'
import { transformKeys } from './schema.ts'

const Texts = Type.Record(Type.String(), Type.String())
const Header = Type.Array(Type.String(), { minItems: 2, maxItems: 2 })

const Arguments = Type.Object({
  webhook_url: Type.Union([Type.String(), Type.Object({ from_env: Type.String() })]),
  env: Type.Optional(Texts),
  request_headers: Type.Optional(Type.Array(Header)),
  body: Type.Unknown(),
  session_variables: Type.Optional(Texts),
  request_transform: transformKeys.request_transform,
  response_transform: transformKeys.response_transform,
})

const Result = Type.Object({
  webhook_url: Type.String(),
  method: Type.String(),
  headers: Type.Array(Type.Array(Type.String())),
  body: Type.Unknown(),
})

/** Environment variables are those of the request: the answer would show the server's own. */
export const testWebhookTransform = operation({
  type: 'test_webhook_transform',
  pathsNameArguments: true,
  about: { summary: 'Shows the request that a transform makes, and sends nothing.', result: Result },
  args: Arguments,
  access: 'any',
  editsMetadata: false,
  handle(_context, args) {
    const { env = {}, body = null, request_headers = [], session_variables = null } = args
    const environment = (name: string) => (Object.hasOwn(env, name) ? env[name] : undefined)
    const url =
      typeof args.webhook_url === 'string'
        ? filledTemplate(args.webhook_url, environment)
        : urlFrom(args.webhook_url.from_env, environment)
    const context = { url, body, sessionVariables: session_variables && lowered(session_variables) }
    const headers = lowered(Object.fromEntries(request_headers))
    try {
      const request = transformRequest(args.request_transform ?? {}, context, { method: 'GET', headers })
      const sent = bodyOf(request)
      const response = args.response_transform
      const answered = response && transformResponse(response, { status: 200, body: sent }, context)
      return { ...described(request), body: response ? answered : sent }
    } catch (error) {
      if (!(error instanceof TransformError)) throw error
      return { webhook_url: url, method: args.request_transform?.method ?? 'GET', headers: [], body: error.errors }
    }
  },
})

function urlFrom(variable: string, environment: (name: string) => string | undefined): string {
  const value = environment(variable)
  if (value !== undefined) return value
  const help = () => ({ hint: `environment variable '${variable}' not set` })
  throw badRequest('not-found', 'Missing Env Var', { help })
}

const lowered = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name.toLowerCase(), text]))

const described = ({ url, method, headers }: TransformedRequest) => ({
  webhook_url: url,
  method,
  headers: Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, 'latin1').toString()]),
})

function bodyOf({ body, contentType }: TransformedRequest): unknown {
  if (body === null || contentType === 'application/x-www-form-urlencoded') return body
  return parseJson(body, 'lossless')
}
