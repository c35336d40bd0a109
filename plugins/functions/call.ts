// How a function of the database is called for a field: who gives which argument.

import { isGraphQLName, type QualifiedName } from '../../sdk/index.ts'
import type { CatalogFunction, FunctionArgument } from '../../sdk/metadata.ts'

/** An argument, and who gives its value: the request (under the name `field`), the session, or the row at hand. */
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

type RequestArgument = Extract<CallArgument, { source: 'request' }>

/** The arguments that requests give. */
export const requestArguments = (call: FunctionCall): RequestArgument[] =>
  call.arguments.filter((argument) => argument.source === 'request')
