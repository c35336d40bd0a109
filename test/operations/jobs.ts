// Background jobs: runs beside their schedule, and pauses.

import assert from 'node:assert/strict'
import type { Area, Call, Effect, Refusal } from './entry.ts'

// Its job is due once a year.
const yearly: Call = {
  type: 'create_cron_trigger',
  args: { name: 'yearly', webhook: 'http://127.0.0.1:1/hook', schedule: '0 0 1 1 *', include_in_metadata: true },
}

const name = 'cron trigger yearly'

const rowIs =
  (expected: object): Effect =>
  async ({ sql }) => {
    const rows = await sql(
      `select is_paused, (wake_at is not null or last_started_at is not null) as is_asked from trellis.job where name = '${name}'`,
    )
    assert.deepEqual(rows, [expected])
  }

const unknown: Refusal = {
  title: 'a job that is not there',
  args: { name: 'cron trigger yearl' },
  code: 'not-exists',
  path: '$.args.name',
  error: 'job "cron trigger yearl" does not exist',
  hint: `did you mean "${name}"?`,
}

const paused = { type: 'pause_job', args: { name } }

export const jobs: Area = {
  title: 'jobs',
  given: [yearly],
  operations: [
    {
      type: 'run_job_now',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [{ title: 'asks for a run', args: { name }, then: [rowIs({ is_paused: false, is_asked: true })] }],
      refuses: [
        unknown,
        {
          title: 'a paused job',
          given: [paused],
          args: { name },
          code: 'not-supported',
          path: '$.args.name',
          error: `job "${name}" is paused: resume it first`,
        },
      ],
    },
    {
      type: 'pause_job',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        { title: 'is stored for all instances', args: { name }, then: [rowIs({ is_paused: true, is_asked: false })] },
      ],
      refuses: [unknown],
    },
    {
      type: 'resume_job',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'ends a pause',
          given: [paused],
          args: { name },
          then: [rowIs({ is_paused: false, is_asked: false })],
        },
      ],
      refuses: [unknown],
    },
  ],
}
