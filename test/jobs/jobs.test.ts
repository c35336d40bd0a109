// Jobs of plugins: their times, the instances that run them, and failed runs.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../../plugins/jobs/index.ts'
import { definePlugin } from '../../sdk/index.ts'
import type { Observer } from '../../sdk/services.ts'
import { testDatabase } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'
import { startWith } from './worker.ts'

/** The answer of `GET /dev/jobs`. */
interface DeveloperView {
  readonly backend: string
  readonly reachable: boolean
  readonly jobs: readonly {
    readonly name: string
    readonly runs: number
    readonly failures_in_row: number
    readonly last_error: string | null
    readonly next_run_at: string
  }[]
}

test('an interval job runs once per occurrence across all instances', async (t) => {
  const database = await testDatabase(t)
  const runs: { instance: string; dueAt: number }[] = []
  const jobOf = (instance: string): Job => ({
    name: 'sweep',
    schedule: { every: 1000 },
    run: ({ dueAt }) => void runs.push({ instance, dueAt: dueAt.getTime() }),
  })
  await Promise.all(['a', 'b', 'c'].map((instance) => startWith(t, [jobOf(instance)], { database })))
  const due = () => runs.map(({ dueAt }) => dueAt)
  // On a slow machine, only the last of several late occurrences runs.
  const inARow = (times: readonly number[]) => times.every((time, i) => time === times[0]! + i * 1000)
  await eventually(() => runs.length >= 5 && inARow(due().slice(-3)))
  assert.deepEqual(due(), [...new Set(due())].sort())
  assert.ok(due().every((time) => time % 1000 === 0))
})

test('a dropped table of entries is created again, at start and while servers run', async (t) => {
  const database = await testDatabase(t)
  let runs = 0
  const job: Job = { name: 'sweep', schedule: { every: 1000 }, run: () => void runs++ }
  const drop = async () => {
    await database.sql('drop table trellis.agenda_job')
    runs = 0
  }
  const server = await startWith(t, [job], { database })
  await eventually(() => runs > 0)
  await drop()
  await eventually(() => runs > 0)
  await server.engine.close()
  await drop()
  await startWith(t, [job], { database })
  await eventually(() => runs > 0)
})

test('a job per instance runs on all of them', async (t) => {
  const database = await testDatabase(t)
  const runs: string[] = []
  const jobOf = (instance: string): Job => ({
    name: 'look',
    per: 'instance',
    schedule: { every: 50 },
    run: () => void runs.push(instance),
  })
  await Promise.all(['a', 'b'].map((instance) => startWith(t, [jobOf(instance)], { database })))
  await eventually(
    () => runs.filter((each) => each === 'a').length > 3 && runs.filter((each) => each === 'b').length > 3,
  )
})

test('a job at a time runs once, however often servers start', async (t) => {
  const database = await testDatabase(t)
  const runs: number[] = []
  const job: Job = {
    name: 'once',
    schedule: { at: new Date(Date.now() + 700) },
    run: ({ dueAt }) => void runs.push(+dueAt),
  }
  const first = await startWith(t, [job], { database })
  const second = await startWith(t, [job], { database })
  await eventually(() => runs.length > 0)
  await eventually(async () => (await first.jobs.states())[0]?.runs === 1)
  await first.engine.close()
  await second.engine.close()
  const third = await startWith(t, [job], { database })
  await sleep(500)
  assert.equal(runs.length, 1)
  assert.equal((await third.jobs.states())[0]?.nextRunAt, null)
})

test('a job without schedule runs when it is woken, at once or at a time', async (t) => {
  const runs: number[] = []
  const trellis = await startWith(t, [])
  const job = trellis.jobs.declare({ name: 'asked', run: () => void runs.push(Date.now()) })
  await job.wake()
  await eventually(() => runs.length === 1)
  const at = new Date(Date.now() + 1500)
  await job.wake(at)
  await job.wake(new Date(Date.now() + 60_000))
  await eventually(() => runs.length === 2)
  assert.ok(runs[1]! >= at.getTime())
})

