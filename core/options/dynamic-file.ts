// The address of a database in a file, so that a password can change while the server runs.

/** The path in `{"dynamic_from_file": "/path"}` or `dynamic-from-file:///path`; null: the text has neither form. */
export function dynamicFileOf(text: string): string | null {
  const [, path] = /^\s*dynamic-from-file:\/\/(.*?)\s*$/.exec(text) ?? []
  if (path !== undefined) return path
  if (!text.trimStart().startsWith('{')) return null
  try {
    const { dynamic_from_file: file, ...others } = JSON.parse(text) as Record<string, unknown>
    return typeof file === 'string' && Object.keys(others).length === 0 ? file : null
  } catch {
    return null
  }
}
