import type { Route } from '../../sdk/http.ts'
import { type ConfigurationMember, type Engine, Type, version } from '../../sdk/index.ts'

/** What the report has whatever plugins there are. */
export const members = ({ auth, dialect }: Pick<Engine, 'auth' | 'dialect'>): ConfigurationMember[] => {
  const all: ConfigurationMember[] = [
    { key: 'version', place: 10, schema: Type.String(), value: () => dialect.toldVersion ?? version },
    { key: 'is_admin_secret_set', place: 20, schema: Type.Boolean(), value: () => auth.mode !== 'none' },
  ]
  if (dialect.tellsConsoleAssets)
    all.push({ key: 'console_assets_dir', place: 40, schema: Type.Null(), value: () => null })
  return all
}

/** The configuration report; administrators only. */
export const configuration = ({ configuration: report }: Pick<Engine, 'configuration'>): Route => ({
  method: 'GET',
  url: '/v1alpha1/config',
  auth: 'admin',
  // Other plugins add to it after this one has registered.
  get about() {
    const shape = Object.fromEntries(report.all().map(({ key, schema }) => [key, schema]))
    return { summary: 'What clients need to know of how the server is configured.', result: Type.Object(shape) }
  },
  handle: () => Object.fromEntries(report.all().map(({ key, value }) => [key, value()])),
})
