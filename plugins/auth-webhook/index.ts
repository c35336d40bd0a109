// `--auth-hook`: requests are authenticated by a webhook.

import { definePlugin } from '../../sdk/index.ts'
import { webhookAuthenticator } from './authenticator.ts'

export default definePlugin({
  name: 'auth-webhook',
  register({ auth, dialect, observe, outgoing, settings }) {
    const { authHook: url, authHookMode: method } = settings
    if (url === null) return
    auth.use(webhookAuthenticator({ url, method, outgoing, observe, dialect }))
  },
})
