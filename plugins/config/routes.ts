import type { Route } from '../../sdk/http.ts'
import { type ConfigurationMember, type Engine, messageOf, Type, toldVersion } from '../../sdk/index.ts'

/** The members of the report that do not depend on plugins. */
export const members = ({
  auth,
  dialect,
  settings,
}: Pick<Engine, 'auth' | 'dialect' | 'settings'>): ConfigurationMember[] => {
  const all: ConfigurationMember[] = [
    { key: 'version', place: 10, schema: Type.String(), value: () => toldVersion(dialect, settings.graphqlInterface) },
    { key: 'is_admin_secret_set', place: 20, schema: Type.Boolean(), value: () => auth.mode !== 'none' },
  ]
  if (dialect.tellsConsoleAssets) {
    const schema = Type.Union([Type.String(), Type.Null()])
    all.push({ key: 'console_assets_dir', place: 40, schema, value: () => settings.consoleAssetsDir })
  }
  return all
}

/** A member with its value, or nothing when it cannot be told. */
function toldValue({ key, value }: ConfigurationMember, observe: Engine['observe']): (readonly [string, unknown])[] {
  try {
    const told = value()
    // A value that JSON cannot hold would make the whole report fail.
    JSON.stringify(told)
    return [[key, told]]
  } catch (error) {
    const detail = `the member "${key}" of the configuration cannot be told: ${messageOf(error)}`
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
    return { summary: 'What clients need to know of how the server is configured.', result: Type.Object(shape) }
  },
  handle: () => Object.fromEntries(report.all().flatMap((member) => toldValue(member, observe))),
})
