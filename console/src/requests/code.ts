// A request as code of other programs, which get the secret from their environment.

import { parseExactly } from '../base/json.ts'

/** The variable of a shell that has the credentials. */
export const secretVariable = '$TRELLIS_ADMIN_SECRET'

/** A request as it was sent, with the variable in the place of the credentials. */
export interface SentRequest {
  /** The address of the server, ending in a slash. */
  readonly server: string
  readonly method: string
  /** Below the address of the server, without a slash at its beginning. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string | null
}

/** The forms in which a request is copied. */
export const codeForms = ['curl', 'fetch', 'CLI', 'JSON'] as const

/** A form in which a request is copied. */
export type CodeForm = (typeof codeForms)[number]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const escaped = (text: string): string => text.replaceAll(/[\\"`$]/g, '\\$&')

const isSecret = (value: string): boolean => value === secretVariable || value === `Bearer ${secretVariable}`

function curlOf({ server, method, path, headers, body }: SentRequest): string {
  const lines = [
    `curl ${quoted(new URL(path, server).href)}`,
    ...(method === 'POST' || method === 'GET' ? [] : [`-X ${method}`]),
    ...Object.entries(headers).map(([name, value]) => {
      const line = `${name}: ${value}`
      // The shell puts its variable in; anything else is taken as it is.
      return isSecret(value) ? `-H "${line}"` : `-H ${quoted(line)}`
    }),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

function secretExpression(value: string): string {
  const variable = `process.env.${secretVariable.slice(1)}`
  return value === secretVariable ? variable : `\`Bearer \${${variable}}\``
}

/** Values of headers are bytes for `fetch`, and the server decodes UTF-8. */
const headerExpression = (value: string): string =>
  /[^\0-\x7f]/.test(value) ? `Buffer.from(${JSON.stringify(value)}).toString('latin1')` : JSON.stringify(value)

function fetchOf({ server, method, path, headers, body }: SentRequest): string {
  const named = Object.entries(headers).map(
    ([name, value]) =>
      `    ${JSON.stringify(name)}: ${isSecret(value) ? secretExpression(value) : headerExpression(value)},`,
  )
  const lines = [
    `const response = await fetch(${JSON.stringify(new URL(path, server).href)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(named.length === 0 ? [] : ['  headers: {', ...named, '  },']),
    ...(body === null ? [] : [`  body: ${bodyExpression(body)},`]),
    '})',
    'const answer = await response.json()',
  ]
  return lines.join('\n')
}

/** Numbers that JavaScript would round stay in a text. */
function bodyExpression(body: string): string {
  const value: unknown = JSON.parse(body)
  if (JSON.stringify(value) !== body) return JSON.stringify(body)
  return `JSON.stringify(${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')})`
}

/** Headers that the command line sends by itself, or that are of one request alone. */
const ownHeaders = ['content-type', 'accept', 'x-request-id']

/** Null: the command line has no command for it. */
function cliOf({ server, path, headers, body }: SentRequest): string | null {
  const isStream = headers['accept'] === 'text/event-stream'
  if (body === null || isStream || !['v1/metadata', 'v1/query', 'v1/graphql'].includes(path)) return null
  const others = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name))
  const more = others.filter(([, value]) => value !== secretVariable)
  const lines = [
    `trellis run -e ${quoted(body)}`,
    `--endpoint ${quoted(server.replace(/\/$/, ''))}`,
    ...(others.length > more.length ? [`--admin-secret "${secretVariable}"`] : []),
    ...(more.length === 0 ? [] : [`--headers ${headersText(Object.fromEntries(more))}`]),
  ]
  return lines.join(' \\\n  ')
}

function headersText(headers: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(headers)
  if (!Object.values(headers).some(isSecret)) return quoted(text)
  return `"${text.split(secretVariable).map(escaped).join(secretVariable)}"`
}

function jsonOf({ body }: SentRequest): string | null {
  return body === null ? null : JSON.stringify(parseExactly(body), null, 2)
}

/** The request in a form; null: it has none. */
export function codeOf(request: SentRequest, form: CodeForm): string | null {
  return { curl: curlOf, fetch: fetchOf, CLI: cliOf, JSON: jsonOf }[form](request)
}
