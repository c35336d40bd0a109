// The OpenAPI document: the endpoints and operations of this server, with its plugins and its open APIs.

import type { Route, RouteDescription } from '../../sdk/http.ts'
import { type Engine, type TSchema, Type, version } from '../../sdk/index.ts'
import { unknownKeysIn } from '../../sdk/metadata.ts'
import { componentRef, type JsonSchema, SchemaWriter } from './json-schema.ts'
import { anyRequest, writeRequests } from './requests.ts'
import { securityOf, securitySchemes } from './security.ts'

/** Where operations are run. */
const queryUrl = '/v1/query'

const ErrorBody = Type.Object(
  {
    path: Type.String({ description: 'the place in the request', examples: ['$.args.table'] }),
    error: Type.String({ description: 'the fault' }),
    code: Type.String({ description: 'the kind of error', examples: ['not-exists'] }),
    hint: Type.Optional(Type.String({ description: 'advice' })),
    internal: Type.Optional(Type.Unknown({ description: 'details, for roles that may see them' })),
  },
  { title: 'Error' },
)

/** The document of an engine whose plugins have all registered. */
export function openApiDocument(engine: Engine): JsonSchema {
  const writer = new SchemaWriter(unknownKeysIn(engine.dialect))
  const error = writer.write(ErrorBody)
  const paths: Record<string, JsonSchema> = {}
  for (const route of engine.routes.all()) {
    if (route.about?.paths) {
      addPaths(paths, route, { engine, writer, error })
      continue
    }
    const path = pathOf(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: endpoint(route, { engine, writer, error }) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: engine.dialect.productName,
      version,
      description: 'The API of this server, by its plugins and open APIs.',
    },
    paths,
    components: {
      schemas: Object.fromEntries([...writer.components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: securitySchemes(engine),
    },
  }
}

const parameter = /:(\w+)/g

/** `/api/:table` is written `/api/{table}`. */
const pathOf = ({ url }: Route): string => url.replaceAll(parameter, '{$1}')

interface Context {
  readonly engine: Engine
  readonly writer: SchemaWriter
  readonly error: JsonSchema
}

/** Adds the paths that a route stands for. */
function addPaths(paths: Record<string, JsonSchema>, { auth, about }: Route, { engine, writer, error }: Context): void {
  const described = about!.paths!()
  for (const [name, schema] of Object.entries(described.schemas)) writer.add(name, schema)
  for (const [path, operations] of Object.entries(described.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const responses = { ...Object(operation['responses']), ...usualFailures(auth, { engine, error }) }
      paths[path] = { ...paths[path], [method]: { ...operation, responses, security: securityOf(auth, engine) } }
    }
  }
}

const json = (schema: JsonSchema, rest: JsonSchema = {}) => ({ 'application/json': { schema, ...rest } })

function endpoint(route: Route, context: Context): JsonSchema {
  const { method, url, auth, about, forReaders } = route
  const names = [...url.matchAll(parameter)].map(([, name]) => name)
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...Object.entries(about?.headers ?? {}).map(([name, description]) => ({
      ...{ name, in: 'header', required: false, description },
      schema: { type: 'string' },
    })),
  ]
  return {
    operationId: `${method.toLowerCase()}${pathOf(route).replaceAll(/[^A-Za-z0-9]+/g, '_')}`,
    summary: about?.summary ?? `${method} ${url}`,
    ...(parameters.length > 0 && { parameters }),
    ...(url === queryUrl ? metadataRequest(context) : exchange(route, context)),
    security: securityOf(auth, context.engine),
    ...(!forReaders && { 'x-edits': method !== 'GET' }),
  }
}

/** Body and answers of the metadata API. */
function metadataRequest({ engine, writer, error }: Context): JsonSchema {
  const { dialect, metadata } = engine
  const environment = { dialect, format: metadata.service.format }
  const { results, examples } = writeRequests(engine.operations.all(), writer, environment)
  const description = 'the result of the operation: see `x-result` of its request'
  return {
    requestBody: { required: true, content: json(componentRef(anyRequest), { examples }) },
    responses: {
      200: { description, content: json({ anyOf: results }) },
      ...usualFailures('session', { engine, error }),
    },
  }
}

/** Body and answers of any other route. */
function exchange({ method, auth, about, errors }: Route, context: Context): JsonSchema {
  const { writer } = context
  const schemaOf = (schema: TSchema | undefined) => (schema ? writer.write(schema) : {})
  const { contentType = 'application/json' } = about ?? {}
  const content = { [contentType]: { schema: schemaOf(about?.result) } }
  return {
    ...(method !== 'GET' && { requestBody: { required: true, content: json(schemaOf(about?.body)) } }),
    responses: {
      200: { description: 'the answer', content },
      ...(errors
        ? { default: { description: 'an error in a form of its own', content } }
        : usualFailures(auth, context)),
      ...ownFailures(about?.failures ?? {}, context),
    },
  }
}

/** Answers that a route tells of itself. */
function ownFailures(failures: NonNullable<RouteDescription['failures']>, { writer, error }: Context): JsonSchema {
  const answers = Object.entries(failures).map(([status, { summary, result, contentType = 'application/json' }]) => {
    const schema = result ? writer.write(result) : error
    return [status, { description: summary, content: { [contentType]: { schema } } }]
  })
  return Object.fromEntries(answers)
}

function usualFailures(auth: Route['auth'], { engine, error }: Pick<Context, 'engine' | 'error'>): JsonSchema {
  const answer = (description: string) => ({ description, content: json(error) })
  const isAuthenticated = auth !== 'none'
  return {
    ...(isAuthenticated && { 400: answer('the request cannot be carried out as it is') }),
    ...(isAuthenticated && engine.auth.mode !== 'none' && { 401: answer('credentials are missing or wrong') }),
    500: answer('the server or its database failed'),
    default: answer('refused before it was looked at: a body that is too large, too many requests'),
  }
}
