// All options of core, composed from the folders that declare them. Plugins declare theirs in the same way. The
// parser, `--help` and the reference page use all of them.

import { type TSchema, Type } from '@sinclair/typebox'
import { authOptions } from '../auth/options.ts'
import { databaseOptions } from '../database/options.ts'
import { spelledOut } from '../database/wire/connection-url.ts'
import { graphqlOptions } from '../graphql/options.ts'
import { httpOptions } from '../http/options.ts'
import { logOptions } from '../log/options.ts'
import { choice, choiceOrNone, list, text, textWithDefault, trueOrFalse } from '../options/option-kinds.ts'
import type { AnySettings, Option, OptionDeclaration, SettingsOf } from '../options/option-values.ts'
import { outgoingOptions } from '../outgoing/options.ts'

const workerCount = /^(?:auto|[1-9]\d?|1\d\d|2[0-4]\d|25[0-6])$/

const startOptions = {
  config: text({
    flag: 'config',
    variable: 'CONFIG',
    placeholder: 'FILE',
    description:
      'file with options, YAML or JSON with comments; without it trellis.config.json, .jsonc, .yaml or .yml is read when it exists',
  }),
  dialect: choice(['trellis', 'hasura'], 'trellis', {
    flag: 'dialect',
    variable: 'DIALECT',
    placeholder: 'NAME',
    description: 'names in requests and responses: trellis, or hasura for migrated projects',
  }),
  graphqlInterface: choice(['1.3', '2'], '1.3', {
    flag: 'graphql-interface',
    variable: 'INTERFACE',
    placeholder: 'VERSION',
    description:
      'interface of POST /v1/query, and the version that clients see: 1.3, or 2 for tools and clients of later engines',
  }),
  defaultNamingConvention: choiceOrNone(['service-default', 'hasura-default', 'graphql-default'], {
    flag: 'default-naming-convention',
    variable: 'DEFAULT_NAMING_CONVENTION',
    placeholder: 'NAME',
    description:
      'naming convention of a source whose metadata names none: graphql-default for camel case; by default names are as in the database',
  }),
  dataDir: textWithDefault('.trellis', {
    flag: 'data-dir',
    variable: 'DATA_DIR',
    placeholder: 'DIR',
    description: 'directory of the embedded PostgreSQL',
  }),
  workers: textWithDefault('1', {
    flag: 'workers',
    variable: 'WORKERS',
    placeholder: 'N/auto',
    check: (text: string) => (workerCount.test(text) ? null : 'Only expecting a whole number from 1 to 256, or auto'),
    description: 'processes that serve the port together; auto: as many as processors. They share the connections',
  }),
  plugins: list([], {
    flag: 'plugin',
    variable: 'PLUGINS',
    placeholder: 'PLUGIN',
    description: 'paths or package names of plugins to load in addition to the built-in ones; the flag may be repeated',
  }),
}

const apiOptions = {
  enabledApis: Type.Union([Type.Array(Type.String({ minLength: 1 })), Type.Null()], {
    default: null,
    option: {
      kind: 'list',
      flag: 'enabled-apis',
      variable: 'ENABLED_APIS',
      placeholder: 'NAMES',
      description: 'APIs to enable, such as metadata,graphql,config; by default those that plugins enable',
    },
  }),
}

/** Options of v1.3 that have no effect, accepted so that its configurations work. */
const acceptedOptions = {
  enableTelemetry: trueOrFalse(false, {
    flag: 'enable-telemetry',
    variable: 'ENABLE_TELEMETRY',
    description: 'accepted for configurations of v1.3; without effect, since no telemetry is sent',
  }),
  consoleAssetsDir: text({
    flag: 'console-assets-dir',
    variable: 'CONSOLE_ASSETS_DIR',
    placeholder: 'DIR',
    description: 'accepted for configurations of v1.3; without effect, since there is no console',
  }),
}

/** By the groups of the help text, in its order. */
const groups = {
  start: startOptions,
  database: databaseOptions,
  http: httpOptions,
  access: authOptions,
  graphql: { ...graphqlOptions, ...apiOptions },
  log: logOptions,
  egress: outgoingOptions,
  compatibility: acceptedOptions,
}

const options = {
  ...groups.start,
  ...groups.database,
  ...groups.http,
  ...groups.access,
  ...groups.graphql,
  ...groups.log,
  ...groups.egress,
  ...groups.compatibility,
}

/** The values of core's options. */
export type Settings = SettingsOf<typeof options>

/** Values by option key, including those of plugins, as a program gives them; undefined means absent. */
export type GivenSettings = { readonly [K in keyof Settings]?: Settings[K] | undefined } & Readonly<
  Record<string, unknown>
>

/** The same, with all defaults of core. */
export type AllSettings = Settings & AnySettings

/** The options that these types declare; `group` is their group in the help text. */
export const optionsIn = (properties: Readonly<Record<string, TSchema>>, group: string): readonly Option[] =>
  Object.entries(properties).map(([key, schema]) => ({
    key,
    group,
    declaration: schema.option as OptionDeclaration,
    schema,
    default: schema.default,
  }))

/** Core's options in the order of the help text. */
export const coreOptions: readonly Option[] = Object.entries(groups).flatMap(([group, options]) =>
  optionsIn(options, group),
)

const defaults = Object.fromEntries(coreOptions.map((option) => [option.key, option.default])) as Settings

/** Settings with core's defaults, for code that starts its own engine; undefined means absent. */
export function defaultSettings(overrides: GivenSettings = {}): AllSettings {
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined))
  const { databaseUrl: url } = overrides
  // A program may give any type. A value that is not a text is refused with the other errors.
  return { ...defaults, ...given, ...(typeof url === 'string' && { databaseUrl: spelledOut(url) }) }
}
