// Limits on what one request may ask of the server, by role; `admin` has none.

import { definePlugin } from '../../sdk/index.ts'
import { batchLimit } from './batches.ts'
import { readApiLimits } from './configuration.ts'
import { sizeGuard } from './guard.ts'
import { timeLimit } from './time.ts'

export { readApiLimits } from './configuration.ts'

export default definePlugin({
  name: 'limits',
  register(engine) {
    const limits = readApiLimits(engine.settings.apiLimits, engine.dialect)
    if (limits.disabled) return
    engine.graphql.guard(sizeGuard(limits))
    engine.admission.add(batchLimit(limits))
    if (limits.time_limit) engine.wrap({ operation: timeLimit(limits), metadata: timeLimit(limits) })
  },
})
