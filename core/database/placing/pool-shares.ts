// The callers' shares of the pool.

import { Shares } from '../../concurrency/shares.ts'
import { shareError } from '../wire/postgres-errors.ts'
import type { DatabaseOptions } from './database-options.ts'

/** The shares; `taken` counts connections in use, including those of the server itself. */
export const poolShares = ({ connections, callerShare, poolTimeout }: DatabaseOptions, taken: () => number): Shares =>
  new Shares({
    ...{ places: connections, percent: callerShare, taken },
    timeout: { millis: poolTimeout * 1000, error: () => shareError(poolTimeout) },
  })
