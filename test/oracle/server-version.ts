// The PostgreSQL version that worlds are made for: older versions lack features and have other messages.

import type { TestTrellis } from '../support/trellis.ts'

let version = Number.POSITIVE_INFINITY

/** Reads the version of the PostgreSQL server, before worlds are drawn for it. */
export async function readServerVersion(sql: TestTrellis['sql']): Promise<void> {
  const [row] = await sql<{ number: number }>(`select current_setting('server_version_num')::int as number`)
  version = Math.floor(row!.number / 10_000)
}

/** Its major version. */
export const serverVersion = (): number => version
