import type { Route } from '../../sdk/http.ts'
import { type ConfigurationMember, type Engine, messageOf, reportedVersion, Type } from '../../sdk/index.ts'

/** The members of the report that do not depend on plugins. */
export const members = ({
  auth,
  dialect,
  settings,
}: Pick<Engine, 'auth' | 'dialect' | 'settings'>): ConfigurationMember[] => {
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
  return all
}

/** A member with its value, or nothing when its value cannot be reported. */
function reportedValue(
  { key, value: read }: ConfigurationMember,
  observe: Engine['observe'],
): (readonly [string, unknown])[] {
  try {
    const value = read()
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
  handle: () => Object.fromEntries(report.all().flatMap((member) => reportedValue(member, observe))),
})
