// The server or the database that a command works on.

import { resolve } from 'node:path'
import { Failure } from '../exits.ts'
import type { Flags, Io } from '../io.ts'
import { type Watch, watchOn } from '../progress.ts'
import type { Project } from '../project/project.ts'
import { textOfFile } from '../text-file.ts'
import { type Answer, failureOf, type InFiles, type Transport } from './answers.ts'

/** An operation of the metadata API. */
export interface Operation {
  readonly type: string
  readonly args: unknown
  readonly version?: number
  readonly resource_version?: number
}

/** A server over HTTP, or the engine in this process. */
export interface Target {
  /** Names the target for people, without secrets. */
  readonly label: string
  /** Whether it is this engine, which knows dry runs. */
  readonly isTrellis: boolean
  /** The URL of the database, if the engine runs in this process. */
  readonly databaseUrl: string | null
  /** The source of migrations and seeds. */
  readonly source: string
  /** Runs an operation of the metadata API; throws a `Failure`. */
  run<Result = unknown>(operation: Operation, inFiles?: InFiles): Promise<Result>
  /** Runs SQL in one transaction, and returns the rows of its last statement as texts. */
  sql(text: string, options?: SqlOptions): Promise<readonly (readonly string[])[]>
  /** The URL of the server; null if the engine runs in this process. */
  readonly endpoint: URL | null
  /** Characters of the admin secret; null if none is given. */
  readonly secretLength: number | null
  /** Asks any endpoint: by POST with a body, by GET without one. */
  ask(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Asks as a caller without the admin secret. */
  askWithoutSecret(path: string, body?: unknown): Promise<Answer>
  close(): Promise<void>
}

/** Options of {@link Target.sql}. */
export interface SqlOptions {
  readonly isReadOnly?: boolean
  /** Whether the metadata is checked afterwards, or by the words in the text; absent: no. */
  readonly checksMetadata?: boolean | 'auto'
  /** Lines before the text of the user, for the line of an error. */
  readonly linesBefore?: number
  /** The file of the text, for errors. */
  readonly file?: string
  /** Whether a terminal shows nothing of it. */
  readonly isQuiet?: boolean
}

interface Connecting {
  readonly io: Io
  readonly flags: Flags
  readonly project: Project
}

/** Connects to the target that flags, variables or the project name. */
export async function connect({ io, flags, project }: Connecting): Promise<Target> {
  const source = project.source
  const watch = watchOn(io)
  const databaseUrl = textOf(flags['database-url'])
  if (databaseUrl !== null) {
    if (flags['endpoint'] !== undefined) {
      throw new Failure('usage', '--endpoint and --database-url name two targets: keep one')
    }
    const { startEngine } = await import('./in-process.ts')
    const { transport, place } = await watch('starting the engine', startEngine(databaseUrl, io, project.dialect))
    return new ConnectedTarget(transport, {
      label: `${place} (source ${source})`,
      isTrellis: true,
      ...{ databaseUrl, source, watch, endpoint: null, secretLength: null },
    })
  }
  const endpoint = endpointOf({ io, flags, project })
  const { httpTransport } = await import('./http.ts')
  const secret = adminSecret({ io, flags, project })
  const transport = httpTransport(endpoint, secret)
  const { status } = await transport.send('GET', '/livez')
  const label = `${endpoint.href.replace(/\/$/, '')} (source ${source})`
  return new ConnectedTarget(transport, {
    ...{ label, isTrellis: status === 200, databaseUrl: null, source, watch },
    ...{ endpoint, secretLength: secret?.length ?? null },
  })
}

const textOf = (value: string | boolean | undefined): string | null => (typeof value === 'string' ? value : null)

/** The URL of the server that flags, variables or the project name. */
export function endpointOf({ io, flags, project }: Connecting): URL {
  const variables = io.env['SERVICE_GRAPHQL_ENDPOINT'] ?? io.env['HASURA_GRAPHQL_ENDPOINT']
  const text = textOf(flags['endpoint']) ?? variables ?? project.endpoint ?? 'http://localhost:8080'
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failure('usage', `"${text}" is not the URL of a server: write http://HOST:PORT`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new Failure('usage', 'the URL of the server must not have a user or password')
  }
  return url
}

/** The admin secret; null: none is known. */
export function adminSecret({ io, flags, project }: Connecting): string | null {
  const secret = textOf(flags['admin-secret'])
  const file = textOf(flags['admin-secret-file'])
  if (secret !== null && file !== null) {
    throw new Failure('usage', '--admin-secret and --admin-secret-file are both given: keep one')
  }
  if (file !== null) return textOfFile(resolve(io.cwd, file), file).replace(/\r?\n$/, '')
  const variable = io.env['SERVICE_GRAPHQL_ADMIN_SECRET'] ?? io.env['HASURA_GRAPHQL_ADMIN_SECRET']
  return secret ?? variable ?? project.adminSecret
}

const methodFor = (body: unknown) => (body === undefined ? 'GET' : 'POST')

interface Facts extends Pick<Target, 'label' | 'isTrellis' | 'databaseUrl' | 'source' | 'endpoint' | 'secretLength'> {
  readonly watch: Watch
}

class ConnectedTarget implements Target {
  readonly label: string
  readonly isTrellis: boolean
  readonly databaseUrl: string | null
  readonly source: string
  readonly endpoint: URL | null
  readonly secretLength: number | null
  readonly #transport: Transport
  readonly #watch: Watch
  /** Whether the server has only `/v1/query`; null before the first operation. */
  #isOld: boolean | null = null

