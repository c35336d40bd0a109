// The environment variables of an option.

import type { Option } from './option-values.ts'

/** The variables of its value, in order of precedence; `prefix` is the dialect's. */
export function variablesOf({ declaration: { variable, formerVariable } }: Option, prefix: string): readonly string[] {
  return [variable, formerVariable].flatMap((name) => (name === undefined ? [] : [prefix + name]))
}

/** The variable for a file with the value, which every secret option has; null for other options. */
export function fileVariableOf({ declaration: { variable, secret } }: Option, prefix: string): string | null {
  return variable !== undefined && secret ? `${prefix}${variable}_FILE` : null
}
