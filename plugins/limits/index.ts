// Limits on what one request may ask of the server, by role; `admin` has none.

import { definePlugin, option, serviceKey } from '../../sdk/index.ts'
import { batchLimit } from './batches.ts'
import { readApiLimits } from './configuration.ts'
import type { ApiLimits } from './schema.ts'
import { sizeLimit } from './size.ts'
import { timeLimit } from './time.ts'

/** The limits that hold, for plugins that keep some of them. */
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