  constructor(transport: Transport, { watch, ...facts }: Facts) {
    this.#transport = transport
    this.#watch = watch
    this.label = facts.label
    this.isTrellis = facts.isTrellis
    this.databaseUrl = facts.databaseUrl
    this.source = facts.source
    this.endpoint = facts.endpoint
    this.secretLength = facts.secretLength
  }

  async run<Result>(operation: Operation, inFiles: InFiles = {}): Promise<Result> {
    const answer = await this.#watch(operation.type, this.#send('/v1/metadata', operation))
    if (answer.status !== 200) throw failureOf(answer, operation.type, inFiles)
    return answer.body as Result
  }

  async sql(text: string, options: SqlOptions = {}): Promise<readonly (readonly string[])[]> {
    const { isReadOnly = false, checksMetadata = false, isQuiet = false } = options
    const check = isReadOnly || checksMetadata === 'auto' ? {} : { check_metadata_consistency: checksMetadata }
    const args = { source: this.source, sql: text, read_only: isReadOnly, ...check }
    const asked = this.#send('/v2/query', { type: 'run_sql', args })
    const answer = isQuiet ? await asked : await this.#watch(options.file ?? 'run_sql', asked)
    if (answer.status !== 200) throw failureOf(answer, options.file ?? 'run_sql', { linesBefore: options.linesBefore })
    return (answer.body as { result: readonly (readonly string[])[] | null }).result ?? []
  }

  ask(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#watch(path, this.#transport.send(methodFor(body), path, body, { headers }))
  }

  askWithoutSecret(path: string, body?: unknown): Promise<Answer> {
    return this.#transport.send(methodFor(body), path, body, { isAdmin: false })
  }

  close(): Promise<void> {
    return this.#transport.close()
  }

  /** Servers before version 2 have one endpoint, and refuse the key `source`. */
  async #send(path: string, operation: Operation): Promise<Answer> {
    if (this.#isOld !== true) {
      const answer = await this.#transport.send('POST', path, operation)
      this.#isOld ??= answer.status === 404
      if (answer.status !== 404 || !this.#isOld) return answer
    }
    const { source: _, ...args } = operation.args as Record<string, unknown>
    return this.#transport.send('POST', '/v1/query', { ...operation, args })
  }
}
