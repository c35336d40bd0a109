// Reads measures with a timeout, because the database may not answer.

import type { MeasuredNumber, ReadMeasure } from '../../sdk/services.ts'
import { readTimeout } from './tuning.ts'

type Numbers = readonly MeasuredNumber[]

/**
 * Returns a function that reads a measure; it throws after the timeout. While a late reading is still running it
 * returns null. Only one reading runs at a time, so that repeated scrapes do not take more and more database
 * connections.
 */
export function timelyRead(measure: ReadMeasure): () => Promise<Numbers | null> {
  let current: Promise<Numbers> | null = null
  let isLate = false
  const begin = () =>
    Promise.resolve()
      .then(() => measure.read())
      .finally(() => {
        current = null
        isLate = false
      })
  return async () => {
    if (isLate) return null
    current ??= begin()
    const numbers = await within(current)
    if (numbers !== null || isLate) return numbers
    isLate = true
    throw new Error(`it takes more than ${readTimeout / 1000} seconds`)
  }
}

/** The result, or null after the timeout. */
async function within(reading: Promise<Numbers>): Promise<Numbers | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((done) => {
    timer = setTimeout(done, readTimeout, null).unref()
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
