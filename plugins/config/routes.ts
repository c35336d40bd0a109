import type { Route } from '../../sdk/http.ts'
import {
  type ConfigurationMember,
  type Engine,
  messageOf,
  reportedVersion,
  type Session,
  Type,
} from '../../sdk/index.ts'

interface EnvironmentOptions {
  readonly environmentLabel: string | null
  readonly environmentColour: string | null
}

type Reported = Pick<Engine, 'apis' | 'auth' | 'database' | 'dialect' | 'plugins' | 'settings' | 'workers'> & {
  readonly options: EnvironmentOptions
}

const Names = Type.Array(Type.String())

/** The members of the report that do not depend on plugins. */
export const members = ({ options, ...engine }: Reported): ConfigurationMember[] => {
  const { auth, dialect, settings } = engine
  const all: ConfigurationMember[] = [
    {
      key: 'version',
      place: 10,
      schema: Type.String(),
      value: () => reportedVersion(dialect, settings.graphqlInterface),
    },
    { key: 'is_admin_secret_set', place: 20, schema: Type.Boolean(), value: () => auth.mode !== 'none' },
  ]
  if (dialect.tellsConsoleAssets) {
    const schema = Type.Union([Type.String(), Type.Null()])
    all.push({ key: 'console_assets_dir', place: 40, schema, value: () => settings.consoleAssetsDir })
  }
  if (settings.graphqlInterface === '2') all.push(...laterMembers(settings))
  return [...all, ...serverMembers(engine, options)]
}

/** Members that consoles of version 2 read in addition. */
const laterMembers = ({ defaultNamingConvention }: Reported['settings']): ConfigurationMember[] => [
  { key: 'experimental_features', place: 50, schema: Names, value: () => [] },
  { key: 'default_naming_convention', place: 52, schema: Nullable, value: () => defaultNamingConvention },
]

const Nullable = Type.Union([Type.String(), Type.Null()])

const DescribedPlugin = Type.Object(
  {
    name: Type.String(),
    version: Nullable,
    api: Type.String(),
    built_in: Type.Boolean(),
    options: Type.Record(Type.String(), Type.Unknown()),
    routes: Type.Array(Type.String()),
  },
  { title: 'DescribedPlugin' },
)

/** The parts of the server, and its surroundings. */
const serverMembers = (
  { apis, database, dialect, plugins, workers }: Omit<Reported, 'options'>,
  { environmentLabel: label, environmentColour: colour }: EnvironmentOptions,
): ConfigurationMember[] => [
  { key: 'dialect', place: 200, schema: Type.String(), value: () => dialect.name },
  {
    ...{ key: 'apis', place: 210, schema: Type.Object({ enabled: Names, known: Names }) },
    value: () => ({ enabled: apis.enabled, known: apis.known }),
  },
  { key: 'read_only', place: 220, schema: Type.Boolean(), value: ({ readOnly = false }) => readOnly },
  {
    ...{ key: 'environment', place: 230, schema: Type.Object({ label: Nullable, colour: Nullable }) },
    value: () => ({ label, colour }),
  },
  {
    ...{ key: 'postgres', place: 240, schema: Type.Object({ version: Type.Integer() }) },
    value: () => ({ version: database.serverVersion }),
  },
  { key: 'workers', place: 245, schema: Type.Integer(), value: () => workers.count },
  {
    ...{ key: 'plugins', place: 250, schema: Type.Array(DescribedPlugin) },
    value: () => plugins.map(({ isBuiltIn, ...plugin }) => ({ ...plugin, built_in: isBuiltIn })),
  },
]

/** A member with its value, or nothing when its value cannot be reported. */
function reportedValue(
  { key, value: read }: ConfigurationMember,
  session: Session,
  observe: Engine['observe'],
): (readonly [string, unknown])[] {
  try {
    const value = read(session)
    // A value that JSON cannot hold would make the whole report fail.
    JSON.stringify(value)
    return [[key, value]]
  } catch (error) {
    const detail = `the member "${key}" of the configuration cannot be reported: ${messageOf(error)}`
    observe.log({ type: 'unstructured', level: 'error', detail })
    return []
  }
}

/** The configuration report; administrators only. */
export const configuration = ({
  configuration: report,
  observe,
}: Pick<Engine, 'configuration' | 'observe'>): Route => ({
  method: 'GET',
  url: '/v1alpha1/config',
  auth: 'admin',
  // Other plugins add to it after this one has registered.
  get about() {
    const shape = Object.fromEntries(report.all().map(({ key, schema }) => [key, schema]))
    return { summary: 'The configuration of the server, as far as clients need it.', result: Type.Object(shape) }
  },
  handle: ({ session }) =>
    Object.fromEntries(report.all().flatMap((member) => reportedValue(member, session, observe))),
})
