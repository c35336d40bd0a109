// Errors of members that have no path, beside the results.

import type { ExecutionResult, GraphQLError } from 'graphql'
import type { LocalExecutor } from '../remote-schemas/graphql.ts'
import type { StitchedCall } from './executor.ts'

/** An executor that adds the errors without a path to its results. */
export const withUnplacedErrors =
  (execute: LocalExecutor): LocalExecutor =>
  async (operation) => {
    const { unplaced } = operation.context as StitchedCall
    const result = await execute(operation)
    return Symbol.asyncIterator in result ? eventsWithErrors(result, unplaced) : answerWithErrors(result, unplaced)
  }

function answerWithErrors(answer: ExecutionResult, unplaced: GraphQLError[]): ExecutionResult {
  const errors = unplaced.splice(0)
  return errors.length === 0 ? answer : { ...answer, errors: [...(answer.errors ?? []), ...errors] }
}

async function* eventsWithErrors(events: AsyncIterable<ExecutionResult>, unplaced: GraphQLError[]) {
  for await (const event of events) yield answerWithErrors(event, unplaced)
}
