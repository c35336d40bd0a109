// The lock of a whole run: a lease in the database, since a run over HTTP has no connection of its own.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { Failure } from '../exits.ts'
import type { Target } from '../target/target.ts'
import { leaseMillis, renewalMillis } from '../tuning.ts'
import { guardedBlock } from './state.ts'

const expiry = `clock_timestamp() + interval '${leaseMillis} milliseconds'`

const createTable = `
  if to_regclass('trellis.project_lock') is null then
    if to_regnamespace('trellis') is null then create schema trellis; end if;
    create table trellis.project_lock (source text primary key, holder text not null, expires timestamptz not null);
  end if;`

/** Takes the lock, and returns the holder and the end of the lease. */
const takeText = (source: string, holder: string): string =>
  `${guardedBlock(createTable)}
  with taken as (
    insert into trellis.project_lock as held (source, holder, expires)
    values (${pg.escapeLiteral(source)}, ${pg.escapeLiteral(holder)}, ${expiry})
    on conflict (source) do update set holder = excluded.holder, expires = excluded.expires
     where held.expires < clock_timestamp()
    returning 1)
  select count(*)::text, coalesce((select expires::timestamptz(0)::text from trellis.project_lock
    where source = ${pg.escapeLiteral(source)}), '') from taken`

const ofHolder = (holder: string): string => `where holder = ${pg.escapeLiteral(holder)}`

/**
 * Runs `work` while no other run changes the same source of the database; ends with exit code 6 if another one does. A killed run
 * leaves its lease, which ends by itself.
 */
export async function withLock<T>(target: Target, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID()
  const [, [taken, until] = []] = await target.sql(takeText(target.source, holder), { file: 'migrations' })
  if (taken !== '1') {
    throw new Failure('conflict', `another run changes this database: it holds the lock until ${until}, or longer`)
  }
  const renew = `update trellis.project_lock set expires = ${expiry} ${ofHolder(holder)}`
  // A renewal that fails is tried again; the lease outlasts two of them.
  const renewal = setInterval(() => void target.sql(renew, { isQuiet: true }).catch(() => {}), renewalMillis)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    await target.sql(`delete from trellis.project_lock ${ofHolder(holder)}`, { isQuiet: true }).catch(() => {})
  }
}
