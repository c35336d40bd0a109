// Engines with a plugin that declares jobs.

import type { TestContext } from 'node:test'
import { type Job, type Jobs, jobs } from '../../plugins/jobs/index.ts'
import { definePlugin } from '../../sdk/index.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

export interface Worker extends TestTrellis {
  readonly jobs: Jobs
}

/** An engine with a plugin that declares these jobs; its service. */
export async function startWith(
  t: TestContext,
  declared: readonly Job[],
  options: TrellisOptions = {},
): Promise<Worker> {
  const found = Promise.withResolvers<Jobs>()
  const plugin = definePlugin({
    name: 'worker',
    dependencies: ['jobs'],
    register(engine) {
      const service = engine.use(jobs)
      for (const job of declared) service.declare(job)
      found.resolve(service)
    },
  })
  const trellis = await startTrellis(t, { ...options, plugins: [plugin, ...(options.plugins ?? [])] })
  return { ...trellis, jobs: await found.promise }
}
