// The shapes of transforms in the metadata. They are stored as they were given; their templates are parsed on arrival.

import { parseFailed, Type } from '../../sdk/index.ts'
import { compiledRequest, compiledResponse } from './compile.ts'
import type { RequestTransform, ResponseTransform } from './forms.ts'

const closed = { additionalProperties: false }
const Texts = Type.Record(Type.String(), Type.String())
const Version = Type.Optional(Type.Union([Type.Literal(1), Type.Literal(2)]))
const Engine = Type.Optional(Type.Union([Type.Literal('Kriti')]))

const requestActions = ['transform', 'remove', 'x_www_form_urlencoded'] as const
const responseActions = ['transform', 'remove'] as const

/** A body: a template in version 1, an object in version 2. */
const bodyOf = <A extends string>(actions: readonly A[]) =>
  Type.Union([
    Type.String(),
    Type.Object(
      {
        action: Type.Union(actions.map((each) => Type.Literal(each))),
        template: Type.Optional(Type.String()),
        form_template: Type.Optional(Texts),
      },
      closed,
    ),
  ])

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const GivenRequest = Type.Object(
  {
    version: Version,
    template_engine: Engine,
    method: Type.Optional(Type.Union(methods.map((each) => Type.Literal(each)))),
    url: Type.Optional(Type.String()),
    query_params: Type.Optional(Type.Union([Type.String(), Texts])),
    body: Type.Optional(bodyOf(requestActions)),
    content_type: Type.Optional(Type.String()),
    request_headers: Type.Optional(
      Type.Object(
        { add_headers: Type.Optional(Texts), remove_headers: Type.Optional(Type.Array(Type.String())) },
        closed,
      ),
    ),
  },
  {
    ...closed,
    convert(given: RequestTransform) {
      checkBody(given.body)
      compiledRequest(given)
      return given
    },
  },
)

const GivenResponse = Type.Object(
  { version: Version, template_engine: Engine, body: Type.Optional(bodyOf(responseActions)) },
  {
    ...closed,
    convert(given: ResponseTransform) {
      checkBody(given.body)
      compiledResponse(given)
      return given
    },
  },
)

/** The keys of transforms in the entry of a webhook. */
export const transformKeys = {
  request_transform: Type.Optional(Type.Unsafe<RequestTransform>(GivenRequest)),
  response_transform: Type.Optional(Type.Unsafe<ResponseTransform>(GivenResponse)),
}

/** Each action has its own template. */
function checkBody(body: RequestTransform['body'] | ResponseTransform['body']): void {
  if (typeof body !== 'object') return
  const needed = { transform: 'template', x_www_form_urlencoded: 'form_template', remove: null }[body.action]
  for (const key of ['template', 'form_template'] as const) {
    if (key === needed && body[key] === undefined) throw parseFailed(`key "${key}" not found`, ['body'])
    if (key !== needed && body[key] !== undefined) {
      throw parseFailed(`a body with the action "${body.action}" has no "${key}"`, ['body', key])
    }
  }
}
