// A metadata service in this process over a database, with plugins but without HTTP and GraphQL.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Vocabulary } from '../../core/compiler/types/vocabulary.ts'
import { PooledDatabase } from '../../core/database/placing/pooled-database.ts'
import { defaultSettings } from '../../core/engine/options.ts'
import type { Engine, Plugin } from '../../core/engine/plugin.ts'
import { WorkHooks } from '../../core/engine/work-hooks.ts'
import { type TrellisError, toTrellisError } from '../../core/errors/errors.ts'
import { pathText } from '../../core/errors/path.ts'
import { type LogEntry, silentObserver } from '../../core/log/observe.ts'
import { MetadataRegistry } from '../../core/metadata/slices/registry.ts'
import type { Slice } from '../../core/metadata/slices/slices.ts'
import { dialects } from '../../core/names/dialect.ts'
import { createMetadataService, type RunningMetadataService } from '../../core/operations/metadata-service.ts'
import { OperationRegistry } from '../../core/operations/registry.ts'
import { SessionSettings } from '../../core/session/session-settings.ts'
import metadataPlugin from '../../plugins/metadata/index.ts'
import permissions from '../../plugins/permissions/index.ts'
import relationships from '../../plugins/relationships/index.ts'
import sqlPlugin from '../../plugins/sql/index.ts'
import tables from '../../plugins/tables/index.ts'
import { atEnd } from '../support/cleanup.ts'
import { connectionDefaults } from '../support/connections.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

export interface ServiceOptions {
  readonly database?: TestDatabase
  /** Run before the service starts. */
  readonly sql?: string
  readonly plugins?: readonly Plugin[]
  readonly dialect?: keyof typeof dialects
  readonly isolation?: 'read-committed' | 'repeatable-read' | 'serializable'
  readonly environment?: Readonly<Record<string, string>>
}

export interface Refusal {
  readonly status: number
  readonly code: string
  readonly path: string
  readonly error: string
}

export interface TestService {
  readonly service: RunningMetadataService
  readonly database: TestDatabase
  readonly sql: TestDatabase['sql']
  readonly connections: PooledDatabase
  readonly log: readonly LogEntry[]
  /** Runs an operation as admin, or as another role. */
  op(type: string, args: unknown, options?: { readonly version?: number; readonly role?: string }): Promise<unknown>
  /** Runs an envelope that is refused. */
  refusal(envelope: unknown, role?: string): Promise<Refusal & { readonly internal: unknown }>
  /** Runs an operation that is refused, and compares the whole answer except `internal`. */
  refused(type: string, args: unknown, expected: Refusal, version?: number): Promise<void>
}

const standardPlugins = [metadataPlugin, tables, relationships, permissions, sqlPlugin]

/** Starts a service that stops with the test. */
export async function startService(t: TestContext, options: ServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await testDatabase(t))
  if (options.sql !== undefined) await database.sql(options.sql)
  const connections = new PooledDatabase({
    ...connectionDefaults,
    url: database.url,
    preparedStatements: false,
    isolation: options.isolation ?? 'read-committed',
  })
  atEnd(t, () => connections.close())
  await connections.open()
  const dialect = dialects[options.dialect ?? 'trellis']
  const log: LogEntry[] = []
  const observe = { ...silentObserver, log: (entry: LogEntry) => log.push(entry) }
  const registry = new MetadataRegistry()
  const operations = new OperationRegistry(() => true)
  const { environment: variables = {} } = options
  const sessionSettings = new SessionSettings(dialect)
  const service = createMetadataService({
    ...{ database: connections, dialect, observe, registry, operations, variables, sessionSettings },
    settings: defaultSettings(),
    hooks: new WorkHooks(),
    vocabulary: new Vocabulary(),
    validateDocument: () => assert.fail('there is no GraphQL here'),
    conflictingType: () => null,
  })
  for (const plugin of [...standardPlugins, ...(options.plugins ?? [])]) {
    await plugin.register(engineFor(plugin, { registry, operations, service, dialect, sessionSettings }))
  }
  await service.start()
  atEnd(t, () => service.stop())
  return { service, database, sql: database.sql, connections, log, ...callsOf(service) }
}

interface Parts {
  readonly registry: MetadataRegistry
  readonly operations: OperationRegistry
  readonly service: RunningMetadataService
  readonly dialect: Engine['dialect']
  readonly sessionSettings: SessionSettings
}

/** The part of the plugin API that concerns the metadata. */
function engineFor({ name }: Plugin, { registry, operations, service, dialect, sessionSettings }: Parts): Engine {
  const engine: Partial<Engine> = {
    dialect,
    sessionSettings,
    // None is set.
    options: {},
    operations: {
      add: (...added) => operations.add({ plugin: name, api: 'metadata' }, ...added),
      form: (form) => {
        operations.form = form
      },
      all: () => operations.all(),
    },
    metadata: {
      slice: (key, slice) => registry.addSlice({ ...slice, key } as Slice, name),
      facet: (facet) => registry.addFacet(facet, name),
      source: (source) => registry.addSource(source, name),
      check: (check) => registry.addCheck(check),
      typeNames: (generated) => registry.addGeneratedTypes(generated),
      effect: (effect) => registry.addEffect(effect),
      record: (recorder) => registry.addRecorder(recorder),
      service,
    },
    graphql: { contribute: () => {} } as Partial<Engine['graphql']> as Engine['graphql'],
    routes: { add: () => {}, all: () => [] },
  }
  return engine as Engine
}

function callsOf(service: RunningMetadataService) {
  const run = (envelope: unknown, role = 'admin') =>
    service.run(envelope, { role, variables: { [dialects.trellis.roleVariable]: role }, backendOnly: false })
  const refusal = async (envelope: unknown, role?: string) => {
    const error: TrellisError = await run(envelope, role).then(
      (result) => assert.fail(`succeeded: ${JSON.stringify(result)}`),
      toTrellisError,
    )
    const { status, code, path, message, internal } = error
    return { status, code, path: pathText(path), error: message, internal }
  }
  return {
    refusal,
    op: (type: string, args: unknown, { version, role }: { version?: number; role?: string } = {}) =>
      run({ type, args, ...(version === undefined ? {} : { version }) }, role),
    async refused(type: string, args: unknown, expected: Refusal, version = 1) {
      const { internal: _, ...answer } = await refusal({ type, args, version })
      assert.deepEqual(answer, expected)
    },
  }
}
