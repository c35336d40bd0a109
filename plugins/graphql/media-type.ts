// Which media type a client of GraphQL wants: JSON, as ever, or the one of "GraphQL over HTTP", whose errors have a status.

/** The media type of "GraphQL over HTTP". */
export const graphqlResponse = 'application/graphql-response+json; charset=utf-8'

const media = { response: 'application/graphql-response+json', json: 'application/json' } as const

/** Whether an `Accept` header names `application/graphql-response+json` and does not prefer plain JSON. */
export function wantsGraphQLResponse(accept: string | undefined): boolean {
  // Nearly all requests end here.
  if (!accept?.includes(media.response)) return false
  const weights = new Map(accept.split(',').map(weighted))
  const weight = weights.get(media.response) ?? 0
  return weight > 0 && weight >= (weights.get(media.json) ?? 0)
}

function weighted(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice('q='.length))
  return [type, Number.isNaN(weight) ? 0 : weight]
}
