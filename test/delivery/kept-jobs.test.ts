// Jobs that follow the model, beside steps that fail: the engine and the jobs here are only as much of them as is used.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeptJob, keepJobs } from '../../plugins/delivery/kept-jobs.ts'
import { eventually } from '../support/waiting.ts'

type Engine = Parameters<typeof keepJobs>[0]
type Jobs = Parameters<typeof keepJobs>[1]

interface World {
  /** The served jobs by name, with their schedules. */
  readonly served: Map<string, unknown>
  /** Messages of the log, with the job and the error. */
  readonly logged: (readonly unknown[])[]
  /** Refuses a step: `declare a`, `reschedule a`, `remove a`. */
  readonly refused: Set<string>
  /** Changes the wanted jobs: a function that may throw. */
  change(wanted: () => readonly KeptJob[]): void
}

const every = (name: string, seconds: number): KeptJob => ({
  ...{ name, schedule: { every: seconds * 1000 } },
  run: () => {},
})

/** Kept jobs that are followed from the start on; none is wanted yet. */
function world(): World {
  const [served, refused, logged] = [new Map<string, unknown>(), new Set<string>(), [] as (readonly unknown[])[]]
  let wanted: () => readonly KeptJob[] = () => []
  let changed = () => {}
  const attempt = (step: string, act: () => void) => {
    if (refused.has(step)) throw new Error(`no ${step}`)
    act()
  }
  const engine = {
    metadata: {
      service: {
        model: {},
        onChange: (run: () => void) => {
          changed = run
        },
      },
    },
    onReady: (run: () => void) => run(),
    onStopping: () => {},
    observe: { log: ({ detail }: { detail: Record<string, unknown> }) => logged.push(Object.values(detail)) },
  }
  const jobs = {
    declare({ name, schedule }: KeptJob) {
      attempt(`declare ${name}`, () => served.set(name, schedule))
      return {
        name,
        reschedule: async (next: unknown) => attempt(`reschedule ${name}`, () => served.set(name, next)),
        remove: async () => attempt(`remove ${name}`, () => served.delete(name)),
      }
    },
  }
  keepJobs(engine as unknown as Engine, jobs as unknown as Jobs, () => wanted())
  return {
    ...{ served, refused, logged },
    change(next) {
      wanted = next
      changed()
    },
  }
}

test('a step that fails is logged, the others are done, and the next change tries it again', async () => {
  const { served, refused, logged, change } = world()
  change(() => [every('a', 1), every('b', 1), every('c', 1)])
  await eventually(() => served.size === 3)
  for (const step of ['remove a', 'reschedule b', 'declare d']) refused.add(step)
  const wanted = () => [every('b', 2), every('c', 2), every('d', 2), every('e', 2)]
  const shown = () => [...served].map(([name, schedule]) => `${name} ${(schedule as { every: number }).every}`).sort()
  change(wanted)
  await eventually(() => served.has('e'))
  assert.deepEqual(shown(), ['a 1000', 'b 1000', 'c 2000', 'e 2000'])
  assert.deepEqual(logged, [
    ['a job cannot be removed', 'a', 'no remove a'],
    ['a job cannot be rescheduled', 'b', 'no reschedule b'],
    ['a job cannot be declared', 'd', 'no declare d'],
  ])
  refused.clear()
  change(wanted)
  await eventually(() => served.has('d'))
  assert.deepEqual(shown(), ['b 2000', 'c 2000', 'd 2000', 'e 2000'])
})

test('a model whose jobs cannot be told is logged, and the next one is followed', async () => {
  const { served, logged, change } = world()
  change(() => {
    throw new Error('no schedule')
  })
  await eventually(() => logged.length > 0)
  change(() => [every('a', 1)])
  await eventually(() => served.has('a'))
  assert.deepEqual(logged[0], ['jobs cannot follow the metadata', null, 'no schedule'])
})
