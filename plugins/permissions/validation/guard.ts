// Changes of roles whose permissions have `validate_input` are made only after their servers have agreed.

import type { Contribution } from '../../../sdk/graphql.ts'
import { type AskingContext, ask } from './ask.ts'
import { questionsOf } from './inputs.ts'

/** Contribution: the questions before a change. */
export const validationContribution = (context: AskingContext): Contribution => ({
  name: 'validation of input',
  guard(scope, change) {
    const questions = questionsOf(scope, change)
    if (questions.length === 0) return null
    return async (request) => {
      for (const question of questions) await ask(question, request, context)
    }
  },
})
