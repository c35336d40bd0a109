import { useRef, useState } from 'react'

interface Begun<T> {
  readonly controller: AbortController
  /** Shows an outcome, unless the draft began anew meanwhile. */
  show(outcome: T): void
}

/** The last outcome of each draft. */
export function useOutcomes<T>() {
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, T>>>({})
  const running = useRef<Record<string, AbortController>>({})
  return {
    outcomes,
    /** Begins a request of a draft, and aborts the one before. */
    begin(draft: string): Begun<T> {
      running.current[draft]?.abort()
      const controller = new AbortController()
      running.current[draft] = controller
      return {
        controller,
        show(outcome) {
          if (running.current[draft] === controller) setOutcomes((all) => ({ ...all, [draft]: outcome }))
        },
      }
    },
  } as const
}
