// Requests that ask for unknown keys to be refused where the dialect ignores them.

import { badRequest } from '../../errors/errors.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { RouteCall } from './declared-route.ts'

const strictName = ({ sessionPrefix }: Pick<Dialect, 'sessionPrefix'>): string => `${sessionPrefix}strict`

/** The header by which a request asks that unknown keys are refused, for descriptions of the API. */
export const strictHeader = (dialect: Pick<Dialect, 'sessionPrefix'>): Readonly<Record<string, string>> => ({
  [strictName(dialect)]: '`true`: unknown keys are refused, in arguments and beside them.',
})

/** Whether a request asks that unknown keys are refused. */
export function isStrict({ request }: Pick<RouteCall, 'request'>, dialect: Pick<Dialect, 'sessionPrefix'>): boolean {
  const name = strictName(dialect)
  const given = request.headers[name]
  if (given === undefined || given === 'false') return false
  if (given === 'true') return true
  throw badRequest('parse-failed', `the header "${name}" is "true" or "false"`)
}
