import { ranTexts } from '../../base/ran-texts.ts'

/** The texts of SQL that ran in this browser. */
export const history = ranTexts('sql-history')
