// Limits on what one request may ask of the server, by role; `admin` has none.

import { definePlugin } from '../../sdk/index.ts'
import { batchLimit } from './batches.ts'
import { readApiLimits } from './configuration.ts'
import { sizeLimit } from './size.ts'
import { timeLimit } from './time.ts'

export { readApiLimits } from './configuration.ts'

export default definePlugin({
  name: 'limits',
  register(engine) {
    const limits = readApiLimits(engine.settings.apiLimits, engine.dialect)
    if (limits.disabled) return
    engine.around({ document: sizeLimit(limits), batch: batchLimit(limits) })
    if (limits.time_limit) engine.around({ operation: timeLimit(limits), metadata: timeLimit(limits) })
  },
})
