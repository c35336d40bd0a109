// How often roles may ask, each client by itself; `admin` has no limit.

import { definePlugin } from '../../sdk/index.ts'
import { readApiLimits } from '../limits/index.ts'
import { rateLimit } from './check.ts'

export default definePlugin({
  name: 'rate-limit',
  dependencies: ['limits'],
  register({ settings, dialect, around }) {
    const limits = readApiLimits(settings.apiLimits, dialect)
    if (limits.rate_limit && !limits.disabled) around(rateLimit(limits.rate_limit, settings.trustedProxies))
  },
})
