// An engine in this process over a separate database, on a free port: tests use it over HTTP.

import type { TestContext } from 'node:test'
import { createEngine, type RunningEngine } from '../../core/engine/engine.ts'
import { defaultSettings, type GivenSettings } from '../../core/engine/options.ts'
import type { Plugin } from '../../core/engine/plugin.ts'
import { type Observer, silentObserver } from '../../core/log/observe.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { atEnd } from './cleanup.ts'
import { clientOf, type TestClient } from './client.ts'
import { type TestDatabase, testDatabase } from './database.ts'

export interface TrellisOptions {
  /** Run before the engine starts. */
  readonly sql?: string
  readonly settings?: GivenSettings
  /** Plugins beside the built-in ones. */
  readonly plugins?: readonly Plugin[]
  /** Names of built-in plugins to leave out. */
  readonly without?: readonly string[]
  readonly observe?: Observer
  /** A database to use instead of a new one: for engines that share it, or are started again. */
  readonly database?: TestDatabase
}

export interface TestTrellis extends TestClient {
  readonly url: string
  readonly engine: RunningEngine
  readonly database: TestDatabase
  readonly sql: TestDatabase['sql']
}

/** Starts an engine that ends with the test. */
export async function startTrellis(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const database = options.database ?? (await testDatabase(t))
  if (options.sql !== undefined) await database.sql(options.sql)
  const settings = defaultSettings({
    serverHost: '127.0.0.1',
    serverPort: 0,
    connections: 10,
    gracefulShutdownTimeout: 1,
    ...options.settings,
    databaseUrl: database.url,
  })
  const { without = [], plugins: more = [] } = options
  const plugins = [...builtInPlugins.filter(({ name }) => !without.includes(name)), ...more]
  const engine = await createEngine({ settings, plugins, observe: options.observe ?? silentObserver })
  atEnd(t, () => engine.close())
  const url = `http://127.0.0.1:${await engine.listen()}`
  return { url, engine, database, sql: database.sql, ...clientOf(url, { dialect: settings.dialect }) }
}
