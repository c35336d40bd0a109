// Response names of clients that are names of keys. The library adds the fields of keys to selections under their own names, so
// such a response name has another one in the library's request, and is restored in the result.

import { type DocumentNode, type ExecutionResult, type FieldNode, Kind, visit } from 'graphql'
import type { LocalExecutor } from '../remote-schemas/graphql.ts'

/** A document without response names that are names of keys. */
interface Renamed {
  readonly document: DocumentNode
  /** The beginning of the new names. */
  readonly prefix: string
}

/** An executor that restores the client's response names. */
export function restoringAliases(execute: LocalExecutor, keys: ReadonlySet<string>): LocalExecutor {
  const known = new WeakMap<DocumentNode, Renamed | null>()
  return (operation) => {
    let renamed = known.get(operation.document)
    if (renamed === undefined) {
      renamed = withoutKeys(operation.document, keys)
      known.set(operation.document, renamed)
    }
    if (renamed === null) return execute(operation)
    const { document, prefix } = renamed
    return restoredResult(execute({ ...operation, document }), prefix)
  }
}

/** The document with other response names; null if it has none of these names. */
function withoutKeys(document: DocumentNode, keys: ReadonlySet<string>): Renamed | null {
  const aliases = new Set<string>()
  visit(document, { [Kind.FIELD]: ({ alias }: FieldNode) => void (alias && aliases.add(alias.value)) })
  if (![...aliases].some((alias) => keys.has(alias))) return null
  let prefix = 'client_'
  while ([...aliases].some((alias) => alias.startsWith(prefix))) prefix += '_'
  const renamed = visit(document, {
    [Kind.FIELD](field: FieldNode): FieldNode | undefined {
      const { alias } = field
      if (!alias || !keys.has(alias.value)) return undefined
      return { ...field, alias: { ...alias, value: `${prefix}${alias.value}` } }
    },
  })
  return { document: renamed, prefix }
}

type Result = ReturnType<LocalExecutor>

function restoredResult(result: Result, prefix: string): Result {
  if (result instanceof Promise) return result.then((settled) => restoredResult(settled, prefix))
  if (Symbol.asyncIterator in result) return restoredEvents(result, prefix)
  const { data, errors } = result as ExecutionResult
  return {
    ...(data !== undefined && { data: restored(data, prefix) as ExecutionResult['data'] }),
    ...(errors && { errors: errors.map((error) => withPath(error.toJSON(), prefix)) as never }),
  }
}

async function* restoredEvents(
  events: AsyncIterable<ExecutionResult>,
  prefix: string,
): AsyncGenerator<ExecutionResult> {
  for await (const event of events) yield restoredResult(event, prefix) as ExecutionResult
}

function restored(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => restored(item, prefix))
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [nameOf(name, prefix), restored(member, prefix)]),
  )
}

const nameOf = <T>(name: T, prefix: string): T | string =>
  typeof name === 'string' && name.startsWith(prefix) ? name.slice(prefix.length) : name

const withPath = <T extends { readonly path?: readonly (string | number)[] }>(error: T, prefix: string): T =>
  error.path ? { ...error, path: error.path.map((key) => nameOf(key, prefix)) } : error
