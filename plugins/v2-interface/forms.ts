// The forms of requests: of the metadata API, of data operations and SQL, and of `/v1/query` in interface 2.

import { badRequest } from '../../sdk/index.ts'
import type { FoundOperation, NamedRequest, OperationFinder, RequestForm } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { converters } from './arguments.ts'
import { queryTypes, sourcePrefix, unprefixed } from './names.ts'

/** An operation by its prefixed name, in its latest version, or by its own name. */
function findOperation(request: NamedRequest, operations: OperationFinder): FoundOperation | undefined {
  const { type, version } = request
  const name = unprefixed(type)
  if (name !== null) {
    // Later engines have one version of these.
    const latest = queryTypes.has(name) ? (version ?? 1) : 2
    const operation = operations.find(type, 1) ?? operations.find(name, latest) ?? operations.find(name, 1)
    return operation && { operation, ...(converters[name] && { convert: converters[name] }) }
  }
  // Some tools leave out the prefix of operations that v1.3 does not have.
  const operation = operations.find(type, version ?? versionOf(request)) ?? operations.find(sourcePrefix + type, 1)
  return operation && { operation }
}

/** The same; a client expects a bulk to run each member by itself, whatever the others need. */
function findMixing(request: NamedRequest, operations: OperationFinder): FoundOperation | undefined {
  const found = findOperation(request, operations)
  return found?.operation.type === 'bulk' ? { ...found, operation: { ...found.operation, mixesAccess: true } } : found
}

/** The version of a request that names none, by its arguments. */
function versionOf({ type, args }: NamedRequest): 1 | 2 {
  // Version 1 also takes the result of `export_metadata`.
  const isSecond = isJsonObject(args) && isJsonObject(args.metadata) && args.resource_version === undefined
  return type === 'replace_metadata' && isSecond ? 2 : 1
}

function unknownCommand(type: string) {
  if (type.startsWith(sourcePrefix)) {
    const message = `unknown metadata command "${type.slice(sourcePrefix.length)}" for backend postgres`
    return badRequest('parse-failed', message)
  }
  const backend = type.split('_', 1)[0]
  const message = `unknown metadata command "${type}"; "${backend}" was not recognized as a valid backend name`
  return badRequest('parse-failed', message)
}

/** `POST /v1/metadata`: all operations. */
export const metadataForm: RequestForm = {
  interface: '2',
  pathsNameArguments: true,
  find: findMixing,
  unknownType: unknownCommand,
}

const batches: ReadonlySet<string> = new Set(['bulk', 'concurrent_bulk'])

/** `POST /v2/query`: data operations and SQL. */
export const queryForm: RequestForm = {
  interface: '2',
  pathsNameArguments: true,
  find(request, operations) {
    const { type } = request
    const isServed = queryTypes.has(unprefixed(type) ?? type) || batches.has(type)
    return isServed ? findMixing(request, operations) : undefined
  },
  unknownType: (type) => badRequest('parse-failed', `Unrecognised RQLQuery type: ${type}`),
}

/** `POST /v1/query` in interface 2, where members of a bulk may not differ in their access. */
export const v1QueryForm: RequestForm = { interface: '2', find: findOperation }
