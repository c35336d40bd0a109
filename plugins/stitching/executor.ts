// Executes parts of an operation at members, through the transports of their remote schemas.

import { type DocumentNode, type ExecutionResult, GraphQLError, print } from 'graphql'
import { toTrellisError } from '../../sdk/index.ts'
import { jsonText, type LocalCall, type RemoteAnswer, type RemoteTransport } from '../remote-schemas/index.ts'

/** The context of resolvers of a stitched schema. */
export interface StitchedCall extends LocalCall {
  /** The transports of members, by name. */
  readonly transports: ReadonlyMap<string, RemoteTransport>
}

/** The part of an operation that a member executes. */
interface Part {
  readonly document: DocumentNode
  readonly variables?: unknown
  readonly operationName?: string | undefined
  readonly operationType?: string | undefined
  readonly context?: StitchedCall | undefined
}

/** The executor of a member. */
export const memberExecutor =
  (name: string) =>
  async ({ document, variables = {}, operationName, operationType, context }: Part): Promise<unknown> => {
    const transport = context?.transports.get(name)
    if (!context || !transport) throw new GraphQLError(`"${name}" is not reached`)
    const { session, headers, signal } = context
    const request = {
      body: jsonText({ query: print(document), variables, ...(operationName !== undefined && { operationName }) }),
      call: { session, headers, signal },
    }
    try {
      if (operationType === 'subscription') return resultsOf(await transport.begin(request))
      return resultOf((await transport.send(request)).answer())
    } catch (error) {
      throw located(error)
    }
  }

async function* resultsOf(events: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const event of events) yield event
}

const resultOf = ({ data, errors }: RemoteAnswer): ExecutionResult =>
  (errors.length === 0 ? { data } : { data, errors: errors.map(withoutPlace) }) as ExecutionResult

/** Locations refer to a document that the client never saw. */
const withoutPlace = ({ locations: _, ...error }: RemoteAnswer['errors'][number]) => error

/** The error as graphql-js locates it: an error with a path is taken for one that is located already. */
function located(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error
  const { message, code, extensions } = toTrellisError(error)
  return new GraphQLError(message, { extensions: { code, ...extensions } })
}
