// `--workers`: several processes that serve one port.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import {
  embeddedPid,
  spawnTrellis,
  startedDirectory,
  type TrellisProcess,
  temporaryDirectory,
} from '../support/process.ts'
import { eventually } from '../support/waiting.ts'

const plugin = new URL('worker-plugin.ts', import.meta.url).pathname
const twoWorkers = ['--server-host', '127.0.0.1', '--server-port', '0', '--workers', '2', '--plugin', plugin] as const

/** The answer of the plugin. */
interface Self {
  readonly worker: number
  readonly count: number
  readonly pid: number
  readonly connections: number
}

/** One connection to the server, which one worker answers. */
class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #url: string

  constructor(t: TestContext, url: string) {
    this.#url = url
    atEnd(t, () => this.#agent.destroy())
  }

  async text(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const method = body === undefined ? 'GET' : 'POST'
    const all = { 'content-type': 'application/json', ...headers }
    const asked = request(this.#url + path, { agent: this.#agent, method, headers: all })
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of answer) text += chunk
    return { status: answer.statusCode, text }
  }

  /** The answer as JSON. */
  async ask<T = unknown>(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<T> {
    return JSON.parse((await this.text(path, body, headers)).text)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** A connection to the worker of that number. */
const connectionTo = (t: TestContext, url: string, worker: number) =>
  eventually(async () => {
    const connection = new Connection(t, url)
    if ((await connection.ask<Self>('/worker')).worker === worker) return connection
    connection.close()
    return null
  })

/** A connection to each worker, in their order. */
const connections = async (t: TestContext, url: string) =>
  [await connectionTo(t, url, 1), await connectionTo(t, url, 2)] as const

async function operate(connection: Connection, type: string, args: unknown, version = 1): Promise<void> {
  const { status, text } = await connection.text('/v1/query', { type, version, args })
  assert.equal(status, 200, text)
}

const query = (connection: Connection, text: string, headers?: Readonly<Record<string, string>>) =>
  connection.ask<{ readonly data?: object; readonly errors?: object }>('/v1/graphql', { query: text }, headers)

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A webhook that keeps the ids of the events that it was called for. */
async function webhook(t: TestContext) {
  const ids: string[] = []
  const server = createServer(async (call, answer) => {
    let text = ''
    for await (const chunk of call) text += chunk
    ids.push(JSON.parse(text).id)
    answer.end('{}')
  }).listen(0, '127.0.0.1')
  atEnd(t, () => server.close())
  await once(server, 'listening')
  return { ids, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The lines of the log, each of which is JSON. */
const logOf = ({ stdout }: TrellisProcess) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { readonly worker?: number; readonly type: string; readonly msg: string })

test('two workers are one server', async (t) => {
  const directory = await startedDirectory(t)
  const apis = 'metadata,graphql,config,metrics,developer'
  const server = spawnTrellis(t, [
    ...['--data-dir', directory, '--connections', '9', '--enabled-apis', apis, ...twoWorkers],
  ])
  const url = await server.ready()
  const both = await connections(t, url)
  const [first, second] = both

  await t.test('the connections to the database are divided', async () => {
    const selves = await Promise.all(both.map((each) => each.ask<Self>('/worker')))
    assert.deepEqual(
      selves.map(({ worker, count, connections }) => ({ worker, count, connections })),
      [
        { worker: 1, count: 2, connections: 5 },
        { worker: 2, count: 2, connections: 4 },
      ],
    )
    const { workers } = await first.ask<{ workers: number }>('/v1alpha1/config')
    assert.equal(workers, 2)
    assert.match(server.stderr, /Workers +2\n/)
    assert.equal(server.stderr.match(/Listening/g)?.length, 1)
  })

  await t.test('each worker serves a change once it is answered', async () => {
    await operate(first, 'run_sql', { sql: 'create table harbour (id int primary key, name text)' })
    await operate(first, 'track_table', 'harbour')
    for (let round = 0; round < 40; round++) {
      const [changing, asking] = round % 2 === 0 ? [first, second] : [second, first]
      const field = `harbours_${round}`
      const fields = { custom_root_fields: { select: field }, custom_column_names: {} }
      await operate(changing, 'set_table_custom_fields', { table: 'harbour', ...fields }, 2)
      assert.deepEqual(await query(asking, `{ ${field} { id } }`), { data: { [field]: [] } })
    }
    const none = { custom_root_fields: {}, custom_column_names: {} }
    await operate(second, 'set_table_custom_fields', { table: 'harbour', ...none }, 2)
    await operate(second, 'run_sql', { sql: 'alter table harbour rename name to title' })
    assert.deepEqual(await query(first, '{ harbour { title } }'), { data: { harbour: [] } })
  })

  await t.test('changes on both workers at once do not wait for each other for long', async () => {
    const started = performance.now()
    const track = async (connection: Connection, worker: number) => {
      for (let i = 0; i < 10; i++) {
        const name = `pier_${worker}_${i}`
        await operate(connection, 'run_sql', { sql: `create table ${name} (id int primary key)` })
        await operate(connection, 'track_table', name)
      }
    }
    await Promise.all([track(first, 1), track(second, 2)])
    assert.deepEqual(await query(first, '{ pier_2_9 { id } }'), { data: { pier_2_9: [] } })
    assert.ok(performance.now() - started < 20_000)
  })

  await t.test('each event is delivered once', async (t) => {
    const { ids, url: hook } = await webhook(t)
    await operate(second, 'create_event_trigger', {
      ...{ name: 'arrival', table: 'harbour', webhook: hook, insert: { columns: '*' } },
    })
    for (const [i, connection] of both.entries()) {
      const objects = Array.from({ length: 100 }, (_, n) => `{id: ${i * 100 + n}}`)
      await query(connection, `mutation { insert_harbour(objects: [${objects}]) { affected_rows } }`)
    }
    const at = new Date().toISOString()
    for (const each of both)
      await operate(each, 'create_scheduled_event', { webhook: hook, schedule_at: at, payload: {} })
    await eventually(() => ids.length >= 202)
    await operate(first, 'delete_event_trigger', { name: 'arrival' })
    assert.deepEqual([ids.length, new Set(ids).size], [202, 202])
  })

  await t.test('metrics and pages for developers show all workers', async () => {
    for (const each of both) await query(each, '{ harbour_aggregate { aggregate { count } } }')
    const { text } = await second.text('/v1/metrics')
    const numberOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
    const { result } = await first.ask<{ result: string[][] }>('/v1/query', {
      ...{ type: 'run_sql', args: { sql: 'select resource_version from trellis.metadata', read_only: true } },
    })
    assert.equal(numberOf('service_metadata_resource_version'), Number(result[1]![0]))
    assert.equal(numberOf('service_info\\{version="[^"]+"\\}'), 1)
    const answered = numberOf('service_http_requests_total\\{endpoint="/worker",role="none",status="200",code="ok"\\}')
    const lines = logOf(server).filter(({ type }) => type === 'http-log')
    assert.ok(answered >= 4, text)
    assert.deepEqual([...new Set(lines.map(({ worker }) => worker))].sort(), [1, 2])
    const plans = await first.ask<{ query: string }[]>('/dev/plan_cache')
    assert.equal(plans.filter(({ query: each }) => each.includes('harbour_aggregate')).length, 2)
    const { process } = await first.ask<{ process: { memory: { rss: { val: number } } } }>('/dev/ekg')
    assert.ok(process.memory.rss.val > 0)
  })

  await t.test('a rate limit counts the requests of both', async () => {
    const table = { table: 'harbour', role: 'sailor', permission: { columns: '*', filter: {} } }
    await operate(first, 'create_select_permission', table)
    await operate(first, 'set_api_limits', { disabled: false, rate_limit: { global: { max_reqs_per_min: 6 } } })
    const outcomes: boolean[] = []
    for (let i = 0; i < 10; i++) {
      const { errors } = await query(both[i % 2]!, '{ harbour(limit: 1) { id } }', { 'x-service-role': 'sailor' })
      outcomes.push(errors === undefined)
      await sleep(60)
    }
    assert.equal(outcomes.filter((isGood) => isGood).length, 6)
    await operate(first, 'remove_api_limits', {})
  })

  await t.test('a subscription on one worker sees the writes of the other', async (t) => {
    const sockets = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/graphql`, 'graphql-transport-ws')
        atEnd(t, () => socket.close())
        const received: string[] = []
        socket.addEventListener('message', ({ data }) => received.push(String(data)))
        await once(socket, 'open')
        socket.send('{"type":"connection_init"}')
        const payload = { query: 'subscription { harbour(where: {id: {_eq: 900}}) { title } }' }
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
        return received
      }),
    )
    await eventually(() => sockets.every((received) => received.some((text) => text.includes('"next"'))))
    await query(first, 'mutation { insert_harbour_one(object: {id: 900, title: "Bergen"}) { id } }')
    await eventually(() => sockets.every((received) => received.some((text) => text.includes('Bergen'))))
    const reserved = await fetch(`${url}/v1/graphql`, { method: 'PUT' })
    assert.deepEqual(await reserved.json(), {
      ...{ path: '$', code: 'not-supported' },
      error:
        'a server with several workers reserves no stream: open one stream for each operation (singleConnection: false)',
    })
  })

  await t.test('long lines of both workers do not mix in the log', async () => {
    await Promise.all(both.map((each) => each.ask('/lines')))
    const long = await eventually(() => {
      const lines = server.stdout.split('\n').filter((line) => line.includes('"unstructured"') && line.length > 60_000)
      return lines.length === 40 && lines
    })
    for (const line of long) {
      const { worker, detail } = JSON.parse(line)
      assert.equal(detail, String(worker).repeat(60_000))
    }
  })

  await t.test('a worker that does not answer delays a change for a bounded time, and serves it later', async () => {
    const { pid } = await second.ask<Self>('/worker')
    process.kill(pid, 'SIGSTOP')
    const started = performance.now()
    await operate(first, 'untrack_table', { table: 'pier_1_1' })
    const waited = performance.now() - started
    assert.ok(waited > 4_000 && waited < 15_000, String(waited))
    await server.output(/worker 2 does not serve the metadata of version \d+ yet/)
    process.kill(pid, 'SIGCONT')
    await eventually(async () => (await query(second, '{ pier_1_1 { id } }')).errors !== undefined)
  })

  await t.test('a killed worker is replaced, and costs no request that it had not accepted', async () => {
    const { pid } = await second.ask<Self>('/worker')
    const outcomes: (Self | Error)[] = []
    let isOver = false
    const client = async () => {
      while (!isOver) {
        const connection = new Connection(t, url)
        outcomes.push(await connection.ask<Self>('/worker').catch((error: Error) => error))
        connection.close()
      }
    }
    const clients = [first, first].map(async (each) => {
      while (!isOver) outcomes.push(await each.ask<Self>('/worker').catch((error: Error) => error))
    })
    const others = [client(), client(), client()]
    await sleep(100)
    process.kill(pid, 'SIGKILL')
    const successor = await eventually(() =>
      outcomes.find((each): each is Self => !(each instanceof Error) && each.worker === 2 && each.pid !== pid),
    )
    isOver = true
    await Promise.all([...clients, ...others])
    const failed = outcomes.filter((each) => each instanceof Error)
    // At most the requests that the worker had accepted when it was killed: one of each client.
    assert.ok(failed.length <= 3, failed.join())
    assert.equal(successor.connections, 4)
    await server.output(/worker 2 ended \(SIGKILL\), starting it again/)
    const [, heir] = await connections(t, url)
    assert.deepEqual(await query(heir, '{ harbour(where: {id: {_eq: 900}}) { title } }'), {
      data: { harbour: [{ title: 'Bergen' }] },
    })
    heir.close()
  })

  await t.test('SIGTERM lets the requests of both workers end, then all processes', async (t) => {
    const fresh = await connections(t, url)
    const answers = fresh.map((each) => each.ask<Self>('/slow/1500'))
    await sleep(200)
    server.kill('SIGTERM')
    assert.deepEqual(
      (await Promise.all(answers)).map(({ worker }) => worker),
      [1, 2],
    )
    assert.equal((await server.ended).code, 0)
    assert.equal(embeddedPid(directory), null)
    assert.ok(logOf(server).length > 0)
  })
})

test('with --shutdown-delay each worker serves on while it is not ready, and a killed supervisor ends them', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const args = ['--database-url', databaseUrl, '--shutdown-delay', '600', ...twoWorkers]
  const server = spawnTrellis(t, args)
  const url = await server.ready()
  const both = await connections(t, url)
  const pids = await Promise.all(both.map(async (each) => (await each.ask<Self>('/worker')).pid))
  server.kill('SIGTERM')
  for (const each of both) await eventually(async () => (await each.text('/readyz')).status === 503)
  for (const each of both) assert.equal((await each.text('/worker')).status, 200)
  server.kill('SIGKILL')
  await server.ended
  await eventually(() => !pids.some(isRunning))
})

test('a second signal ends all processes at once', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const server = spawnTrellis(t, ['--database-url', databaseUrl, ...twoWorkers])
  const url = await server.ready()
  const both = await connections(t, url)
  const pids = await Promise.all(both.map(async (each) => (await each.ask<Self>('/worker')).pid))
  const cut = both.map((each) => each.ask('/slow/60000').catch(() => 'cut off'))
  await sleep(200)
  server.kill('SIGTERM')
  await sleep(500)
  server.kill('SIGINT')
  assert.equal((await server.ended).code, 130)
  assert.deepEqual(await Promise.all(cut), ['cut off', 'cut off'])
  await eventually(() => !pids.some(isRunning))
})

test('a worker that cannot start ends the server with its error', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const server = spawnTrellis(t, ['--database-url', databaseUrl, ...twoWorkers], { FAILING_WORKER: '2' })
  const { code, stderr } = await server.ended
  assert.equal(code, 1)
  assert.match(stderr, /^Fatal Error: .*which-worker.*this worker does not start.*\n$/)
})

test('when no worker serves, a successor that cannot start ends the server with its error', async (t) => {
  const { url: databaseUrl } = await testDatabase(t)
  const file = join(temporaryDirectory(t), 'fail')
  const server = spawnTrellis(t, ['--database-url', databaseUrl, ...twoWorkers], { FAILING_FILE: file })
  const url = await server.ready()
  const [first, second] = await connections(t, url)
  const [one, two] = [await first.ask<Self>('/worker'), await second.ask<Self>('/worker')]
  writeFileSync(file, '')
  process.kill(one.pid, 'SIGKILL')
  await server.output(/worker 1 cannot start: .*this worker does not start/)
  assert.equal((await second.ask<Self>('/worker')).pid, two.pid)
  process.kill(two.pid, 'SIGKILL')
  const { code, stderr } = await server.ended
  assert.equal(code, 1)
  assert.match(stderr, /^Fatal Error: .*this worker does not start.*$/m)
})

test('numbers of workers that cannot be are refused', async (t) => {
  const refusals = [
    [['--workers', '0'], 'Fatal Error:- Option --workers: Only expecting a whole number from 1 to 256, or auto\n'],
    [
      ['--workers', '4', '--connections', '3'],
      'Fatal Error:- Option --workers: 4 workers need a connection each, and --connections allows 3\n',
    ],
  ] as const
  const ended = await Promise.all(refusals.map(([args]) => spawnTrellis(t, args).ended))
  assert.deepEqual(
    ended.map(({ code, stderr }) => [code, stderr]),
    refusals.map(([, line]) => [1, line]),
  )
})
