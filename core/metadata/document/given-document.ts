// A metadata document as received, in any format: its value for each slice, and where that value stands in the
// document.

import { Type } from '@sinclair/typebox'
import { badRequest, parseFailed } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import { isJsonObject, jsonType, saysNothing } from '../../json/json.ts'
import { decode } from '../../wire/decode.ts'
import { ObjectName } from '../../wire/types.ts'

export type WireObject = Readonly<Record<string, unknown>>

/** The parts of a document. */
export interface GivenDocument {
  readonly formatVersion: number
  /** The values, by the key of a slice. */
  readonly parts: WireObject
  /** The path of a part in the document. */
  place(key: string): readonly PathKey[]
  /** The source that holds the tables; null if the format has no sources. */
  readonly source: StoredSource | null
}

/** The one source of a document of format 3. */
export interface StoredSource {
  readonly name: string
  /** The connection, which is not used: the server has its own. */
  readonly configuration?: unknown
}

/** Keys of later documents for features that this server lacks: accepted when they are empty. */
export const laterKeys: ReadonlySet<string> = new Set([
  'remote_schemas',
  'actions',
  'custom_types',
  'cron_triggers',
  'rest_endpoints',
  'api_limits',
  'metrics_config',
  'inherited_roles',
  'graphql_schema_introspection',
  'network',
  'opentelemetry',
  'backend_configs',
])

/** The same for a table's entry. */
export const laterTableKeys: ReadonlySet<string> = new Set([
  'remote_relationships',
  'event_triggers',
  'apollo_federation_config',
])

/** The same for a source. */
const laterSourceKeys: ReadonlySet<string> = new Set([
  'query_tags',
  'health_check',
  'native_queries',
  'logical_models',
  'stored_procedures',
])

/** The value of an own key. */
export const own = (object: WireObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

/** The error for a key that documents do not have at that place. */
export const unexpectedKey = (at: readonly PathKey[], key: string) =>
  parseFailed(`unexpected key "${key}"`, [...at, key])

/** Opens a document; `namingConvention` is the only one that a source may ask for. */
export function openDocument(wire: unknown, namingConvention: string): GivenDocument {
  const given = objectAt(wire, [])
  const formatVersion = readVersion(own(given, 'version'))
  const { version: _, ...parts } = given
  if (formatVersion !== 3) return { formatVersion, parts, place: (key) => [key], source: null }
  const { sources, ...others } = parts
  if (sources === undefined) throw withoutSources(given)
  for (const key of sourceKeys) if (Object.hasOwn(others, key)) throw unexpectedKey([], key)
  return openSources(sources, others, namingConvention)
}

/** Parts that format 3 keeps in sources. */
const sourceKeys: readonly string[] = ['tables', 'functions']

function openSources(wire: unknown, others: WireObject, namingConvention: string): GivenDocument {
  const sources = decode(Type.Array(Type.Unknown()), wire, ['sources'])
  const read = sources.map((source, i) => readSource(source, ['sources', i]))
  const [first, second] = read
  const place = (key: string) => (sourceKeys.includes(key) ? ['sources', 0, key] : [key])
  if (!first) return { formatVersion: 3, parts: { ...others, tables: [] }, place, source: null }
  refuseKind(first.kind)
  if (second) {
    const message = `only one source is supported: "${second.name}" differs from "${first.name}"`
    throw badRequest('not-supported', message, { path: ['sources', 1] })
  }
  refuseUnservable(first.given, ['sources', 0], namingConvention)
  const { tables = null, functions = null, configuration } = first.given
  return {
    formatVersion: 3,
    parts: { ...others, tables: tables ?? [], functions: functions ?? [] },
    place,
    source: { name: first.name, ...(!saysNothing(configuration) && { configuration }) },
  }
}

const SourceHead = Type.Object({ name: ObjectName, kind: Type.Optional(Type.String()) })

function readSource(wire: unknown, at: readonly PathKey[]) {
  const given = objectAt(wire, at)
  return { given, ...decode(SourceHead, given, at) }
}

function refuseKind(kind = 'postgres'): void {
  if (kind === 'postgres' || kind === 'pg') return
  const message = `only sources of kind "postgres" are supported, encountered "${kind}"`
  throw badRequest('not-supported', message, { path: ['sources', 0, 'kind'] })
}

/** Refuses settings of a source that this server would not honour. */
function refuseUnservable(source: WireObject, at: readonly PathKey[], namingConvention: string): void {
  const known = new Set(['name', 'kind', 'configuration', 'customization', ...sourceKeys])
  for (const [key, value] of Object.entries(source)) {
    if (known.has(key)) continue
    if (!laterSourceKeys.has(key)) throw unexpectedKey(at, key)
    if (!saysNothing(value)) throw notOfSources(key, [...at, key])
  }
  const customization = own(source, 'customization') ?? {}
  for (const [key, value] of Object.entries(objectAt(customization, [...at, 'customization']))) {
    if (key === 'naming_convention' && value === namingConvention) continue
    if (!saysNothing(value)) throw notOfSources(key, [...at, 'customization', key])
  }
}

const notOfSources = (key: string, path: readonly PathKey[]) =>
  badRequest('not-supported', `"${key}" of a source is not supported`, { path })

function objectAt(value: unknown, at: readonly PathKey[]): WireObject {
  if (isJsonObject(value)) return value
  throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(value)}`, at)
}

function readVersion(value: unknown): number {
  if (value === undefined || value === null) return 1
  if (value === 1 || value === 2 || value === 3) return value
  if (jsonType(value) !== 'Number') {
    throw parseFailed(`parsing Int failed, expected Number, but encountered ${jsonType(value)}`, ['version'])
  }
  throw parseFailed(`expected 1, 2 or 3, encountered ${JSON.stringify(value)}`, ['version'])
}

/** Reports a wrong version if the tables stand at the top. */
const withoutSources = (given: WireObject) =>
  own(given, 'tables') === undefined
    ? parseFailed('key "sources" not found')
    : parseFailed('expected 1 or 2, encountered 3', ['version'])
