// A value that follows another one once that rests.

import { useEffect, useState } from 'react'

/** The value as it was when it last rested for so many milliseconds. */
export function useDebounced<T>(value: T, millis: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), millis)
    return () => clearTimeout(timer)
  }, [value, millis])
  return rested
}
