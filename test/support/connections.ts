// The engine's database, without an engine.

import type { TestContext } from 'node:test'
import type { DatabaseOptions } from '../../core/database/placing/database-options.ts'
import { PooledDatabase } from '../../core/database/placing/pooled-database.ts'
import { prepare } from '../../core/database/sql/prepared-statement.ts'
import { atEnd } from './cleanup.ts'
import { testDatabase } from './database.ts'

/** Settings of tests' connections, unless a test gives others. */
export const connectionDefaults: Omit<DatabaseOptions, 'url'> = {
  connections: 5,
  idleTimeout: 10,
  lifetime: null,
  connectTimeout: 5,
  poolTimeout: 15,
  callerShare: 75,
  preparedStatements: true,
  isolation: 'read-committed',
  settingNames: ['service.user'],
  onConnectionError: () => {},
}

/** A read in the form of the engine's plans. */
export const read = (text: string) => prepare({ text, params: [] }, { onlyReads: true })

/** Opens a database that closes with the test. */
export async function openDatabase(t: TestContext, options: Partial<DatabaseOptions> = {}) {
  const { url, sql } = await testDatabase(t)
  const database = new PooledDatabase({ url, ...connectionDefaults, ...options })
  atEnd(t, () => database.close())
  await database.open()
  return { database, sql, url }
}
