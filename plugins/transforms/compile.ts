// Transforms with their templates parsed, once per transform of the metadata.

import { type PathKey, parseFailed } from '../../sdk/index.ts'
import { readHeaderName } from '../../sdk/metadata.ts'
import type { RequestTransform, ResponseTransform } from './forms.ts'
import { parseTemplate, parseTextTemplate } from './kriti/parse.ts'
import { type Template, TemplateSyntaxError } from './kriti/syntax.ts'

/** Texts by name, each a template. */
export type TextTemplates = readonly (readonly [name: string, template: Template])[]

/** The new body: the value of a template, a form, or nothing. Absent: unchanged. */
export type BodyTemplate =
  | { readonly kind: 'json'; readonly template: Template }
  | { readonly kind: 'none' }
  | { readonly kind: 'form'; readonly fields: TextTemplates }

export interface CompiledRequest {
  readonly method: RequestTransform['method']
  readonly contentType: string | undefined
  readonly url: Template | null
  /** A text is a whole query string. */
  readonly query: Template | TextTemplates | null
  readonly body: BodyTemplate | null
  readonly added: TextTemplates
  /** Names in lower case. */
  readonly removed: ReadonlySet<string>
}

export interface CompiledResponse {
  readonly body: BodyTemplate | null
}

const requests = new WeakMap<RequestTransform, CompiledRequest>()
const responses = new WeakMap<ResponseTransform, CompiledResponse>()

/** The parsed form; throws `parse-failed` with the path of a template that cannot be parsed. */
export function compiledRequest(given: RequestTransform): CompiledRequest {
  let compiled = requests.get(given)
  if (!compiled) {
    const { url, query_params: query, request_headers: headers } = given
    compiled = {
      method: given.method,
      contentType: contentTypeOf(given),
      url: url === undefined ? null : parsed(parseTextTemplate, url, 'url'),
      query: query === undefined ? null : queryOf(query),
      body: bodyOf(given.body),
      added: addedHeaders(headers?.add_headers),
      removed: new Set(headers?.remove_headers?.map((name) => name.trim().toLowerCase())),
    }
    requests.set(given, compiled)
  }
  return compiled
}

/** The parsed form; throws `parse-failed` with the path of a template that cannot be parsed. */
export function compiledResponse(given: ResponseTransform): CompiledResponse {
  let compiled = responses.get(given)
  if (!compiled) {
    compiled = { body: bodyOf(given.body) }
    responses.set(given, compiled)
  }
  return compiled
}

const queryOf = (query: string | Record<string, string>) =>
  typeof query === 'string' ? parsed(parseTextTemplate, query, 'query_params') : texts(query, 'query_params')

function bodyOf(body: RequestTransform['body'] | ResponseTransform['body']): BodyTemplate | null {
  if (body === undefined) return null
  if (typeof body === 'string') return { kind: 'json', template: parsed(parseTemplate, body, 'body') }
  const { action, template = '', form_template: form } = body
  if (action === 'remove') return { kind: 'none' }
  if (action === 'transform') return { kind: 'json', template: parsed(parseTemplate, template, 'body', 'template') }
  return { kind: 'form', fields: texts(form, 'body', 'form_template') }
}

const addedHeaders = (given: Readonly<Record<string, string>> | undefined): TextTemplates => {
  const at = ['request_headers', 'add_headers'] as const
  return texts(given, ...at).map(([name, template]) => [readHeaderName(name, [...at, name]), template])
}

/** A line break in it would make each request fail. */
function contentTypeOf({ content_type: type }: RequestTransform): string | undefined {
  if (type === undefined || /^[\x20-\x7e]+$/.test(type)) return type
  throw parseFailed('a content type must be a single line of ASCII', ['content_type'])
}

const texts = (given: Readonly<Record<string, string>> = {}, ...at: PathKey[]): TextTemplates =>
  Object.entries(given).map(([name, text]) => [name, parsed(parseTextTemplate, text, ...at, name)])

function parsed(parse: (text: string) => Template, text: string, ...at: PathKey[]): Template {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error
    throw parseFailed(error.message, at)
  }
}
