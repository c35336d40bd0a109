import { ranTexts } from '../../base/ran-texts.ts'

/** The GraphQL operations that were sent from this browser, with their variables. */
export const history = ranTexts('graphql-history')
