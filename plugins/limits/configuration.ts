// Parses `--api-limits`. Errors are worded for the administrator.

import { Value } from '@sinclair/typebox/value'
import { type Dialect, messageOf, OptionRefusal, pathText } from '../../sdk/index.ts'
import { ApiLimits, rateProblem } from './schema.ts'

/** The default limits: they stop requests that are far more expensive than any handwritten one. */
const standard: ApiLimits = { node_limit: { global: 1000 }, batch_limit: { global: 1000 } }

/** Returns the effective limits; throws an {@link OptionRefusal} if the text is invalid. */
export function readApiLimits(text: string | null, dialect: Dialect): ApiLimits {
  if (text === null) return standard
  try {
    const given = parse(text)
    if (!Value.Check(ApiLimits, given)) throw new Error(firstProblem(given))
    const problem = rateProblem(given, dialect)
    if (problem) throw new Error(`${pathText(problem.path)}: ${problem.message}`)
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
