// Reading measures, which may wait for a database that does not answer.

import type { MeasuredNumber, ReadMeasure } from '../../sdk/services.ts'

type Numbers = readonly MeasuredNumber[]

/** Milliseconds within which a measure has to be read: those who ask wait ten seconds by default, for all of them. */
const patience = 4_000

/**
 * Reads a measure in time, or throws; null while a reading is under way that took too long before. There is one at a time,
 * so that whoever goes on asking does not take one connection to the database after the other.
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
    throw new Error(`it takes more than ${patience / 1000} seconds`)
  }
}

/** What comes of it in time; null: nothing. */
async function within(reading: Promise<Numbers>): Promise<Numbers | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((done) => {
    timer = setTimeout(done, patience, null).unref()
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
