// Limits the requests per minute of a role, for each client. `admin` has no limit.

import { definePlugin } from '../../sdk/index.ts'
import { apiLimits } from '../limits/index.ts'
import { rateLimit } from './check.ts'
import { windowsOf } from './shared-windows.ts'

export default definePlugin({
  name: 'rate-limit',
  dependencies: ['limits'],
  register({ settings, around, use, workers }) {
    const limits = use(apiLimits)
    around(rateLimit(limits, settings.trustedProxies, windowsOf(workers)), () => limits.has('rate_limit'))
  },
})
