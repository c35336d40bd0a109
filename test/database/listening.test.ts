import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Listener } from '../../core/database/hearing/listening.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { startProxy } from '../support/proxy.ts'
import { startPair } from '../support/standby.ts'
import { eventually } from '../support/waiting.ts'

test('several channels are listened to at the same time, without warnings', async (t) => {
  const { url, sql } = await testDatabase(t)
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  atEnd(t, () => process.off('warning', onWarning))
  const listener = new Listener({ url, timeoutMillis: 10_000, run: (text, values) => sql(text, [...values]) })
  atEnd(t, () => listener.close())
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  atEnd(t, () => client.end())

  const channels = ['a', 'b', 'c']
  const heard: string[] = []
  const listenTo = (channel: string) =>
    listener.listen(channel, {
      onNotify: (payload) => heard.push(channel + payload),
      onLost: (error) => assert.fail(error),
    })
  const [first, second] = channels.map(listenTo)
  await eventually(() => first!.isHeard && second!.isHeard)
  const fourth = listenTo('d')
  await Promise.all([first!.stop(), second!.stop(), eventually(() => fourth.isHeard)])
  for (const channel of ['a', 'b', 'd', 'c']) await client.query('select pg_notify($1, $2)', [channel, '1'])
  await eventually(() => heard.includes('c1'))
  assert.deepEqual(heard, ['d1', 'c1'])
  assert.deepEqual(warnings, [])
})

/** A listener through a proxy, and the order of its calls. */
async function startListener(t: TestContext) {
  const { url, sql } = await testDatabase(t)
  const proxy = await startProxy(t, url)
  const run = (text: string, values: readonly unknown[]) => sql(text, values)
  const listener = new Listener({ url: proxy.url, timeoutMillis: 10_000, run })
  atEnd(t, () => listener.close())
  const calls: string[] = []
  const listening = listener.listen('news', {
    onNotify: (payload) => calls.push(payload),
    onHeard: () => calls.push('heard'),
    onLost: () => calls.push('lost'),
  })
  await eventually(() => listening.isHeard)
  const notify = (payload: string) => sql('select pg_notify($1, $2)', ['news', payload])
  return { listener, proxy, calls, listening, notify }
}

test('a lost connection is replaced, and each loss is reported once', async (t) => {
  const { proxy, calls, listening, notify } = await startListener(t)
  await notify('one')
  await eventually(() => calls.includes('one'))
  proxy.cut()
  await eventually(() => !listening.isHeard)
  await eventually(() => listening.isHeard)
  await notify('two')
  await eventually(() => calls.includes('two'))
  assert.deepEqual(calls, ['heard', 'one', 'lost', 'heard', 'two'])
})

test('a connection that has become silent is replaced after a test', async (t) => {
  const { proxy, calls, listening, notify } = await startListener(t)
  listening.verify()
  assert.equal(listening.isHeard, false)
  await eventually(() => listening.isHeard)
  proxy.swallow('open')
  await notify('missed')
  listening.verify()
  await eventually(() => calls.length === 3)
  await notify('two')
  await eventually(() => calls.includes('two'))
  assert.deepEqual(calls, ['heard', 'lost', 'heard', 'two'])
})

test('names of channels that PostgreSQL would cut are refused', async (t) => {
  const { listener } = await startListener(t)
  for (const name of ['', 'é'.repeat(32)])
    assert.throws(() => listener.listen(name, { onNotify: () => {} }), RangeError)
  await listener.listen('n'.repeat(63), { onNotify: () => {} }).stop()
})

test('a server that refuses to listen keeps none of the attempted connections', async (t) => {
  const { standby } = await startPair(t)
  const run = async () => {}
  const listener = new Listener({ url: standby.url, timeoutMillis: 10_000, run })
  atEnd(t, () => listener.close())
  let refused = ''
  listener.listen('news', { onNotify: () => {}, onLost: ({ message }) => (refused = message) })
  await eventually(() => refused !== '')
  assert.match(refused, /cannot execute LISTEN during recovery/)
  const client = new pg.Client({ connectionString: standby.url })
  await client.connect()
  atEnd(t, () => client.end())
  // Longer than it takes to try again three times.
  await sleep(3500)
  const { rows } = await client.query(
    `select count(*)::int as open from pg_stat_activity where backend_type = 'client backend' and query like '%LISTEN%'
    and pid <> pg_backend_pid()`,
  )
  assert.ok(rows[0].open <= 1, `${rows[0].open} connections are open`)
})
