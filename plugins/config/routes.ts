import type { Engine, Route } from '../../core/plugin.ts'
import { version } from '../../core/version.ts'

/** The configuration report; administrators only. */
export const configuration = (engine: Engine): Route => ({
  method: 'GET',
  url: '/v1alpha1/config',
  auth: 'admin',
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
    // The refetch delay is in seconds here, while the option that sets it counts milliseconds.
    live_queries: { batch_size: 100, refetch_delay: 1 },
    ...(dialect.name === 'hasura' && { console_assets_dir: null }),
  }
}
