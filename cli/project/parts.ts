// The files of a metadata folder, by the keys of the document.

/** The keys that have a file of their own, by the name of the file. */
export const fileOfKey: Readonly<Record<string, string>> = {
  remote_schemas: 'remote_schemas.yaml',
  query_collections: 'query_collections.yaml',
  allowlist: 'allow_list.yaml',
  cron_triggers: 'cron_triggers.yaml',
  rest_endpoints: 'rest_endpoints.yaml',
  inherited_roles: 'inherited_roles.yaml',
  api_limits: 'api_limits.yaml',
  graphql_schema_introspection: 'graphql_schema_introspection.yaml',
  network: 'network.yaml',
  opentelemetry: 'opentelemetry.yaml',
  metrics_config: 'metrics_config.yaml',
  backend_configs: 'backend_configs.yaml',
}

/** The files of version 2 beside them. */
export const fileOfKeyInV2: Readonly<Record<string, string>> = {
  tables: 'tables.yaml',
  functions: 'functions.yaml',
}

export const databasesFile = 'databases/databases.yaml'
export const actionsFile = 'actions.yaml'
export const typesFile = 'actions.graphql'
export const versionFile = 'version.yaml'

/** A JSON object of any kind. */
export type Json = Readonly<Record<string, unknown>>

/** Characters that a file name cannot have on some system. */
const unusable = /[\\/:*?"<>|\p{Cc}]/gu

/** A part of a file name, from a name of the database. */
export const fileNamePart = (name: string): string => name.replace(unusable, '_').replace(/^\.+/, '_') || '_'

/** The name of the file for a table or function. */
export function fileOfObject(object: unknown): string {
  const { schema = 'public', name } =
    typeof object === 'object' && object !== null ? (object as Json) : { name: object }
  return `${fileNamePart(String(schema))}_${fileNamePart(String(name))}.yaml`
}
