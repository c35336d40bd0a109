// A gate at which statements of a test wait until it is opened. Unlike sleeping statements, they give other steps any
// time.

import type { TestContext } from 'node:test'
import { connectTo } from './database.ts'
import { eventually } from './waiting.ts'

const lock = 17

/** `wait_at_gate()` in SQL, declared as a read. */
export const gateSql = `create function wait_at_gate() returns void language plpgsql stable as $$
  begin perform pg_advisory_lock_shared(${lock}); perform pg_advisory_unlock_shared(${lock}); end $$;`

export interface Gate {
  /**
   * Waits until at least this many statements wait at it. A read that waited on a lane runs a second time on the pool.
   */
  waiting(count: number): Promise<unknown>
  /** Waits until at most this many statements wait at it. */
  left(count: number): Promise<unknown>
  /** The number of statements that wait at it. */
  count(): Promise<number>
  open(): Promise<unknown>
}

/** Closes the gate of a database. */
export async function closeGate(t: TestContext, { url }: { readonly url: string }): Promise<Gate> {
  const keeper = await connectTo(t, url)
  await keeper.query(`select pg_advisory_lock(${lock})`)
  const count = async () => {
    const { rows } = await keeper.query(`select from pg_locks join pg_database d on d.oid = database
      where datname = current_database() and locktype = 'advisory' and objid = ${lock} and not granted`)
    return rows.length
  }
  return {
    count,
    waiting: (fewest) => eventually(async () => (await count()) >= fewest),
    left: (most) => eventually(async () => (await count()) <= most),
    open: () => keeper.query(`select pg_advisory_unlock(${lock})`),
  }
}
