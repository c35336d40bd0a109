import { draftsOf } from '../../base/drafts.ts'

/** The GraphQL operations that are kept in this browser. */
export const drafts = draftsOf('graphql')
