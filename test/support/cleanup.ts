import type { TestContext } from 'node:test'

type Cleanup = () => unknown

const pending = new WeakMap<TestContext, Cleanup[]>()

/** Runs a function when the test ends, in reverse order: later parts may need earlier ones. */
export function atEnd(t: TestContext, cleanup: Cleanup): void {
  const known = pending.get(t)
  if (known) {
    known.push(cleanup)
    return
  }
  const cleanups = [cleanup]
  pending.set(t, cleanups)
  t.after(async () => {
    const failures: unknown[] = []
    for (const run of cleanups.reverse()) {
      try {
        await run()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  })
}
