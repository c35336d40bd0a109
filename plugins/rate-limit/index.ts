// Limits the requests per minute of a role, for each client. `admin` has no limit.

import { definePlugin } from '../../sdk/index.ts'
import { apiLimits } from '../limits/index.ts'
import { rateLimit } from './check.ts'

export default definePlugin({
  name: 'rate-limit',
  dependencies: ['limits'],
  register({ settings, around, use }) {
    const limits = use(apiLimits)
    around(rateLimit(limits, settings.trustedProxies), () => limits.has('rate_limit'))
  },
})
