// How often roles may ask, each client by itself; `admin` has no limit.

import { definePlugin, option } from '../../sdk/index.ts'
import { apiLimits } from '../limits/index.ts'
import { rateLimit } from './check.ts'

export default definePlugin({
  name: 'rate-limit',
  dependencies: ['limits'],
  options: {
    trustedProxies: option.whole(
      0,
      { minimum: 0, maximum: 100 },
      {
        flag: 'trusted-proxies',
        variable: 'TRUSTED_PROXIES',
        placeholder: 'N',
        description: 'how many proxies in front of the server add to X-Forwarded-For, for rate limits by address',
      },
    ),
  },
  register({ options, around, use }) {
    const limits = use(apiLimits)
    if (limits.rate_limit && !limits.disabled) around(rateLimit(limits.rate_limit, options.trustedProxies))
  },
})
