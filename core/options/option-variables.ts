// The environment variables of an option.

import type { Option } from './option-values.ts'

/** Those that hold its value, the first of which wins; a prefix is the dialect's. */
export function variablesOf({ declaration: { variable, formerVariable } }: Option, prefix: string): readonly string[] {
  return [variable, formerVariable].flatMap((name) => (name === undefined ? [] : [prefix + name]))
}

/** The one that names a file with its value, which every secret has; null when there is none. */
export function fileVariableOf({ declaration: { variable, secret } }: Option, prefix: string): string | null {
  return variable !== undefined && secret ? `${prefix}${variable}_FILE` : null
}
