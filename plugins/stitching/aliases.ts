// Response names of clients that are names of keys. The library adds the fields of keys to selections under their own names, so
// such a response name has another one in the library's request, and is restored in the result.

import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'
import {
  type LocalExecutor,
  type RenamedMember,
  type RenamedMembers,
  restoredPath,
  restoredValue,
} from '../remote-schemas/index.ts'

/** A document without response names that are names of keys. */
interface Renamed {
  readonly document: DocumentNode
  /** The beginning of the new names. */
  readonly prefix: string
}

/** An executor that restores the client's response names. */
export function restoringAliases(execute: LocalExecutor, keys: ReadonlySet<string>): LocalExecutor {
  const taken = new Set([...keys, '__typename'])
  const known = new WeakMap<DocumentNode, Renamed | null>()
  return (operation) => {
    let renamed = known.get(operation.document)
    if (renamed === undefined) {
      renamed = withoutKeys(operation.document, taken)
      known.set(operation.document, renamed)
    }
    if (renamed === null) return execute(operation)
    const { document } = renamed
    return restoredResult(execute({ ...operation, document }), rootMembers(renamed))
  }
}

/** The document with other response names; null if it has none of these names. */
function withoutKeys(document: DocumentNode, keys: ReadonlySet<string>): Renamed | null {
  const names = new Set(keys)
  let isConflicting = false
  visit(document, {
    [Kind.FIELD]({ name, alias }: FieldNode) {
      names.add(name.value)
      if (!alias) return
      names.add(alias.value)
      isConflicting ||= keys.has(alias.value)
    },
  })
  if (!isConflicting) return null
  let prefix = 'client_'
  while ([...names].some((name) => name.startsWith(prefix))) prefix += '_'
  const renamed = visit(document, {
    [Kind.FIELD](field: FieldNode): FieldNode | undefined {
      const { alias } = field
      if (!alias || !keys.has(alias.value)) return undefined
      return { ...field, alias: { ...alias, value: `${prefix}${alias.value}` } }
    },
  })
  return { document: renamed, prefix }
}

interface Fragments {
  readonly prefix: string
  readonly byName: ReadonlyMap<string, FragmentDefinitionNode>
}

/** A field of a result. Its members are looked up when a result has a value of it: most paths of a document have none. */
class ResultField implements RenamedMember {
  readonly responseName: string
  readonly selections: SelectionSetNode[] = []
  readonly #fragments: Fragments
  #members: RenamedMembers | undefined

  constructor(name: string, fragments: Fragments) {
    this.responseName = name.startsWith(fragments.prefix) ? name.slice(fragments.prefix.length) : name
    this.#fragments = fragments
  }

  get members(): RenamedMembers {
    this.#members ??= membersOf(this.selections, this.#fragments)
    return this.#members
  }
}

function rootMembers({ document, prefix }: Renamed): RenamedMembers {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const roots: SelectionSetNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    if (definition.kind === Kind.OPERATION_DEFINITION) roots.push(definition.selectionSet)
  }
  return membersOf(roots, { prefix, byName: fragments })
}

/** The fields of selections by their names in the result; those of scalars have no members. */
function membersOf(selections: readonly SelectionSetNode[], fragments: Fragments): RenamedMembers {
  const members = new Map<string, ResultField>()
  const all = new Set(selections)
  for (const set of all) {
    for (const selection of set.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) all.add(selection.selectionSet)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.byName.get(selection.name.value)
        if (fragment) all.add(fragment.selectionSet)
      } else {
        const name = (selection.alias ?? selection.name).value
        const field = members.get(name) ?? new ResultField(name, fragments)
        members.set(name, field)
        if (selection.selectionSet) field.selections.push(selection.selectionSet)
      }
    }
  }
  return members
}

type Result = ReturnType<LocalExecutor>

function restoredResult(result: Result, members: RenamedMembers): Result {
  if (result instanceof Promise) return result.then((settled) => restoredResult(settled, members))
  if (Symbol.asyncIterator in result) return restoredEvents(result, members)
  return restoredAnswer(result, members)
}

function restoredAnswer({ data, errors }: ExecutionResult, members: RenamedMembers): ExecutionResult {
  return {
    ...(data !== undefined && { data: restoredValue(data, members) as ExecutionResult['data'] }),
    ...(errors && { errors: errors.map((error) => restoredError(error, members)) }),
  }
}

async function* restoredEvents(
  events: AsyncIterable<ExecutionResult>,
  members: RenamedMembers,
): AsyncGenerator<ExecutionResult> {
  for await (const event of events) yield restoredAnswer(event, members)
}

const restoredError = ({ message, path, extensions }: GraphQLError, members: RenamedMembers): GraphQLError =>
  new GraphQLError(message, { path: path && restoredPath(path, members), extensions })
