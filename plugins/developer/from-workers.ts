// Values that each worker of an instance has, read from all of them.

import type { Engine } from '../../sdk/index.ts'
import { workerTimeout } from './tuning.ts'

/**
 * Answers the questions of other workers with the value of this one. The returned function reads the values of all workers, this
 * one's first, without those that are late.
 */
export function fromWorkers<T>(
  workers: Engine['workers'],
  topic: string,
  own: () => T,
): () => Promise<readonly [T, ...T[]]> {
  workers.answer(topic, own)
  return async () => {
    const { answers } = await workers.ask(topic, null, workerTimeout)
    return [own(), ...(answers as T[])]
  }
}
