// Results that functions of plugins must return. A missing result must never mean that nothing is restricted.

/** The result of a plugin's function; throws unless it is of the required form. The caller names the plugin. */
export function requireReturn<T>(name: string, form: string, result: T, isOne: boolean): T {
  if (isOne) return result
  throw new Error(`"${name}" must return ${form}, but returned ${result === null ? 'null' : typeof result}`)
}