test('a body that throws or hangs is counted, and affects no other job', async (t) => {
  let good = 0
  const bodies: Job[] = [
    { name: 'good', schedule: { every: 1000 }, run: () => void good++ },
    {
      name: 'hangs',
      schedule: { every: 1000 },
      timeout: 100,
      run: ({ signal }) =>
        new Promise((_done, failed) => signal.addEventListener('abort', () => failed(signal.reason))),
    },
    {
      name: 'ends late',
      schedule: { every: 1000 },
      timeout: 100,
      run: async ({ signal }) => void (await once(signal, 'abort')),
    },
    {
      name: 'throws late',
      schedule: { every: 1000 },
      timeout: 100,
      async run({ signal }) {
        await once(signal, 'abort')
        throw new Error('aborted')
      },
    },
    {
      name: 'throws',
      schedule: { every: 1000 },
      run() {
        throw new Error('the harbour is closed')
      },
    },
    {
      name: 'throws U+0000',
      schedule: { every: 1000 },
      run() {
        throw new Error('a message that PostgreSQL refuses: \0')
      },
    },
    {
      name: 'throws on',
      schedule: { every: 1000 },
      run() {
        throw new Error('database query error', { cause: new Error('canceling statement due to lock timeout') })
      },
    },
  ]
  const entries: unknown[] = []
  const observe: Observer = {
    isEnabled: () => true,
    log: ({ type, detail }) => void (type === 'jobs' && entries.push(detail)),
    flush: () => {},
  }
  const worker = await startWith(t, bodies, {
    observe,
    settings: { enabledApis: ['metadata', 'developer', 'metrics'] },
  })
  await eventually(() => good >= 3)
  const body = await eventually(async () => {
    const { body } = await worker.request<DeveloperView>('/dev/jobs', { role: 'admin' })
    return body.jobs.every(({ runs }) => runs >= 2) && body
  })
  assert.deepEqual(
    body.jobs.map(({ name, failures_in_row: failures, runs, last_error: error }) => [name, failures === runs, error]),
    [
      ['ends late', true, 'took longer than 0.1 s'],
      ['good', false, null],
      ['hangs', true, 'took longer than 0.1 s'],
      ['throws', true, 'the harbour is closed'],
      ['throws U+0000', true, 'the message of the error cannot be stored'],
      ['throws late', true, 'took longer than 0.1 s'],
      ['throws on', true, 'database query error: canceling statement due to lock timeout'],
    ],
  )
  assert.deepEqual([body.backend, body.reachable], ['PostgreSQL', true])
  assert.ok(body.jobs.every(({ next_run_at: next }) => Date.parse(next) > Date.now() - 60_000))
  const { stack, ...told } = Object(entries.find((each) => Object(each).job === 'throws'))
  assert.deepEqual(told, { message: 'a job failed', job: 'throws', error: 'the harbour is closed' })
  assert.match(stack, /^Error: the harbour is closed\n +at /)
  const { text } = await worker.request('/v1/metrics', { role: 'admin' })
  assert.match(text, /^service_job_failures_in_row\{job="throws"\} [1-9]/m)
  assert.match(text, /^service_job_run_seconds_count\{job="good",outcome="ok"\} [1-9]/m)
  assert.doesNotMatch(text, /^service_job_run_seconds_count\{job="ends late",outcome="ok"\}/m)
  assert.match(text, /^service_job_last_start_timestamp_seconds\{job="good"\} \d{10}/m)
})

test('a stopping server aborts its bodies, waits for them, and leaves no lock', async (t) => {
  const database = await testDatabase(t)
  const begun: string[] = []
  const heard: string[] = []
  const body =
    (millis: number): Job['run'] =>
    async ({ name, signal }) => {
      begun.push(name)
      await once(signal, 'abort')
      await sleep(millis)
      heard.push(name)
    }
  const deaf: Job['run'] = ({ name }) => {
    begun.push(name)
    return new Promise<void>(() => {})
  }
  const worker = await startWith(t, [], { database, settings: { gracefulShutdownTimeout: 2 } })
  const runs = [
    worker.jobs.declare({ name: 'listens', run: body(300) }),
    worker.jobs.declare({ name: 'listens here', per: 'instance', run: body(300) }),
    worker.jobs.declare({ name: 'deaf', run: deaf }),
  ]
  for (const job of runs) await job.wake()
  // The states count a run from its claim on, whose answer may arrive when the server already stops.
  await eventually(() => begun.length === runs.length)
  await worker.engine.close()
  assert.deepEqual(heard.sort(), ['listens', 'listens here'])
  const rows = await database.sql(
    'select name, runs::text, failures_in_row::int as failed from trellis.job order by name',
  )
  assert.deepEqual(rows, [
    { name: 'deaf', runs: '{}', failed: 1 },
    { name: 'listens', runs: '{}', failed: 0 },
  ])
  assert.deepEqual(await database.sql('select name from trellis.agenda_job where locked_at is not null'), [])
})

