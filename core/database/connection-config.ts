// A connection URL as the configuration that `pg` takes.

import type pg from 'pg'

/** How to connect by a URL. */
export const connectionConfig = (url: string): pg.ClientConfig => ({
  connectionString: url,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
})
