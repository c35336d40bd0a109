// Records the plugin whose code threw, for the log. The error itself stays as it was thrown.

const owners = new WeakMap<object, string>()
const culprits = new WeakMap<object, string>()

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

/** Records that a declaration (a route, an operation, a planner) belongs to a plugin; `whose` names it in the log. */
export function own(declaration: unknown, whose: string): void {
  if (isObject(declaration) && !owners.has(declaration)) owners.set(declaration, whose)
}

/** The owner of a declaration, if it was recorded. */
export const ownerOf = (declaration: object): string | undefined => owners.get(declaration)

/** Records that code of a declaration threw an error, and returns the error. The innermost declaration counts. */
export function blame(error: unknown, declaration: object): unknown {
  const whose = owners.get(declaration)
  if (whose !== undefined && isObject(error) && !culprits.has(error)) culprits.set(error, whose)
  return error
}

/** Runs synchronous code of a declaration; its errors are blamed on it. */
export function blaming<T>(declaration: object, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw blame(error, declaration)
  }
}

/** The plugin whose code threw an error; null if it is unknown. Of several causes, the innermost counts. */
export function culpritOf(error: unknown): string | null {
  let found: string | null = null
  const seen = new Set<unknown>()
  for (let each = error; isObject(each) && !seen.has(each); each = (each as { cause?: unknown }).cause) {
    seen.add(each)
    found = culprits.get(each) ?? found
  }
  return found
}