test('occurrences during a run are made up for once after it', async (t) => {
  const due: number[] = []
  let most = 0
  let running = 0
  await startWith(t, [
    {
      name: 'slow',
      schedule: { every: 1000 },
      async run({ dueAt }) {
        due.push(dueAt.getTime())
        most = Math.max(most, ++running)
        await sleep(due.length === 1 ? 2500 : 10)
        running--
      },
    },
  ])
  await eventually(() => due.length >= 3)
  assert.equal(most, 1)
  // The first occurrence that became due during the run is skipped.
  assert.ok(due[1]! - due[0]! >= 2000)
  assert.ok(due[2]! > due[1]!)
})

test('runs of a job overlap if it allows that', async (t) => {
  let running = 0
  const job: Job = {
    name: 'wide',
    schedule: { every: 1000 },
    concurrency: 3,
    async run({ signal }) {
      running++
      await once(signal, 'abort')
    },
  }
  const worker = await startWith(t, [job])
  await eventually(() => running === 3)
  await sleep(1500)
  assert.equal(running, 3)
  assert.equal((await worker.jobs.states())[0]?.running, 3)
})

test('a paused job runs on no instance until it is resumed, and operations ask for runs', async (t) => {
  const database = await testDatabase(t)
  const runs: string[] = []
  const jobsOf = (instance: string): Job[] => [
    { name: 'sweep', schedule: { every: 200 }, run: () => void runs.push(`sweep ${instance}`) },
    { name: 'asked', run: () => void runs.push(`asked ${instance}`) },
    { name: 'own', per: 'instance', run: () => void runs.push(`own ${instance}`) },
  ]
  const [a, b] = [await startWith(t, jobsOf('a'), { database }), await startWith(t, jobsOf('b'), { database })]
  const ranTimes = (name: string) => runs.filter((each) => each.startsWith(name)).length
  await eventually(() => ranTimes('sweep') > 1)
  await a.op('pause_job', { name: 'sweep' })
  const stateOf = async (name: string) => (await b.jobs.states()).find((each) => each.name === name)!
  // A run that was claimed before may still end.
  await eventually(async () => (await stateOf('sweep')).running === 0)
  const before = ranTimes('sweep')
  for (let i = 0; i < 5; i++) {
    const { runs: counted } = await stateOf('asked')
    await b.op('run_job_now', { name: 'asked' })
    await eventually(async () => (await stateOf('asked')).runs > counted)
  }
  const paused = await stateOf('sweep')
  assert.deepEqual([ranTimes('sweep'), paused.isPaused, paused.nextRunAt], [before, true, null])
  await b.op('resume_job', { name: 'sweep' })
  await eventually(() => ranTimes('sweep') > before)
  assert.equal((await stateOf('sweep')).isPaused, false)
  await a.op('run_job_now', { name: 'own' })
  await eventually(() => runs.includes('own a'))
  assert.equal(runs.includes('own b'), false)
  const { status, body } = await a.opError('pause_job', { name: 'own' })
  const error = 'job "own" runs on each instance by itself, and cannot be paused'
  assert.deepEqual([status, body], [400, { path: '$.args.name', error, code: 'not-supported' }])
})

test('a run of a dead instance is repeated by another', async (t) => {
  const database = await testDatabase(t)
  const runs: number[] = []
  const at = new Date(Date.now() - 60_000)
  const job: Job = { name: 'import', schedule: { at }, run: ({ dueAt }) => void runs.push(dueAt.getTime()) }
  await startWith(t, [], { database })
  // The state that an instance leaves when it is killed during the run, a lease ago.
  await database.sql(
    `insert into trellis.job (name, schedule, tick, runs) values ('import', $1, $2, '{"gone": {"until": 1, "instance": "x"}}')`,
    [`at ${at.toISOString()}`, at.toISOString()],
  )
  await startWith(t, [job], { database })
  await eventually(() => runs.length === 1)
  await eventually(async () => {
    const [row] = await database.sql(`select runs::text from trellis.job where name = 'import'`)
    return row!['runs'] === '{}'
  })
  assert.deepEqual(runs, [at.getTime()])
})

