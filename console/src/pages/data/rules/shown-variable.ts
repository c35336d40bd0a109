// Session variables with the prefix of the server's dialect.

import { facts } from '../../../base/facts.ts'

/** A variable as people write it: `X-Service-User-Id`. */
export const shownVariable = (name: string): string =>
  `${facts.variablePrefix}${name}`.replaceAll(
    /(^|-)([a-z])/g,
    (_, dash: string, letter: string) => dash + letter.toUpperCase(),
  )
