// Creating and dropping REST endpoints.

import { badRequest } from '../../sdk/index.ts'
import { inconsistencyJson, operation, reasonText, wordingOf } from '../../sdk/metadata.ts'
import { ambiguity, endpointProblem, endpointRef, findEndpoint } from './metadata.ts'
import { ambiguousEndpoints, urlProblem } from './paths.ts'
import { CreateEndpointArgs, EndpointName } from './schema.ts'

export const createRestEndpoint = operation({
  type: 'create_rest_endpoint',
  about: { summary: 'Serves a query of a collection at a path below `/api/rest/`.' },
  args: CreateEndpointArgs,
  check: 'object',
  object: ({ name }) => endpointRef(name),
  handle(context, endpoint) {
    const { metadata } = context
    const { name } = endpoint
    if (findEndpoint(metadata, name)) {
      throw badRequest('already-exists', `Endpoint with name: ${name} already exists`)
    }
    const problem = endpointProblem(endpoint, metadata.query_collections)
    if (problem !== null) {
      const wording = wordingOf(context.model, context)
      const object = { ref: endpointRef(name), type: 'rest_endpoint', definition: plain(endpoint), reason: problem }
      const internal = [inconsistencyJson(object, { dialect: context.dialect, wording })]
      // The original refuses a URL by itself, and everything else as an inconsistent object.
      const isAboutUrl = urlProblem(endpoint.url) !== null
      const message = isAboutUrl ? problem : reasonText(problem, wording)
      throw badRequest('invalid-configuration', message, { internal })
    }
    const others = metadata.rest_endpoints.filter(({ url }) => urlProblem(url) === null)
    const clash = ambiguousEndpoints([...others, endpoint]).find((group) => group.includes(endpoint))
    if (clash) {
      const reason = ambiguity(clash)
      throw badRequest('invalid-configuration', reason, { internal: [{ reason, conflicts: clash.map(plain) }] })
    }
    metadata.rest_endpoints.push(endpoint)
  },
})

/** A copy of an entry, which may belong to a draft that is about to end. */
const plain = <T>(entry: T): T => JSON.parse(JSON.stringify(entry))

export const dropRestEndpoint = operation({
  type: 'drop_rest_endpoint',
  about: { summary: 'Removes a REST endpoint; its query stays in its collection.' },
  args: EndpointName,
  check: 'new',
  handle({ metadata, remove }, { name }) {
    if (!findEndpoint(metadata, name)) {
      throw badRequest('not-exists', `Endpoint with name: ${name} does not exist`)
    }
    remove(endpointRef(name))
  },
})
