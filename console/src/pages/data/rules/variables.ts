// Session variables in rules.

const variable = /^x-(?:service|hasura)-(.+)$/i

/** All session variables in a rule, without the prefix, in small letters. */
export function variablesIn(rule: unknown): readonly string[] {
  if (typeof rule === 'object' && rule !== null) return [...new Set(Object.values(rule).flatMap(variablesIn))]
  const name = typeof rule === 'string' ? variable.exec(rule)?.[1] : undefined
  return name === undefined ? [] : [name.toLowerCase()]
}
