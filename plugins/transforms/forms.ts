// Transforms as the metadata holds them.

/** Texts by name, each a template. */
type TemplatesByName = Record<string, string>

/** A body in version 2. */
export interface BodyForm {
  action: 'transform' | 'remove' | 'x_www_form_urlencoded'
  template?: string
  form_template?: TemplatesByName
}

/** The change of a request before it is sent. */
export interface RequestTransform {
  version?: 1 | 2
  template_engine?: 'Kriti'
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url?: string
  /** A text is a whole query string. */
  query_params?: string | TemplatesByName
  /** A template in version 1. */
  body?: string | BodyForm
  content_type?: string
  request_headers?: { add_headers?: TemplatesByName; remove_headers?: string[] }
}

/** The change of a response before it is read. */
export interface ResponseTransform {
  version?: 1 | 2
  template_engine?: 'Kriti'
  body?: string | BodyForm
}

/** Both transforms of a webhook. */
export interface Transforms {
  readonly request_transform?: RequestTransform
  readonly response_transform?: ResponseTransform
}

/** Those that are given, for an entry of the document. */
export const storedTransforms = ({ request_transform, response_transform }: Transforms): Transforms => ({
  ...(isGiven(request_transform) && { request_transform }),
  ...(isGiven(response_transform) && { response_transform }),
})

const isGiven = <T extends object>(transform: T | undefined): transform is T =>
  transform !== undefined && Object.keys(transform).length > 0
