import { useState } from 'react'

interface Attempts {
  readonly isBusy: boolean
  /** Null: nothing failed. */
  readonly error: unknown
  setError(error: unknown): void
  /** Does the work, without the error of the work before; answers its result, or undefined when it failed. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>
}

/** Work that a person asks for: whether it goes on, and its error. */
export function useAttempt(): Attempts {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const attempt = async <T>(work: () => Promise<T>) => {
    setBusy(true)
    setError(null)
    try {
      return await work()
    } catch (failure) {
      setError(failure)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, setError, attempt }
}
