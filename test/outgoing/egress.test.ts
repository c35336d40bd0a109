// Denies requests to private networks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../core/names/dialect.ts'
import { OptionsError } from '../../core/options/option-values.ts'
import { OutgoingClient, OutgoingError } from '../../core/outgoing/client.ts'
import { denyPrivate, isPrivate } from '../../core/outgoing/connecting/egress.ts'
import { definePlugin, type Outgoing } from '../../sdk/index.ts'
import { startOther } from '../auth/other-server.ts'
import { parseSettings, readCommandLine } from '../support/built-in-options.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

test('private addresses are recognized, also embedded in IPv6 addresses', () => {
  const own = [
    '127.0.0.1',
    '127.8.9.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
  ]
  const more = [
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    'fc00::1',
  ]
  const carried = [
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '::ffff:0:169.254.169.254',
  ]
  for (const address of [...own, ...more, ...carried]) assert.equal(isPrivate(address), true, address)
  const open = [
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::',
  ]
  for (const address of open) assert.equal(isPrivate(address), false, address)
})

function client(t: test.TestContext, allowed: readonly string[] = [], dialect: 'trellis' | 'hasura' = 'trellis') {
  const outgoing = new OutgoingClient(dialects[dialect], { egress: denyPrivate(allowed) })
  t.after(() => outgoing.close())
  const send = (url: string) => outgoing.send({ method: 'GET', url, timeout: 5000 })
  const isRefused = (url: string, host: string) =>
    assert.rejects(send(url), (error) => {
      assert.ok(error instanceof OutgoingError, String((error as Error).stack))
      assert.deepEqual(
        [error.reason, error.message],
        ['forbidden', `requests to ${host} are not allowed: it is in a private network`],
      )
      return true
    })
  return { send, isRefused }
}

test('under deny-private no name or address leads to this machine', async (t) => {
  const server = await startOther(t, () => ({}))
  const { port } = new URL(server.url)
  const { isRefused } = client(t)
  await isRefused(`http://127.0.0.1:${port}/`, '127.0.0.1')
  await isRefused(`http://2130706433:${port}/`, '127.0.0.1')
  await isRefused(`http://0x7f.1:${port}/`, '127.0.0.1')
  await isRefused(`http://localhost:${port}/`, 'localhost')
  await isRefused(`http://[::1]:${port}/`, '::1')
  await isRefused(`http://[::ffff:127.0.0.1]:${port}/`, '::ffff:7f00:1')
  await isRefused(`https://127.0.0.1:${port}/`, '127.0.0.1')
  assert.equal(server.received.length, 0)
})

test('allowed hosts and networks are reached', async (t) => {
  const server = await startOther(t, () => ({ body: 'here' }))
  const { port } = new URL(server.url)
  const byName = client(t, ['LocalHost'])
  assert.equal((await byName.send(`http://localhost:${port}/`)).body.toString(), 'here')
  await byName.isRefused(`http://127.0.0.1:${port}/`, '127.0.0.1')
  const byNetwork = client(t, ['127.0.0.0/8'])
  assert.equal((await byNetwork.send(`http://127.0.0.1:${port}/`)).status, 200)
  assert.equal((await byNetwork.send(`http://localhost:${port}/`)).status, 200)
})

test('a redirect is limited as a request is', async (t) => {
  const inside = await startOther(t, () => ({}))
  const server = await startOther(t, () => ({ status: 302, headers: { location: inside.url } }))
  const { port } = new URL(server.url)
  await client(t, ['localhost'], 'hasura').isRefused(`http://localhost:${port}/`, '127.0.0.1')
  assert.equal(inside.received.length, 0)
})

test('the option applies to requests of all plugins', async (t) => {
  const waiting = Promise.withResolvers<void>()
  const server = await startOther(t, async ({ path }) => {
    if (path === '/slow?key=hidden') await waiting.promise
    return path === '/moved' ? { status: 302, headers: { location: 'http://10.2.0.1/' } } : {}
  })
  const found = Promise.withResolvers<Outgoing>()
  const plugin = definePlugin({ name: 'sender', register: (engine) => found.resolve(engine.outgoing) })
  await startTrellis(t, { plugins: [plugin], settings: { egress: 'deny-private' } })
  const outgoing = await found.promise
  await assert.rejects(outgoing.send({ method: 'GET', url: server.url, timeout: 5000 }), { reason: 'forbidden' })
  const allowing = await startTrellis(t, {
    settings: { egress: 'deny-private', egressAllow: ['10.1.0.0/16', 'hooks.internal', '::1', '127.0.0.1'] },
  })
  const { port } = new URL(server.url)
  const tried = async (host: string, path = '/hook') => {
    const url = `http://${host}:${port}${path}`
    type Tried = { status: number | null; body: string | null; error: string | null; is_cut: boolean }
    return allowing.op<Tried>('test_webhook', { url, headers: { 'x-key': 'a' }, payload: { id: 1 } })
  }
  const denied = await tried('10.2.0.1')
  assert.deepEqual([denied.status, typeof denied.error], [null, 'string'])
  const { status, body, error, is_cut } = await tried('127.0.0.1')
  assert.deepEqual([status, body, error, is_cut], [200, '{}', null, false])
  const [call] = server.received
  assert.deepEqual([call!.method, call!.path, call!.body, call!.headers['x-key']], ['POST', '/hook', '{"id":1}', 'a'])
  assert.equal((await tried('127.0.0.1', '/moved')).status, 302)
  assert.equal(server.received.length, 2)
  // More than the pool has connections: none of them is held.
  const slow = Array.from({ length: 30 }, () => tried('127.0.0.1', '/slow?key=hidden'))
  await eventually(() => server.received.length === 32)
  assert.deepEqual(await allowing.op('run_sql', { sql: 'select 1' }), {
    result_type: 'TuplesOk',
    result: [['?column?'], ['1']],
  })
  waiting.resolve()
  assert.deepEqual(new Set((await Promise.all(slow)).map(({ status }) => status)), new Set([200]))
})

test('streams and sockets are limited as requests are', async (t) => {
  const server = await startOther(t, () => ({}))
  const { port } = new URL(server.url)
  const outgoing = new OutgoingClient(dialects.trellis, { egress: denyPrivate([]) })
  t.after(() => outgoing.close())
  const use = (Socket: new (url: string) => unknown) => void new Socket('ws://elsewhere')
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = `http://${host}:${port}/`
    await assert.rejects(outgoing.open({ method: 'POST', url, timeout: 5000 }), { reason: 'forbidden' })
    await assert.rejects(outgoing.socket({ url, timeout: 5000, use }), { reason: 'forbidden' })
  }
  assert.equal(server.received.length, 0)
})

test('an invalid list of exceptions is refused', () => {
  for (const wrong of ['10.1.0.0/33', 'http://host', '1.2.3', '::g']) {
    const command = readCommandLine([
      'serve',
      '--database-url',
      'postgres://h/d',
      '--egress-allow',
      `ok.example,${wrong}`,
    ])
    assert.throws(
      () => parseSettings(command),
      (error) => {
        assert.ok(error instanceof OptionsError)
        assert.ok(
          error.message.includes(`"${wrong}" is neither a host nor an address nor a network such as 10.1.0.0/16`),
        )
        return true
      },
      wrong,
    )
  }
})
