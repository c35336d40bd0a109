// Schemas in this process, which plugins add: remote schemas without HTTP.

import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  isScalarType,
  isSchema,
  isSpecifiedScalarType,
  type OperationTypeNode,
  subscribe,
  validateSchema,
} from 'graphql'
import { messageOf, serviceKey } from '../../../sdk/index.ts'
import type { RemoteCaller } from './transport.ts'

/** The call that a schema answers. It is the context of the resolvers, unless the schema makes one of it. */
export type LocalCall = RemoteCaller

/** An operation for an executor. It is valid for the schema. */
export interface LocalOperation {
  readonly document: DocumentNode
  readonly operationType: OperationTypeNode
  readonly operationName?: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly context: unknown
  readonly rootValue: unknown
  /** Aborts when the answer is no longer needed, or late. */
  readonly signal: AbortSignal
}

/** Executes an operation, as executors of `@graphql-tools` do. Subscriptions have an iterable of results. */
export type LocalExecutor = (
  operation: LocalOperation,
) => ExecutionResult | AsyncIterable<ExecutionResult> | Promise<ExecutionResult | AsyncIterable<ExecutionResult>>

/** A schema of this process; it has `schema`, `executor`, or both. */
export interface LocalSchema {
  /** The name of the remote schema, and the value of `plugin` in its definition. */
  readonly name: string
  /** The types, and the resolvers unless there is an executor. */
  readonly schema?: GraphQLSchema
  /** Executes operations. Without `schema` it is asked for an introspection. */
  readonly executor?: LocalExecutor
  readonly rootValue?: unknown
  /** Makes the context of the resolvers; absent: the call itself. */
  context?(call: LocalCall): unknown
}

/** Adds schemas of this process; plugins call it while they register. */
export interface RemoteSchemas {
  /**
   * Adds a schema. If no remote schema of the metadata has it, one of the same name is added to the metadata when the
   * server starts. Throws a `TypeError` for a schema that cannot be served.
   */
  add(schema: LocalSchema): void
}

/** The service that adds schemas of this process. */
export const remoteSchemas = serviceKey<RemoteSchemas>('remote-schemas')

/** A schema that is ready to answer. */
export interface LocalProgram {
  readonly schema: GraphQLSchema | null
  /** Whether results hold only values of JSON: texts, numbers, booleans, and no values of own scalars. */
  readonly isPlain: boolean
  readonly execute: LocalExecutor
  readonly context: (call: LocalCall) => unknown
  readonly rootValue: unknown
}

/** The schemas that plugins have added. */
export class LocalSchemas implements RemoteSchemas {
  readonly #programs = new Map<string, LocalProgram>()
  #isClosed = false

  /** The names of the schemas. */
  get names(): readonly string[] {
    return [...this.#programs.keys()]
  }

  add(given: LocalSchema): void {
    const { name } = given
    if (this.#isClosed) throw new TypeError('remote schemas are added while plugins register')
    if (typeof name !== 'string' || name === '') throw new TypeError('a remote schema needs a name')
    if (this.#programs.has(name)) throw new TypeError(`the remote schema "${name}" is added twice`)
    this.#programs.set(name, localProgram(given))
  }

  get(name: string): LocalProgram | undefined {
    return this.#programs.get(name)
  }

  /** Refuses schemas that come later: they would be missing in the model. */
  close(): void {
    this.#isClosed = true
  }
}

/** The program of a schema; throws a `TypeError` if it cannot be served. */
export function localProgram({ name, schema, executor, rootValue, context }: LocalSchema): LocalProgram {
  if (schema !== undefined) checkSchema(name, schema)
  else if (typeof executor !== 'function') throw new TypeError(`"${name}" needs a schema or an executor`)
  return {
    schema: schema ?? null,
    isPlain: schema !== undefined && executor === undefined && hasOnlyBuiltInScalars(schema),
    execute: executor ?? executorOf(schema!),
    context: context ?? ((call) => call),
    rootValue,
  }
}

function checkSchema(name: string, schema: GraphQLSchema): void {
  let isOurs: boolean
  try {
    isOurs = isSchema(schema)
  } catch (error) {
    const advice = 'it was made with another copy of "graphql"; make it with that of Trellis, or give its executor'
    throw new TypeError(`the schema of "${name}" cannot be served: ${advice}`, { cause: error })
  }
  if (!isOurs) throw new TypeError(`the schema of "${name}" is no GraphQLSchema`)
  const faults = validateSchema(schema)
  if (faults.length === 0) return
  throw new TypeError(`the schema of "${name}" is invalid: ${faults.map(messageOf).join('; ')}`)
}

const hasOnlyBuiltInScalars = (schema: GraphQLSchema): boolean =>
  Object.values(schema.getTypeMap()).every((type) => !isScalarType(type) || isSpecifiedScalarType(type))

const executorOf =
  (schema: GraphQLSchema): LocalExecutor =>
  ({ document, operationType, operationName, variables, context, rootValue, signal }) => {
    const run = operationType === 'subscription' ? subscribe : execute
    return run({
      ...{ schema, document, rootValue, abortSignal: signal },
      ...{ contextValue: context, variableValues: variables, operationName: operationName ?? null },
    })
  }
