// The metadata as a folder of YAML, as the command line writes it, and back. It is loaded apart, with the parser of YAML.

import { parse, stringify } from 'yaml'
import { isObject, type JsonObject, listOfObjects as listOf } from '../../../base/objects.ts'
import { splitActions, typesFile, withSignatures } from './actions.ts'

type Files = ReadonlyMap<string, string>

/** The keys that have a file of their own. */
const fileOfKey: Readonly<Record<string, string>> = {
  ...{ remote_schemas: 'remote_schemas.yaml', query_collections: 'query_collections.yaml' },
  ...{ allowlist: 'allow_list.yaml', cron_triggers: 'cron_triggers.yaml', rest_endpoints: 'rest_endpoints.yaml' },
  ...{ inherited_roles: 'inherited_roles.yaml', api_limits: 'api_limits.yaml', network: 'network.yaml' },
  ...{ graphql_schema_introspection: 'graphql_schema_introspection.yaml', opentelemetry: 'opentelemetry.yaml' },
  ...{ metrics_config: 'metrics_config.yaml', backend_configs: 'backend_configs.yaml' },
}
const fileOfKeyInV2: Readonly<Record<string, string>> = { tables: 'tables.yaml', functions: 'functions.yaml' }

const databasesFile = 'databases/databases.yaml'
const actionsFile = 'actions.yaml'
const versionFile = 'version.yaml'

const yaml = (value: unknown): string => stringify(value, { lineWidth: 0 })

/** Characters that a file name cannot have on some system. */
const unusable = /[\\/:*?"<>|\p{Cc}]/gu

const fileNamePart = (name: string): string => name.replace(unusable, '_').replace(/^\.+/, '_') || '_'

function fileOfObject(object: unknown): string {
  const { schema = 'public', name } = isObject(object) ? object : { name: object }
  return `${fileNamePart(String(schema))}_${fileNamePart(String(name))}.yaml`
}

/** The files of a source's list, and the text that includes them. */
function splitList(
  files: Map<string, string>,
  source: string,
  kind: 'tables' | 'functions',
  list: readonly JsonObject[],
) {
  const folder = `${fileNamePart(source)}/${kind}`
  const included = list.map((item) => {
    const first = fileOfObject(item[kind === 'tables' ? 'table' : 'function'])
    let name = first
    for (let n = 2; files.has(`databases/${folder}/${name}`); n++) name = first.replace(/\.yaml$/, `_${n}.yaml`)
    files.set(`databases/${folder}/${name}`, yaml(item))
    return `!include ${name}`
  })
  files.set(`databases/${folder}/${kind}.yaml`, yaml(included))
  return `!include ${folder}/${kind}.yaml`
}

/** The folder of a document. */
export function folderOf(document: JsonObject): Files {
  const files = new Map<string, string>()
  const { sources } = document
  const isSplit = Array.isArray(sources)
  files.set(versionFile, yaml({ version: isSplit ? 3 : 2 }))
  if (isSplit) {
    const list = listOf(sources).map(({ tables, functions, ...source }) => ({
      ...source,
      tables: splitList(files, String(source['name']), 'tables', listOf(tables)),
      ...(functions !== undefined && {
        functions: splitList(files, String(source['name']), 'functions', listOf(functions)),
      }),
    }))
    files.set(databasesFile, yaml(list))
  }
  const keys = isSplit ? fileOfKey : { ...fileOfKeyInV2, ...fileOfKey }
  for (const [key, file] of Object.entries(keys)) if (document[key] !== undefined) files.set(file, yaml(document[key]))
  if (document['actions'] !== undefined || document['custom_types'] !== undefined) {
    const { value, sdl } = splitActions(document)
    files.set(actionsFile, yaml(value))
    files.set(typesFile, sdl)
  }
  return files
}

/** A place in a folder, relative to another file. */
function placeOf(from: string, path: string): string {
  const parts = [...from.split('/').slice(0, -1), ...path.split('/')]
  const place: string[] = []
  for (const part of parts) {
    if (part === '..') place.pop()
    else if (part !== '.') place.push(part)
  }
  return place.join('/')
}

/** The value of a file, with the files that it includes. */
function valueIn(files: Files, name: string, above: readonly string[] = []): unknown {
  const text = files.get(name)
  if (text === undefined) throw new Error(`${above.at(-1) ?? 'the folder'}: ${name} does not exist`)
  if (above.includes(name)) throw new Error(`${name}: it includes itself`)
  const tag = { tag: '!include', resolve: (path: string) => `!include ${path}` }
  let value: unknown
  try {
    value = parse(text, { customTags: [tag] })
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`)
  }
  const resolved = (inner: unknown): unknown => {
    const path = typeof inner === 'string' ? /^!include\s+(\S.*?)\s*$/.exec(inner)?.[1] : undefined
    if (path !== undefined) return valueIn(files, placeOf(name, path), [...above, name])
    if (Array.isArray(inner)) return inner.map(resolved)
    return isObject(inner)
      ? Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, resolved(each)]))
      : inner
  }
  return resolved(value)
}

/** The files below the folder that has the version, or the list of databases. */
function withoutRoot(files: Files): Files {
  const main = [...files.keys()].find((name) => /(?:^|\/)(?:version\.yaml|databases\/databases\.yaml)$/.test(name))
  if (main === undefined) throw new Error('this is not a folder of metadata: it has no version.yaml')
  const root = main.replace(/(?:version\.yaml|databases\/databases\.yaml)$/, '')
  return new Map([...files].flatMap(([name, text]) => (name.startsWith(root) ? [[name.slice(root.length), text]] : [])))
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

/** The document of a folder. Throws with the name of a file that is missing or broken. */
export function documentOf(given: Files): JsonObject {
  const files = withoutRoot(given)
  const document: Record<string, unknown> = { version: files.has(databasesFile) ? 3 : 2 }
  if (files.has(databasesFile)) document['sources'] = valueIn(files, databasesFile) ?? []
  for (const [key, file] of Object.entries({ ...(!document['sources'] && fileOfKeyInV2), ...fileOfKey })) {
    const value = files.has(file) ? valueIn(files, file) : null
    if (!isEmpty(value)) document[key] = value
  }
  const value = files.has(actionsFile) ? valueIn(files, actionsFile) : null
  const actions = withSignatures(isObject(value) ? value : {}, files.get(typesFile) ?? '')
  for (const key of ['actions', 'custom_types']) if (!isEmpty(actions[key])) document[key] = actions[key]
  return document
}

/** The document of one YAML file. */
export const documentIn = (text: string): unknown => parse(text)
