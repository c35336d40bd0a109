// The shares that callers have of the pool.

import { Shares } from '../../concurrency/shares.ts'
import { shareError } from '../wire/postgres-errors.ts'
import type { DatabaseOptions } from './database-options.ts'

/** Shares of the pool; `taken`: the connections that are at work, those of the server itself among them. */
export const poolShares = ({ connections, callerShare, poolTimeout }: DatabaseOptions, taken: () => number): Shares =>
  new Shares({
    ...{ places: connections, percent: callerShare, taken },
    timeout: { millis: poolTimeout * 1000, error: () => shareError(poolTimeout) },
  })
