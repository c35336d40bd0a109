// `GET /api/swagger/json`, and the endpoints in the server's own OpenAPI document.

import { type graphql as g, graphql } from '../../sdk/graphql.ts'
import type { DescribedPaths, Route } from '../../sdk/http.ts'
import { type Engine, Type } from '../../sdk/index.ts'
import type { Model } from '../../sdk/metadata.ts'
import { Indescribable, type JsonSchema, type ShapeForm, ShapeWriter } from './answer-shape.ts'
import type { ServedEndpoint } from './metadata.ts'
import { restPath } from './request.ts'
import type { RestMethod } from './schema.ts'

/** Describes the endpoints of the served model, for administrators. */
export function swaggerRoute(engine: Engine): Route {
  const documents = new WeakMap<Model, Buffer>()
  return {
    method: 'GET',
    url: '/api/swagger/json',
    api: 'metadata',
    auth: 'admin',
    about: { summary: 'The REST endpoints as an OpenAPI 3.0 document.', result: Type.Unknown() },
    handle() {
      const { model } = engine
      const known = documents.get(model) ?? Buffer.from(JSON.stringify(swaggerDocument(engine)))
      documents.set(model, known)
      return known
    },
  }
}

function swaggerDocument(engine: Engine): JsonSchema {
  const { paths, schemas, leftOut } = describe(engine, { version: '3.0', prefix: '' }, wordsOf(engine))
  const note = `These endpoints are inconsistent, and not described: ${leftOut.join(', ')}`
  return {
    openapi: '3.0.0',
    info: { version: '', title: 'Rest Endpoints', ...(leftOut.length > 0 && { description: note }) },
    ...(Object.keys(paths).length > 0 && { paths }),
    components: Object.keys(schemas).length > 0 ? { schemas } : {},
  }
}

/** The endpoints of one method, for the server's own document. */
export const describedEndpoints = (engine: Engine, method: RestMethod): DescribedPaths =>
  describe(engine, { version: '3.1', prefix: 'rest.' }, ownWords, method)

interface Described extends DescribedPaths {
  /** The names of endpoints that are inconsistent. */
  readonly leftOut: readonly string[]
}

function describe(engine: Engine, form: ShapeForm, words: Words, only?: RestMethod): Described {
  const { model, graphql: service } = engine
  const writer = new ShapeWriter(service.schema('admin', false), form)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  const leftOut = new Set<string>(inconsistentNames(model))
  for (const served of model.slices.rest_endpoints?.all ?? []) {
    const { name, methods } = served.endpoint
    if (leftOut.has(name)) continue
    try {
      const path = pathOf(served)
      for (const method of methods) {
        if (only && method !== only) continue
        const description = described(served, { method, path, writer, engine, words })
        paths[path] = { ...paths[path], [method.toLowerCase()]: description }
      }
    } catch (error) {
      if (!(error instanceof Indescribable)) throw error
      leftOut.add(name)
    }
  }
  return { paths, schemas: Object.fromEntries(writer.components), leftOut: [...leftOut].sort() }
}

const inconsistentNames = ({ inconsistencies }: Model): string[] =>
  inconsistencies
    .flatMap((each) => [each, ...(each.others ?? [])])
    .filter(({ ref }) => ref.kind === 'rest_endpoint')
    .map(({ ref }) => ref.name ?? '')

const pathOf = ({ segments }: ServedEndpoint): string =>
  restPath + segments.map(({ text, isVariable }) => (isVariable ? `{${text}}` : asRequested(text))).join('/')

/** Characters that would end the path, or make a variable of it, are escaped as in requests. */
const asRequested = (text: string): string => encodeURI(text.toWellFormed()).replace(/[?#]/g, encodeURIComponent)

interface Words {
  readonly adminSecret: (header: string) => string
  readonly query: string
  readonly body: string
  /** Whether operations have an id. */
  readonly isNamed: boolean
}

const ownWords: Words = {
  adminSecret: () => 'The admin secret authenticates the request.',
  query: 'The GraphQL query of this endpoint is:',
  body: 'Variables of the query that are not in the URL.',
  isNamed: true,
}

/** Generated clients of interface 2 derive the names of operations from paths. */
const laterWords: Words = {
  adminSecret: (header) => `Your ${header} will be used for authentication of the API request.`,
  query: 'The GraphQl query for this endpoint is:',
  body: 'Query parameters can also be provided in the request body as a JSON object',
  isNamed: false,
}

const wordsOf = ({ settings }: Engine): Words => (settings.graphqlInterface === '2' ? laterWords : ownWords)

interface Context {
  readonly method: RestMethod
  readonly path: string
  readonly writer: ShapeWriter
  readonly engine: Engine
  readonly words: Words
}

function described(served: ServedEndpoint, { method, path, writer, engine, words }: Context): JsonSchema {
  const { endpoint, query, segments } = served
  const variables = writer.variables(query).map(({ definition, schema }): Variable => {
    const name = definition.variable.name.value
    return { name, schema: withDefault(schema, definition), isRequired: isRequired(definition) }
  })
  const inPath = new Set(segments.filter(({ isVariable }) => isVariable).map(({ text }) => text))
  const others = variables.filter(({ name }) => !inPath.has(name))
  const adminSecret = {
    schema: { type: 'string' },
    in: 'header',
    name: engine.dialect.adminSecretHeader,
    description: words.adminSecret(engine.dialect.adminSecretHeader),
  }
  const text = `***\n${words.query}\n\`\`\` graphql\n${query.text}\n\`\`\``
  return {
    summary: endpoint.name,
    description: endpoint.comment ? `${endpoint.comment}\n${text}` : text,
    ...(words.isNamed && { operationId: `${method.toLowerCase()}_${endpoint.name}` }),
    parameters: [
      adminSecret,
      ...[...inPath].map((name) => pathParameter(name, variables)),
      ...others.filter(isParameter).map(queryParameter),
    ],
    ...(method !== 'GET' && others.length > 0 && { requestBody: bodyOf(others, words) }),
    responses: {
      200: {
        description: `Responses for ${method} ${path}`,
        content: { 'application/json': { schema: writer.answer(query) } },
      },
    },
  }
}

interface Variable {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

const isRequired = ({ type, defaultValue }: g.VariableDefinitionNode): boolean =>
  type.kind === graphql.Kind.NON_NULL_TYPE && defaultValue === undefined

function withDefault(schema: JsonSchema, { defaultValue }: g.VariableDefinitionNode): JsonSchema {
  if (defaultValue === undefined || '$ref' in schema) return schema
  return { ...schema, default: graphql.valueFromASTUntyped(defaultValue) }
}

/** Whether a variable can stand in a URL. */
const isParameter = ({ schema }: Variable): boolean => !('$ref' in schema)

const pathParameter = (wanted: string, variables: readonly Variable[]): JsonSchema => ({
  schema: variables.find(({ name }) => name === wanted)?.schema ?? { type: 'string' },
  in: 'path',
  name: wanted,
  required: true,
})

const queryParameter = ({ name, schema, isRequired }: Variable): JsonSchema => ({
  schema,
  in: 'query',
  name,
  ...(isRequired && { description: `_"${name}" is required (enter it either in parameters or request body)_` }),
})

function bodyOf(variables: readonly Variable[], words: Words): JsonSchema {
  const properties = Object.fromEntries(variables.map(({ name, schema }) => [name, schema]))
  return {
    description: words.body,
    content: { 'application/json': { schema: { type: 'object', properties } } },
    required: variables.some((variable) => variable.isRequired && !isParameter(variable)),
  }
}
