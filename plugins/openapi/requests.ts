// The requests of `POST /v1/query` as JSON Schema: one component for each operation that can be called.

import { type TSchema, Type } from '../../sdk/index.ts'
import { type DescriptionEnvironment, mayEdit, type Operation, type RegisteredOperation } from '../../sdk/metadata.ts'
import { exampleOf } from './examples.ts'
import { componentRef, type JsonSchema, type SchemaWriter } from './json-schema.ts'

/** The component that stands for any request. */
export const anyRequest = 'Request'

/** The answer of an operation that has no result of its own. */
const Success = Type.Object({ message: Type.Literal('success') }, { title: 'Success' })

/** The component of an operation's requests; components that are titles of schemas have no dot. */
export function requestName({ type, version = 1 }: Pick<Operation, 'type' | 'version'>): string {
  // Names of components have no other characters.
  const name = type.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return version === 1 ? `request.${name}` : `request.${name}.v${version}`
}

/** The description of all requests together. */
export interface Requests {
  /** The results of the requests, each shape once. */
  readonly results: readonly JsonSchema[]
  /** A request of each operation, in OpenAPI's form. */
  readonly examples: JsonSchema
}

/** Adds the components of all requests. */
export function writeRequests(
  operations: readonly RegisteredOperation[],
  writer: SchemaWriter,
  environment: DescriptionEnvironment,
): Requests {
  const results = new Map<string, JsonSchema>()
  const examples: Record<string, JsonSchema> = {}
  const requests = operations.map(({ operation, plugin }) => {
    const result = resultSchema(operation, writer, environment)
    const name = requestName(operation)
    const request = requestSchema(operation, writer, environment)
    results.set(JSON.stringify(result), result)
    examples[name] = { summary: operation.about?.summary ?? operation.type, value: request.examples[0] }
    const edits = mayEdit(operation)
    return writer.add(name, {
      ...{ ...request, 'x-result': result, 'x-plugin': plugin },
      ...(edits !== null && { 'x-edits': edits }),
    })
  })
  writer.add(anyRequest, { oneOf: requests })
  return { results: [...results.values()], examples }
}

function requestSchema(operation: Operation<TSchema>, writer: SchemaWriter, environment: DescriptionEnvironment) {
  const { type, version = 1, about } = operation
  const args = argumentsSchema(operation, writer, environment)
  const versionKey = version === 1 ? { enum: [1, null] } : { const: version }
  return {
    type: 'object',
    ...(about && { description: about.summary }),
    required: ['type', 'args', ...(version === 1 ? [] : ['version'])],
    properties: {
      ...{ type: { const: type }, args, version: versionKey },
      ...(!operation.onlyReads && { resource_version: { type: ['integer', 'null'] } }),
    },
    examples: [{ type, args: exampleOf(args, writer.components), ...(version === 1 ? {} : { version }) }],
  }
}

function argumentsSchema(
  operation: Operation<TSchema>,
  writer: SchemaWriter,
  environment: DescriptionEnvironment,
): JsonSchema {
  // A list of requests.
  if (operation.members && operation.args.type === 'array') {
    const examples = [[{ type: 'export_metadata', args: {} }]]
    return { type: 'array', items: componentRef(anyRequest), examples }
  }
  return writer.writeArguments(operation.about?.args?.(environment) ?? operation.args)
}

function resultSchema(
  operation: Operation<TSchema>,
  writer: SchemaWriter,
  environment: DescriptionEnvironment,
): JsonSchema {
  const { result = Success } = operation.about ?? {}
  return writer.write(typeof result === 'function' ? result(environment) : result)
}
