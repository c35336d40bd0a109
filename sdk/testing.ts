// For tests of plugins: one call starts a real engine on a real database, with any test runner.
//
//   const trellis = await startTrellis({ plugins: [plugin], sql: 'create table …' })
//   const { data } = await trellis.graphql('{ … }')
//   await trellis.close()

import { connectOnce } from '../core/database/wire/connect.ts'
import { createEngine, type EngineOptions, type RunningEngine } from '../core/engine/engine.ts'
import { defaultSettings, type GivenSettings } from '../core/engine/options.ts'
import type { Plugin } from '../core/engine/plugin.ts'
import { type ServiceKey, serviceKey } from '../core/engine/service-key.ts'
import type { LogEntry, LogReceiver } from '../core/log/observe.ts'
import { builtInPlugins } from '../plugins/index.ts'
import { type BrowserOptions, type Page, type SentRequest, startBrowser, type TestBrowser } from './testing/browser.ts'
import { type EventuallyOptions, eventually } from './testing/eventually.ts'
import { testLog } from './testing/log.ts'
import { makeDatabase, testPostgres } from './testing/postgres.ts'
import { type Answer, type RawRequest, type RequestOptions, requestsTo, type SendRequest } from './testing/requests.ts'

export type {
  Answer,
  BrowserOptions,
  EventuallyOptions,
  LogEntry,
  LogReceiver,
  Page,
  RawRequest,
  RequestOptions,
  SendRequest,
  SentRequest,
  TestBrowser,
}
export { startBrowser }

/** The options of a test engine. */
export interface TestOptions {
  /** Added to the built-in ones. */
  readonly plugins?: readonly Plugin[]
  /** Runs before the engine starts. */
  readonly sql?: string
  /** Settings that differ from the defaults. */
  readonly settings?: GivenSettings
  /** Receives log entries. By default entries of errors are printed to stderr, with the stacks of internal errors. */
  readonly observe?: LogReceiver
  /** An existing database, which several engines can share; absent: a new one, which is dropped at the end. */
  readonly databaseUrl?: string
}

/** The options of a GraphQL request. */
export interface GraphQLOptions extends RequestOptions {
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
  /** Default: `/v1/graphql`. */
  readonly path?: string
}

/** The response to a GraphQL request. */
export interface GraphQLAnswer<Data = unknown> {
  readonly data?: Data
  readonly errors?: readonly { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }[]
}

/** An engine on a local port, with its own database. */
export interface TestTrellis extends AsyncDisposable {
  readonly url: string
  readonly databaseUrl: string
  readonly engine: RunningEngine
  /** Runs SQL with the engine's database role and returns the rows of the last statement. */
  sql<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Sends a GraphQL request. */
  graphql<Data = unknown>(query: string, options?: GraphQLOptions): Promise<GraphQLAnswer<Data>>
  /** Runs a metadata operation and returns its result; rejects if it is refused. */
  operation<Body = unknown>(type: string, args: unknown, options?: RequestOptions): Promise<Body>
  /** Sends any request, for checks of statuses, headers and errors. */
  request: SendRequest
  /** The entries of the log so far, the last 10,000 of them. */
  readonly log: readonly LogEntry[]
  /** The service of a plugin. */
  use<T>(key: ServiceKey<T>): T
  /** Runs a job once, whatever its schedule, and waits for its end; rejects with the error of its body. */
  runJob(name: string): Promise<void>
  /** Repeats a check until it neither throws nor returns false, and returns its result. */
  eventually: typeof eventually
  /** Stops the engine and drops its database. */
  close(): Promise<void>
}

/** The part of the service of plugin `jobs` that tests need; the plugin may be missing. */
const jobs = serviceKey<{ run(name: string): Promise<void> }>('jobs')

/** A metadata operation was refused. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused'
  readonly status: number
  /** The response body. */
  readonly body: unknown

  constructor(type: string, { status, body, text }: Answer) {
    super(`${type}: ${text}`)
    this.status = status
    this.body = body
  }
}

/** Starts an engine. All engines of a process share one PostgreSQL, which stops with the process. */
export async function startTrellis(options: TestOptions = {}): Promise<TestTrellis> {
  const { plugins = [], sql } = options
  const { url: databaseUrl, drop } =
    options.databaseUrl === undefined
      ? await makeDatabase(await testPostgres())
      : { url: options.databaseUrl, drop: async () => {} }
  const settings = defaultSettings({
    ...{ serverHost: '127.0.0.1', serverPort: 0, connections: 10, gracefulShutdownTimeout: 1 },
    ...options.settings,
    databaseUrl,
  })
  try {
    const { entries: log, observe } = testLog(options.observe, settings)
    if (sql !== undefined) await runSql(databaseUrl, sql)
    const { engine, port } = await listening({ settings, plugins: [...builtInPlugins, ...plugins], observe })
    const url = `http://127.0.0.1:${port}`
    let closed: Promise<void> | undefined
    const close = () => (closed ??= engine.close().finally(drop))
    const calls = callsOf(requestsTo(url, settings))
    const run = <Row>(text: string, values?: readonly unknown[]) => runSql<Row>(databaseUrl, text, values)
    const services = { use: engine.use, runJob: (name: string) => engine.use(jobs).run(name), eventually }
    return { url, databaseUrl, engine, log, ...calls, ...services, sql: run, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await drop()
    throw error
  }
}

async function listening(options: EngineOptions) {
  const engine = await createEngine(options)
  try {
    return { engine, port: await engine.listen() }
  } catch (error) {
    await engine.close()
    throw error
  }
}

function callsOf(request: SendRequest): Pick<TestTrellis, 'request' | 'graphql' | 'operation'> {
  return {
    request,
    async graphql<Data>(query: string, { variables, operationName, path, ...rest }: GraphQLOptions = {}) {
      const body = { query, variables, operationName }
      return (await request<GraphQLAnswer<Data>>(path ?? '/v1/graphql', { ...rest, body })).body
    },
    async operation<Body>(type: string, args: unknown, options: RequestOptions = {}) {
      const answer = await request<Body>('/v1/query', { ...options, body: { type, args } })
      if (answer.status !== 200) throw new OperationRefused(type, answer)
      return answer.body
    },
  }
}

async function runSql<Row>(url: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = await connectOnce(url)
  try {
    // Several statements cannot have bound values.
    const results = await (values.length > 0 ? client.query(text, [...values]) : client.query(text))
    const last = Array.isArray(results) ? results.at(-1) : results
    return last?.rows ?? []
  } finally {
    await client.end()
  }
}
