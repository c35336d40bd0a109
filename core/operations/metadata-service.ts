// The metadata of an engine: the served state, and the runner of requests that change it.

import type { RequestSettings } from '../graphql/options.ts'
import type { Model } from '../metadata/document/model.ts'
import { ServedMetadata, type ServedMetadataOptions } from '../metadata/serving/served.ts'
import { SourceFetcher } from '../metadata/serving/source-fetcher.ts'
import { wantedSources } from '../metadata/slices/sources.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { MetadataHooks } from './metadata-work.ts'
import type { OperationRegistry } from './registry.ts'
import type { RunnerOptions } from './run.ts'
import { MetadataRunner } from './runner.ts'
import type { MetadataService } from './service.ts'

export interface MetadataServiceOptions extends ServedMetadataOptions {
  readonly settings: RequestSettings
  readonly operations: OperationRegistry
  readonly sessionSettings: Pick<SessionSettings, 'apply'>
  readonly hooks: MetadataHooks
  readonly validateDocument: RunnerOptions['validateDocument']
  readonly conflictingType: RunnerOptions['conflictingType']
}

/** A service that starts once all plugins have declared their parts. */
export interface RunningMetadataService extends MetadataService {
  /** Reads document and catalog, and serves the consistent part. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Whether a statement of a model failed because the database now fits another model; if so, that model is served. */
  isOutdated(model: Model, error: unknown): Promise<boolean>
}

/** Creates the service; it serves an empty model until it is started. */
export function createMetadataService(options: MetadataServiceOptions): RunningMetadataService {
  const { dialect, settings } = options
  const served = new ServedMetadata(options)
  const { format, parts } = served
  const wanted = () => wantedSources(options.registry.sources.values(), served.document)
  const fetcher = new SourceFetcher({
    registry: options.registry,
    context: served.resolving,
    apply: (fetched) => runner.apply(fetched),
    onFailure: ({ key, id }, reason) => served.warn('a source cannot be fetched', { source: key, id, reason }),
  })
  const runner = new MetadataRunner({ ...options, served, fetcher, environment: { dialect, settings, format, parts } })
  const watch = () => fetcher.watch(wanted(), served.state.contents)
  return {
    get model() {
      return served.model
    },
    get document() {
      return served.document
    },
    format,
    parts,
    exportDocument: () => format.write(served.document),
    run: (envelope, session, options) => runner.run(envelope, session, options),
    reload: () => served.reload(),
    get reloadArguments() {
      const given = [...options.registry.sources.values()].flatMap(({ reloadedBy = [] }) => reloadedBy)
      return [...new Set(given)]
    },
    sourcesOf: (document) => wantedSources(options.registry.sources.values(), document),
    onChange: (listener) => served.onChange(listener),
    isOutdated: (model, error) => served.isOutdated(model, error),
    async start() {
      await served.start()
      await fetcher.start(wanted(), served.state.contents)
      served.onChange(watch)
      watch()
    },
    async stop() {
      await fetcher.stop()
      await served.stop()
    },
  }
}
