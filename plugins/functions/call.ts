// How a function of the database is called for a field: who gives which argument.

import { isGraphQLName, type QualifiedName } from '../../sdk/index.ts'
import type { CatalogFunction, FunctionArgument } from '../../sdk/metadata.ts'
import { type Condition, id, join, param, type SqlBuilder, sql } from '../../sdk/sql.ts'

/** An argument, and the source of its value: the request (under the name `field`), the session, or the current row. */
export type CallArgument = FunctionArgument &
  ({ readonly source: 'request'; readonly field: string } | { readonly source: 'session' } | { readonly source: 'row' })

/** A function as a field calls it. */
export interface FunctionCall {
  readonly function: QualifiedName
  /** Whether it may have effects. */
  readonly isVolatile: boolean
  readonly arguments: readonly CallArgument[]
}

/** The call in which `row` and `session` are given by the engine, and the other arguments by the request. */
export function functionCall(
  { schema, name, volatile, arguments: all }: CatalogFunction,
  own: { readonly row?: FunctionArgument | undefined; readonly session?: FunctionArgument | undefined },
): FunctionCall {
  let unnamed = 0
  const sourceOf = (argument: FunctionArgument) => {
    if (argument === own.row) return { source: 'row' } as const
    if (argument === own.session) return { source: 'session' } as const
    const isExposed = argument.name !== null && isGraphQLName(argument.name)
    return { source: 'request', field: isExposed ? argument.name! : `arg_${++unnamed}` } as const
  }
  return {
    function: { schema, name },
    isVolatile: volatile,
    arguments: all.map((argument) => ({ ...argument, ...sourceOf(argument) })),
  }
}

/** The call without arguments of the request; null if it cannot do without them. */
export function fixedCall(call: FunctionCall): SqlBuilder | null {
  const passed: SqlBuilder[] = []
  let isByName = false
  for (const argument of call.arguments) {
    const { name, source, type, hasDefault } = argument
    if (source === 'request') {
      if (!hasDefault) return null
      isByName = true
      continue
    }
    const value: SqlBuilder =
      source === 'row' ? (row) => sql`${row}.*` : () => param({ from: 'session-object' }, type.sql)
    if (isByName && name === null) return null
    passed.push(isByName ? (row, printer) => sql`${id(name!)} => ${value(row, printer)}` : value)
  }
  const name = id(call.function.schema, call.function.name)
  return (row, printer) => sql`${name}(${join(passed.map((build) => build(row, printer)))})`
}

/** A function that returns a single row gives one of NULLs when it finds none. */
export const isRow: Condition = { kind: 'sql', build: (row) => sql`not (${row}.* is null)` }

type RequestArgument = Extract<CallArgument, { source: 'request' }>

/** The arguments that requests give. */
export const requestArguments = (call: FunctionCall): RequestArgument[] =>
  call.arguments.filter((argument) => argument.source === 'request')
