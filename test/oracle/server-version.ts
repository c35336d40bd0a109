// The PostgreSQL that worlds are made for: an older one can do less, and says some things otherwise.

import type { TestTrellis } from '../support/trellis.ts'

let version = Number.POSITIVE_INFINITY

/** Finds out which PostgreSQL a server is over, before worlds are drawn for it. */
export async function readServerVersion(sql: TestTrellis['sql']): Promise<void> {
  const [row] = await sql<{ number: number }>(`select current_setting('server_version_num')::int as number`)
  version = Math.floor(row!.number / 10_000)
}

/** Its major version. */
export const serverVersion = (): number => version
