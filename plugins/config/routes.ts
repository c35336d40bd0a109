import type { Route } from '../../sdk/http.ts'
import { type Engine, liveQueryOptions, Type, version } from '../../sdk/index.ts'

const ConfigReport = Type.Object({
  version: Type.String(),
  is_admin_secret_set: Type.Boolean(),
  is_auth_hook_set: Type.Boolean(),
  is_jwt_set: Type.Boolean(),
  jwt: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
  is_allow_list_enabled: Type.Boolean(),
  live_queries: Type.Object({ batch_size: Type.Integer(), refetch_delay: Type.Number() }),
})

/** The configuration report; administrators only. */
export const configuration = (engine: Engine): Route => ({
  method: 'GET',
  url: '/v1alpha1/config',
  auth: 'admin',
  about: { summary: 'What clients need to know of how the server is configured.', result: ConfigReport },
  handle: () => report(engine),
})

function report({ auth, dialect, settings }: Engine) {
  const { mode, configuration } = auth
  return {
    version,
    is_admin_secret_set: mode !== 'none',
    is_auth_hook_set: mode === 'webhook',
    is_jwt_set: mode === 'jwt',
    jwt: mode === 'jwt' ? configuration : null,
    is_allow_list_enabled: settings.enableAllowlist,
    live_queries: liveQueryOptions,
    ...(dialect.tellsConsoleAssets && { console_assets_dir: null }),
  }
}
