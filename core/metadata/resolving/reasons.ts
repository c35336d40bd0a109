// Reasons in messages.

/** `<what> because <reason>`, or several reasons on a line each. */
export function withReasons(what: string, reasons: readonly string[]): string {
  if (reasons.length === 1) return `${what} because ${reasons[0]}`
  const lines = reasons.map((reason) => `  • ${reason}\n`).join('')
  return `${what} for the following reasons:\n${lines}`
}
