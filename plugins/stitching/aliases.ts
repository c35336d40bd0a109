// Response names of clients that are names of keys. The library adds the fields of keys to selections under their own
// names. So such a response name has another one in the library's request, and is restored in the result.

import { randomUUID } from 'node:crypto'
import { type DocumentNode, type ExecutionResult, type FieldNode, GraphQLError, Kind, visit } from 'graphql'
import { isJsonObject } from '../../sdk/services.ts'
import type { LocalExecutor } from '../remote-schemas/graphql.ts'

/** The beginning of the new names. It is random, so the values of a scalar have no member with such a name. */
const prefix = `client_${randomUUID().replaceAll('-', '')}_`

/** An executor that restores the client's response names. */
export function restoringAliases(execute: LocalExecutor, keys: ReadonlySet<string>): LocalExecutor {
  const taken = new Set([...keys, '__typename'])
  const known = new WeakMap<DocumentNode, DocumentNode>()
  return (operation) => {
    const { document } = operation
    const renamed = known.get(document) ?? withoutKeys(document, taken)
    known.set(document, renamed)
    if (renamed === document) return execute(operation)
    return restoredResult(execute({ ...operation, document: renamed }))
  }
}

/** The document with other response names; the same one if it has none of these names. */
const withoutKeys = (document: DocumentNode, keys: ReadonlySet<string>): DocumentNode =>
  visit(document, {
    [Kind.FIELD](field: FieldNode): FieldNode | undefined {
      const { alias } = field
      if (!alias || !keys.has(alias.value)) return undefined
      return { ...field, alias: { ...alias, value: `${prefix}${alias.value}` } }
    },
  })

type Result = ReturnType<LocalExecutor>

function restoredResult(result: Result): Result {
  if (result instanceof Promise) return result.then(restoredResult)
  return Symbol.asyncIterator in result ? restoredEvents(result) : restoredAnswer(result)
}

function restoredAnswer({ data, errors }: ExecutionResult): ExecutionResult {
  return {
    ...(data !== undefined && { data: restoredValue(data) as ExecutionResult['data'] }),
    ...(errors && { errors: errors.map(restoredError) }),
  }
}

async function* restoredEvents(events: AsyncIterable<ExecutionResult>): AsyncGenerator<ExecutionResult> {
  for await (const event of events) yield restoredAnswer(event)
}

function restoredValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restoredValue)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [nameOf(name), restoredValue(member)]))
}

const nameOf = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name)

const restoredError = ({ message, path, extensions }: GraphQLError): GraphQLError =>
  new GraphQLError(message, {
    path: path?.map((key) => (typeof key === 'string' ? nameOf(key) : key)),
    extensions,
  })
