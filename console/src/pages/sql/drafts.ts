import { draftsOf } from '../../base/drafts.ts'

/** The statements that are kept in this browser. */
export const drafts = draftsOf('sql')
