// Limits of Node's timers.

/** The longest delay of a timer in milliseconds; Node fires timers with a longer one immediately. */
export const longestTimer = 2 ** 31 - 1

const never = (): void => {}

/**
 * Calls back at a time in milliseconds since 1970, however far away it is, and at once if it is past. `undefined` is never.
 * The wait does not keep the process alive. Returns a function that ends it.
 */
export function atTime(time: number | undefined, act: () => void): () => void {
  if (time === undefined) return never
  let timer: NodeJS.Timeout
  const wait = () => {
    const left = time - Date.now()
    timer = left > longestTimer ? setTimeout(wait, longestTimer) : setTimeout(act, Math.max(0, left))
    timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
