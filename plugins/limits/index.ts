// Limits the size and time of requests by role; `admin` has no limits.

import { definePlugin, option, serviceKey } from '../../sdk/index.ts'
import { readApiLimits } from './configuration.ts'
import { batchLimit, sizeLimit, timeLimit } from './limits.ts'
import type { ApiLimits } from './schema.ts'

/** The effective limits, for plugins that enforce some of them. */
export const apiLimits = serviceKey<ApiLimits>('api-limits')

export default definePlugin({
  name: 'limits',
  options: {
    apiLimits: option.text({
      flag: 'api-limits',
      variable: 'API_LIMITS',
      json: 'object',
      placeholder: 'JSON',
      description: 'limits on the requests of roles other than admin, as a JSON object: see limits.md',
    }),
  },
  register(engine) {
    const limits = readApiLimits(engine.options.apiLimits, engine.dialect)
    engine.provide(apiLimits, limits)
    if (limits.disabled) return
    engine.around({ document: sizeLimit(limits), batch: batchLimit(limits) })
    if (limits.time_limit) engine.around({ operation: timeLimit(limits), metadata: timeLimit(limits) })
  },
})
