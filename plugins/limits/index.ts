// Limits the size and time of requests by role; `admin` has no limits.

import { definePlugin, option, serviceKey } from '../../sdk/index.ts'
import { readApiLimits } from './configuration.ts'
import { EffectiveLimits } from './effective.ts'
import { batchLimit, sizeLimit, timeLimit } from './limits.ts'
import { limitOperations, limitsSlice } from './metadata.ts'

export type { EffectiveLimits, RoleLimits } from './effective.ts'
export { sizeOf } from './measure.ts'

/** The effective limits, for plugins that enforce some of them. */
export const apiLimits = serviceKey<EffectiveLimits>('api-limits')

export default definePlugin({
  name: 'limits',
  dependencies: ['metadata'],
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
    const { dialect, options, metadata, operations } = engine
    const limits = new EffectiveLimits(readApiLimits(options.apiLimits, dialect), () => engine.model.slices.api_limits)
    engine.provide(apiLimits, limits)
    metadata.slice('api_limits', limitsSlice(dialect))
    operations.add(...limitOperations(dialect))
    const time = timeLimit(limits)
    engine.around({ document: sizeLimit(limits), batch: batchLimit(limits) })
    engine.around({ operation: time, metadata: time }, () => limits.has('time_limit'))
  },
})
