// Applies transforms to requests before they are sent, and to responses before they are read.

import type { OutgoingHeaders } from '../../sdk/services.ts'
import {
  type BodyTemplate,
  type CompiledRequest,
  compiledRequest,
  compiledResponse,
  type TextTemplates,
} from './compile.ts'
import type { RequestTransform, ResponseTransform } from './forms.ts'
import { evaluate, type TemplateScope, Work } from './kriti/evaluate.ts'
import { type ListedError, type Template, TemplateError } from './kriti/syntax.ts'
import { textOf } from './kriti/values.ts'

/** The values that the templates of a request can read. */
export interface RequestContext {
  /** The webhook's URL, with the values of its variables. */
  readonly url: string
  /** The body as JSON with exact numbers. */
  readonly body: unknown
  /** Null: the request was made for no session. */
  readonly sessionVariables: Readonly<Record<string, unknown>> | null
}

/** A request to send. */
export interface TransformedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Names in lower case; a value's characters are bytes. */
  readonly headers: OutgoingHeaders
  /** Null: the request has no `Content-Type`. */
  readonly contentType: string | null
  /** Null: the request has no body. */
  readonly body: string | null
}

/** A transform whose templates have no value for a request or a response. */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  readonly errors: readonly ListedError[]

  constructor(errors: readonly ListedError[]) {
    super(errors.map(({ message }) => message).join(' '))
    this.errors = errors
  }
}

/** Evaluates templates, and collects the errors of all of them. */
class Results {
  readonly errors: ListedError[] = []
  readonly #scope: TemplateScope
  readonly #work = new Work()

  constructor(scope: TemplateScope) {
    this.#scope = scope
  }

  value(template: Template): unknown {
    try {
      return evaluate(template, this.#scope, this.#work)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      this.errors.push(error.listed(template.text))
      return null
    }
  }

  /** Texts by name; without those whose template is null alone. */
  texts(templates: TextTemplates): [name: string, text: string][] {
    return templates.flatMap(([name, template]) => {
      const value = this.value(template)
      return value === null || value === 'null' ? [] : [[name, textOf(value)]]
    })
  }
}

const scopeOf = ({ url, body, sessionVariables }: RequestContext): TemplateScope => ({
  variables: { $body: body, $base_url: url, $session_variables: sessionVariables ?? {} },
  functions: {
    getSessionVariable: (name) => (typeof name === 'string' ? (sessionVariables?.[name.toLowerCase()] ?? null) : null),
  },
})

/** The method of a request whose transform names none. */
type Unchanged = Pick<TransformedRequest, 'method' | 'headers'>

/** Changes a request; throws {@link TransformError}. */
export function transformRequest(
  transform: RequestTransform,
  context: RequestContext,
  unchanged: Unchanged,
): TransformedRequest {
  const compiled = compiledRequest(transform)
  const results = new Results(scopeOf(context))
  const base = compiled.url ? textOf(results.value(compiled.url)) : context.url
  const url = withQuery(base, queryOf(compiled, results))
  const body = bodyText(compiled.body, context.body, results)
  const added = results.texts(compiled.added).map(([name, text]) => [name.toLowerCase(), asBytes(text)] as const)
  if (results.errors.length > 0) throw new TransformError(results.errors)
  const kept = Object.entries(unchanged.headers).filter(([name]) => !compiled.removed.has(name.toLowerCase()))
  const { 'content-type': given, ...headers } = Object.fromEntries([...kept, ...added])
  return {
    method: compiled.method ?? unchanged.method,
    url,
    headers,
    contentType: contentTypeOf(compiled, body, given),
    body,
  }
}

function contentTypeOf(
  { contentType, removed, body: template }: CompiledRequest,
  body: string | null,
  given: string | undefined,
): string | null {
  if (given !== undefined) return given
  if (body === null || removed.has('content-type')) return null
  return contentType ?? (template?.kind === 'form' ? 'application/x-www-form-urlencoded' : 'application/json')
}

/** Each character of a header is one byte. */
const asBytes = (text: string): string => Buffer.from(text).toString('latin1')

function queryOf({ query }: CompiledRequest, results: Results): string {
  if (query === null) return ''
  if ('root' in query) return textOf(results.value(query)).replace(/^\?/, '')
  return new URLSearchParams(results.texts(query)).toString()
}

function withQuery(url: string, query: string): string {
  if (query === '') return url
  const [before = '', fragment] = url.split('#', 2)
  const separator = before.includes('?') ? '&' : '?'
  return `${before}${separator}${query}${fragment === undefined ? '' : `#${fragment}`}`
}

function bodyText(template: BodyTemplate | null, body: unknown, results: Results): string | null {
  switch (template?.kind) {
    case undefined:
      return JSON.stringify(body)
    case 'none':
      return null
    case 'json':
      return JSON.stringify(results.value(template.template))
    case 'form':
      return new URLSearchParams(results.texts(template.fields)).toString()
  }
}

/** The values that the templates of a response can read, beside those of its request. */
export interface ResponseContext {
  readonly status: number
  /** The answer's body as JSON with exact numbers. */
  readonly body: unknown
}

/** The changed body of a response, as JSON; throws {@link TransformError}. */
export function transformResponse(
  transform: ResponseTransform,
  { status, body }: ResponseContext,
  request: RequestContext,
): unknown {
  const { body: template } = compiledResponse(transform)
  if (template === null) return body
  if (template.kind !== 'json') return null
  const { variables, functions = {} } = scopeOf(request)
  const asked = { body: request.body, base_url: request.url, session_variables: request.sessionVariables ?? {} }
  const results = new Results({
    variables: { ...variables, $body: body, $request: asked, $response: { body, status } },
    functions,
  })
  const value = results.value(template.template)
  if (results.errors.length > 0) throw new TransformError(results.errors)
  return value
}