test('a removed job stops, and a rescheduled one follows only the new schedule', async (t) => {
  const runs: string[] = []
  const worker = await startWith(t, [])
  const declare = (name: string, every: number) =>
    worker.jobs.declare({ name, schedule: { every }, run: () => void runs.push(name) })
  const removed = declare('removed', 1000)
  const moved = declare('moved', 24 * 3_600_000)
  await eventually(() => runs.includes('removed'))
  await removed.remove()
  await moved.reschedule({ every: 1000 })
  const before = runs.filter((name) => name === 'removed').length
  await eventually(() => runs.filter((name) => name === 'moved').length >= 2)
  assert.equal(runs.filter((name) => name === 'removed').length, before)
  assert.deepEqual(await worker.sql('select name from trellis.job'), [{ name: 'moved' }])
  assert.doesNotThrow(() => declare('removed', 1000))
})

test('invalid jobs are refused when they are declared', async (t) => {
  const { jobs } = await startWith(t, [{ name: 'taken', run: () => {} }])
  const refusals: [Partial<Job>, string][] = [
    [{ name: '' }, `a job's name has 1 to 200 characters, none of which is U+0000 or half of one`],
    [{ name: 'night\0ly' }, `a job's name has 1 to 200 characters, none of which is U+0000 or half of one`],
    [{ name: 'night\ud800ly' }, `a job's name has 1 to 200 characters, none of which is U+0000 or half of one`],
    [{ name: 'taken' }, 'job "taken" is declared already'],
    [{ name: 'constructor' }, 'job "constructor" has the name of a member that every object has'],
    [{ name: '__proto__' }, 'job "__proto__" has the name of a member that every object has'],
    [{ schedule: { cron: '* * * *' } }, '"* * * *" is not a cron expression: it must have five fields'],
    [{ schedule: { cron: '0 3 * * *', timezone: 'Mars/Olympus' } }, '"Mars/Olympus" is not an IANA time zone'],
    [{ schedule: { every: 0.5 } }, '0.5 is not a valid interval in milliseconds'],
    [{ schedule: { at: new Date('never') } }, 'Invalid Date is not a valid date'],
    [{ concurrency: 0 }, 'job "x": concurrency is at least 1'],
    [{ timeout: -1 }, 'job "x": a timeout is a number of milliseconds'],
  ]
  for (const [wrong, message] of refusals) {
    assert.throws(() => jobs.declare({ name: 'x', run: () => {}, ...wrong }), { name: 'TypeError', message })
  }
  assert.throws(
    () => jobs.declare({ name: 'x', run: () => {}, schedule: { cron: '99 * * * *' } }),
    /"99 \* \* \* \*" is not a cron/,
  )
})

test('a job woken at an invalid time does not run, and affects no other job', async (t) => {
  const runs: string[] = []
  const jobOf = (name: string, per: Job['per']): Job => ({ name, per, run: () => void runs.push(name) })
  const { jobs } = await startWith(t, [])
  const woken = [jobs.declare(jobOf('a', 'cluster')), jobs.declare(jobOf('b', 'instance'))]
  const message = 'Invalid Date is not a valid date'
  for (const job of woken) await assert.rejects(job.wake(new Date('never')), { name: 'TypeError', message })
  for (const job of woken) await job.wake()
  const other = jobs.declare({ ...jobOf('c', 'cluster'), schedule: { every: 500 } })
  await eventually(() => ['a', 'b', 'c'].every((name) => runs.includes(name)))
  await other.remove()
})

test('idle jobs cost one statement every few seconds, and no connection', async (t) => {
  let statements = 0
  const counter = definePlugin({
    name: 'counter',
    register: (engine) =>
      engine.around({
        statement(_work, run) {
          statements++
          return run()
        },
      }),
  })
  const idle = Array.from({ length: 50 }, (_, i): Job => {
    return { name: `nightly ${i}`, schedule: { every: 24 * 3_600_000 }, run: () => {} }
  })
  const worker = await startWith(t, idle, { plugins: [counter] })
  await eventually(
    async () => Number((await worker.sql('select count(*) from trellis.agenda_job'))[0]!['count']) === 50,
  )
  await sleep(500)
  statements = 0
  const began = performance.now()
  await sleep(16_000)
  const seconds = (performance.now() - began) / 1000
  // The metadata is polled each second, the entries of the jobs each 5 s, and their ledger each 15 s.
  assert.ok(statements <= 1.45 * seconds, `${statements} statements in ${seconds} s`)
})
