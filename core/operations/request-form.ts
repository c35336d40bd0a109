// The form of an endpoint: the names by which its requests call operations, their arguments, and the interface of its
// answers.

import type { TSchema } from '@sinclair/typebox'
import type { TrellisError } from '../errors/errors.ts'
import type { InterfaceName } from '../names/version.ts'
import type { Operation } from './operation.ts'

/** A request of the metadata API before its operation is known. */
export interface NamedRequest {
  readonly type: string
  /** The `version` of the envelope; null: it has none. */
  readonly version: 1 | 2 | null
  /** As received; undefined: the request has no arguments. */
  readonly args: unknown
}

/** Finds an operation by its own type and version, if its API is enabled. */
export interface OperationFinder {
  find(type: string, version: number): Operation<TSchema> | undefined
}

/** The operation that a request calls. */
export interface FoundOperation {
  readonly operation: Operation<TSchema>
  /** The arguments in the form that the operation takes; absent: unchanged. Paths of errors are relative to them. */
  convert?(args: unknown): unknown
}

/** How the requests of an endpoint are read, and its answers written. */
export interface RequestForm {
  /** The interface that the request speaks, answers and errors included; other endpoints speak the server's. */
  readonly interface: InterfaceName
  /** Whether paths of errors in arguments begin with `args`; absent: they are relative to the arguments. */
  readonly pathsNameArguments?: boolean
  /** Undefined: the endpoint has no such operation. */
  find(request: NamedRequest, operations: OperationFinder): FoundOperation | undefined
  /** The error about a type that {@link find} does not know; absent: the words of v1.3. */
  unknownType?(type: string): TrellisError
}

/** Each operation by its own type, with version 1 as the default. */
export const plainForm: RequestForm = {
  interface: '1.3',
  find({ type, version }, operations) {
    const operation = operations.find(type, version ?? 1)
    return operation && { operation }
  },
}
