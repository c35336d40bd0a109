// Parses `--api-limits`. Errors are worded for the administrator.

import { Value } from '@sinclair/typebox/value'
import { type Dialect, messageOf, OptionRefusal, pathText } from '../../sdk/index.ts'
import { ApiLimits, type RateLimit } from './schema.ts'

/** The default limits: they stop requests that are far more expensive than any handwritten one. */
const standard: ApiLimits = { node_limit: { global: 1000 }, batch_limit: { global: 1000 } }

/** Returns the effective limits; throws an {@link OptionRefusal} if the text is invalid. */
export function readApiLimits(text: string | null, dialect: Dialect): ApiLimits {
  if (text === null) return standard
  try {
    const given = parse(text)
    if (!Value.Check(ApiLimits, given)) throw new Error(firstProblem(given))
    checkRateLimits(given, dialect)
    return { ...standard, ...given }
  } catch (error) {
    const names = `--api-limits (${dialect.environmentPrefix}API_LIMITS)`
    throw new OptionRefusal('apiLimits', names, messageOf(error))
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('Only expecting a JSON object such as {"depth_limit": {"global": 7, "per_role": {"guest": 4}}}')
  }
}

function firstProblem(given: unknown): string {
  const problem = Value.Errors(ApiLimits, given).First()
  if (!problem) return 'not a value of this option'
  const keys = problem.path.split('/').slice(1)
  return `${pathText(keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')))}: ${problem.message}`
}

/** Refuses parameters that cannot distinguish clients. */
function checkRateLimits({ rate_limit: limit }: ApiLimits, dialect: Dialect): void {
  if (!limit) return
  checkParameters(limit.global, dialect, ['global'])
  for (const [role, each] of Object.entries(limit.per_role ?? {})) checkParameters(each, dialect, ['per_role', role])
}

function checkParameters({ unique_params: parameters }: RateLimit, dialect: Dialect, path: readonly string[]): void {
  if (parameters === undefined || parameters === null) return
  const names = Array.isArray(parameters) ? parameters : [parameters]
  const isAddress = (name: string) => name.toLowerCase() === 'ip'
  const isVariable = (name: string) => {
    const lower = name.toLowerCase()
    return lower.startsWith(dialect.sessionPrefix) && lower !== dialect.roleVariable
  }
  const isKnown = Array.isArray(parameters) ? names.every(isVariable) : names.every(isAddress)
  if (isKnown && names.length > 0) return
  const place = pathText(['rate_limit', ...path, 'unique_params'])
  const expected = `expecting "IP", or session variables other than ${dialect.roleVariable}, such as ["${dialect.userIdVariable}"]`
  throw new Error(`${place}: ${expected}`)
}
