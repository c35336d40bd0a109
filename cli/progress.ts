// Shows the request that a command waits for on a terminal, once that takes more than a moment.

import type { Io } from './io.ts'
import { pictureMillis, silentMillis } from './tuning.ts'

/** Waits for the answer to a request, which `subject` names. */
export type Watch = <T>(subject: string, answer: Promise<T>) => Promise<T>

const plain: Watch = (_subject, answer) => answer

/** Shows requests on the terminal of standard error, in one line that disappears at the end; elsewhere nothing is shown. */
export function watchOn({ picture }: Pick<Io, 'picture'>): Watch {
  if (picture === undefined) return plain
  return async (subject, answer) => {
    const begun = performance.now()
    let isShown = false
    const timer = setInterval(() => {
      const millis = performance.now() - begun
      if (millis < silentMillis) return
      isShown = true
      picture(`${subject}: ${Math.floor(millis / 1000)} s`)
    }, pictureMillis)
    try {
      return await answer
    } finally {
      clearInterval(timer)
      if (isShown) picture('')
    }
  }
}

/** Shows the progress of many requests. */
export interface Count {
  /** Notes that so many are answered. */
  at(done: number): void
  end(): void
}

/** As {@link watchOn}, for a number of requests. */
export function countOn({ picture }: Pick<Io, 'picture'>, subject: string, total: number): Count {
  const begun = performance.now()
  let last = begun + silentMillis - pictureMillis
  let isShown = false
  return {
    at(done) {
      const now = performance.now()
      if (picture === undefined || now < last + pictureMillis) return
      last = now
      isShown = true
      picture(`${subject}: ${done} of ${total}`)
    },
    end() {
      if (isShown) picture?.('')
    },
  }
}
