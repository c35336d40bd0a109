// Values of Node's `http`. An `import` of them makes Node load all that `fetch` and WebSocket clients need, since the module
// has these names, too: 4 MB of memory and a fortieth of the start.

const { createServer, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http')

export { createServer, ServerResponse }

/** The words after a status in the first line of an answer. */
export const reasonPhrase = (status: number): string => STATUS_CODES[status] ?? ''

/** Whether Node sends a header of this name and value. */
export function isSendableHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
