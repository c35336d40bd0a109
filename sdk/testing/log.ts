// The log of an engine in a test: its entries are kept, and errors are printed.

import type { AllSettings } from '../../core/engine/options.ts'
import { prettyLines, unpainted } from '../../core/log/log-pretty.ts'
import { type LogEntry, type LogReceiver, type Observer, observerOf } from '../../core/log/observe.ts'

/** Entries that are kept. The oldest give way, so that a long test does not fill the memory. */
const mostKept = 10_000

export interface TestLog {
  /** The entries so far, oldest first. */
  readonly entries: readonly LogEntry[]
  readonly observe: Observer
}

/** Keeps the entries that the settings enable, and passes all to `given`; without it, errors are printed to stderr. */
export function testLog(given: LogReceiver | undefined, settings: AllSettings): TestLog {
  const entries: LogEntry[] = []
  const outer = observerOf(given ?? printError, settings)
  const kept = observerOf((entry) => {
    if (entries.push(entry) > mostKept) entries.shift()
  }, settings)
  const observe: Observer = {
    isEnabled: (type, level) => kept.isEnabled(type, level) || outer.isEnabled(type, level),
    log(entry) {
      kept.log(entry)
      outer.log(entry)
    },
    flush: () => outer.flush(),
  }
  return { entries, observe }
}

/** Prints errors, with the stacks that they have. */
function printError(entry: LogEntry): void {
  const { type, level, detail } = entry
  if (level !== 'error' && level !== 'critical') return
  const words =
    type === 'unstructured' ? `${detail}\n` : prettyLines(Date.now(), entry, { paint: unpainted, worker: null })
  process.stderr.write(`trellis: ${words}`)
}
