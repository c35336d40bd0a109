// Warnings of operations on lists of tables: the tables that were passed over.

import { badRequest, nameText, type QualifiedName, type TrellisError, Type } from '../../sdk/index.ts'
import { type OperationContext, wordingOf } from '../../sdk/metadata.ts'

/** A table that was passed over, and the reason. */
export interface Warning {
  readonly type: 'table'
  readonly name: string
  readonly code: string
  readonly message: string
}

/** The operations on lists, as their errors name them. */
type Verb = 'track' | 'untrack'

type Asked = Pick<OperationContext, 'interface' | 'model'>

/** The warnings of one request, in the words of its interface. */
export class Warnings {
  readonly list: Warning[] = []
  readonly #verb: Verb
  readonly #context: Asked

  constructor(verb: Verb, context: Asked) {
    this.#verb = verb
    this.#context = context
  }

  /** Adds the warning about a table. */
  add(table: QualifiedName, { code, message }: Pick<TrellisError, 'code' | 'message'>): void {
    const name = nameText(table)
    const { interface: interfaceName, source } = wordingOf(this.#context.model, this.#context)
    this.list.push(
      interfaceName === '2'
        ? { type: 'table', name: `table ${name} in source ${source}`, code: `${this.#verb}-table-failed`, message }
        : { type: 'table', name, code, message },
    )
  }

  /** Refuses the request if it allows no warnings, or if nothing of its list could be done. */
  refuse({ allow, isInVain }: { readonly allow: boolean; readonly isInVain: boolean }): void {
    if (this.list.length === 0) return
    const help = { internal: this.list }
    if (isInVain && this.#context.interface === '2') {
      throw badRequest('invalid-configuration', `all tables failed to ${this.#verb}`, help)
    }
    if (!allow || isInVain) throw badRequest('metadata-warnings', 'failed due to metadata warnings', help)
  }

  /** The answer; without empty warnings. In interface 2 it does not repeat a list of the request. */
  answer(tables: readonly QualifiedName[], isListed: boolean) {
    const named = this.#context.interface === '2' && isListed ? {} : { tables }
    return { message: 'success', ...named, ...(this.list.length > 0 && { warnings: this.list }) }
  }
}

/** Refuses a table that a request names twice, in interface 2. */
export function refuseRepeated(tables: readonly QualifiedName[], context: Asked): void {
  const { interface: interfaceName, source } = wordingOf(context.model, context)
  if (interfaceName !== '2') return
  const names = tables.map(nameText)
  const seen = new Set<string>()
  const repeated = new Set(names.filter((name) => seen.size === seen.add(name).size))
  if (repeated.size === 0) return
  const list = [...repeated].map((name) => `${source}.${name}`).join(', ')
  const message = `The following tables occur more than once in the request: ${list}`
  throw badRequest('bad-request', message, { path: ['tables'] })
}

const Listed = Type.Array(
  Type.Object({ type: Type.Literal('table'), name: Type.String(), code: Type.String(), message: Type.String() }),
)

/** The answer: the tables that were changed, and warnings about others. */
export const TablesResult = Type.Object({
  message: Type.Literal('success'),
  tables: Type.Optional(Type.Array(Type.Object({ schema: Type.String(), name: Type.String() }))),
  warnings: Type.Optional(Listed),
})
