// `--auth-hook`: authenticates requests by webhook.

import { definePlugin, option, Type } from '../../sdk/index.ts'
import { isHttpUrl, loggableUrl } from '../../sdk/services.ts'
import { webhookAuthenticator } from './authenticator.ts'

/** Refuses a text that is not an HTTP URL. */
const urlRefusal = (url: string): string | null =>
  isHttpUrl(url) ? null : 'Only expecting a URL such as https://host/path'

export default definePlugin({
  name: 'auth-webhook',
  options: {
    authHook: option.text({
      flag: 'auth-hook',
      variable: 'AUTH_HOOK',
      placeholder: 'URL',
      check: urlRefusal,
      shown: loggableUrl,
      authenticates: { mode: 'webhook', by: 'webhook', alone: true },
      description: 'webhook that authenticates requests without the admin secret',
    }),
    authHookMode: option.choice(['GET', 'POST'], 'GET', {
      flag: 'auth-hook-mode',
      variable: 'AUTH_HOOK_MODE',
      formerVariable: 'AUTH_HOOK_TYPE',
      placeholder: 'GET/POST',
      description: 'method of requests to the webhook; AUTH_HOOK_TYPE is the former name of the variable',
    }),
    authHookSendRequestBody: option.trueOrFalse(true, {
      flag: 'auth-hook-send-request-body',
      variable: 'AUTH_HOOK_SEND_REQUEST_BODY',
      description: 'send the GraphQL request to a webhook that is called by POST, with --graphql-interface 2',
    }),
  },
  logged: ({ authHook, authHookMode }) => [
    { key: 'auth_hook', place: 41, value: authHook && loggableUrl(authHook) },
    { key: 'auth_hook_mode', place: 42, value: authHook && authHookMode },
  ],
  register({ auth, configuration, dialect, observe, options, outgoing, settings }) {
    const isSet = { key: 'is_auth_hook_set', place: 21, schema: Type.Boolean(), value: () => auth.mode === 'webhook' }
    configuration.add(isSet)
    const { authHook: url, authHookMode: method, authHookSendRequestBody: mayBeSent } = options
    if (url === null) return
    const sendsRequest = settings.graphqlInterface === '2' && mayBeSent
    auth.use(webhookAuthenticator({ url, method, outgoing, observe, dialect, sendsRequest }))
  },
})
