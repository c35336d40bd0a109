import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

function start(t: test.TestContext, limit: object, settings: TrellisOptions['settings'] = {}): Promise<TestTrellis> {
  return startTrellis(t, { settings: { apiLimits: JSON.stringify({ rate_limit: limit }), ...settings } })
}

const query = { query: '{ __typename }' }

/** The status, the error code if there is one, and whether the response has `Retry-After`. */
async function ask(trellis: TestTrellis, role: string, headers: Record<string, string> = {}, body: unknown = query) {
  const answer = await trellis.request<{ errors?: { extensions: { code: string } }[] }>('/v1alpha1/graphql', {
    ...{ role, headers, body },
  })
  return [answer.status, answer.body.errors?.[0]?.extensions.code ?? null, answer.headers.has('retry-after')] as const
}

const fine = [200, null, false]
const refused = [429, 'rate-limit-exceeded', true]

test('each role has its limit, and administrators have none', async (t) => {
  const trellis = await start(t, {
    global: { max_reqs_per_min: 3 },
    per_role: { guest: { max_reqs_per_min: 1 } },
  })
  const answers = []
  for (let i = 0; i < 4; i++) answers.push(await ask(trellis, 'clerk'))
  assert.deepEqual(answers, [fine, fine, fine, refused])
  assert.deepEqual([await ask(trellis, 'guest'), await ask(trellis, 'guest')], [fine, refused])
  for (let i = 0; i < 9; i++) assert.deepEqual(await ask(trellis, 'admin'), fine)
})

test('the error has the form of the endpoint, and a Retry-After', async (t) => {
  const trellis = await start(t, { global: { max_reqs_per_min: 1 } })
  await ask(trellis, 'clerk')
  for (const [path, status, body] of [
    ['/v1/graphql', 200, query],
    ['/v1beta1/relay', 200, query],
    ['/v1alpha1/graphql', 429, query],
    ['/v1/query', 429, { type: 'count', args: { table: 'person' } }],
    ['/v1/query', 429, 'no JSON'],
    ['/api/1/table/person/count', 429, {}],
  ] as const) {
    const answer = await trellis.request<Record<string, unknown>>(path, { role: 'clerk', body })
    assert.equal(answer.status, status, path)
    const seconds = Number(answer.headers.get('retry-after'))
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 120, String(seconds))
    const message = `the rate limit of 1 requests per minute is exceeded, try again in ${seconds} s`
    const extensions = { path: '$', code: 'rate-limit-exceeded' }
    const expected =
      path.endsWith('l') || path.endsWith('relay')
        ? { errors: [{ extensions, message }] }
        : { path: '$', error: message, code: 'rate-limit-exceeded' }
    assert.deepEqual(answer.body, expected, path)
  }
})

test('clients are distinguished by session variables', async (t) => {
  const parameters = ['X-Service-User-Id', 'x-service-org']
  const trellis = await start(t, { global: { max_reqs_per_min: 1, unique_params: parameters } })
  const as = (user: string, org?: string) => {
    const headers = { 'x-service-user-id': user, ...(org !== undefined && { 'x-service-org': org }) }
    return ask(trellis, 'clerk', headers)
  }
  const clients = [['1'], ['2'], ['1', 'a'], ['1', 'b'], ['1b'], ['x'.repeat(5000)], ['y'.repeat(5000)]] as const
  for (const [user, org] of clients) assert.deepEqual(await as(user, org), fine)
  for (const [user, org] of clients) assert.deepEqual(await as(user, org), refused)
})

test('clients are distinguished by address, which they cannot forge', async (t) => {
  const limit = { global: { max_reqs_per_min: 1, unique_params: 'ip' } }
  const direct = await start(t, limit)
  assert.deepEqual(await ask(direct, 'clerk', { 'x-forwarded-for': '1.1.1.1' }), fine)
  assert.deepEqual(await ask(direct, 'clerk', { 'x-forwarded-for': '2.2.2.2', 'x-real-ip': '2.2.2.2' }), refused)
  assert.deepEqual(await ask(direct, 'guest'), fine)
  const behind = await start(t, limit, { trustedProxies: 1 })
  assert.deepEqual(await ask(behind, 'clerk', { 'x-forwarded-for': '1.1.1.1' }), fine)
  assert.deepEqual(await ask(behind, 'clerk', { 'x-forwarded-for': '2.2.2.2' }), fine)
  assert.deepEqual(await ask(behind, 'clerk', { 'x-forwarded-for': '3.3.3.3, 2.2.2.2' }), refused)
})

test('a batch counts as many times as it has operations', async (t) => {
  const trellis = await start(t, { global: { max_reqs_per_min: 5 } })
  const batch = (size: number) => ask(trellis, 'clerk', {}, Array(size).fill(query))
  assert.deepEqual(await batch(3), fine)
  assert.deepEqual(await ask(trellis, 'clerk'), fine)
  assert.deepEqual(await ask(trellis, 'clerk'), fine)
  assert.deepEqual(await ask(trellis, 'clerk'), refused)
})

test('a refused batch is not counted, not even as the one request of its admission', async (t) => {
  const trellis = await start(t, { global: { max_reqs_per_min: 5 } })
  const batch = (size: number) => ask(trellis, 'clerk', {}, Array(size).fill(query))
  for (let i = 0; i < 9; i++) assert.deepEqual(await batch(6), refused)
  assert.deepEqual(await batch(5), fine)
  assert.deepEqual(await ask(trellis, 'clerk'), refused)
})

test('a client that its own limit refuses uses up nothing of a limit that it shares', async (t) => {
  const trellis = await start(t, { global: { max_reqs_per_min: 20 } }, { trustedProxies: 1 })
  const ofAddress = { max_reqs_per_min: 5, unique_params: 'IP' }
  await trellis.op('set_api_limits', { rate_limit: { global: ofAddress } })
  const from = (address: string) => ask(trellis, 'clerk', { 'x-forwarded-for': address })
  const answers = []
  for (let i = 0; i < 30; i++) answers.push(await from('1.1.1.1'))
  assert.deepEqual(answers, [...Array(5).fill(fine), ...Array(25).fill(refused)])
  assert.deepEqual(await from('2.2.2.2'), fine)
})

test('requests that fail authentication are refused for that, and not counted', async (t) => {
  const trellis = await start(t, { global: { max_reqs_per_min: 1 } }, { adminSecret: 'sesame' })
  for (let i = 0; i < 3; i++) assert.deepEqual(await ask(trellis, 'clerk'), [401, 'access-denied', false])
  const headers = { 'x-service-admin-secret': 'sesame' }
  assert.deepEqual([await ask(trellis, 'clerk', headers), await ask(trellis, 'clerk', headers)], [fine, refused])
})

test('endpoints without authentication have no limit', async (t) => {
  const trellis = await start(t, { global: { max_reqs_per_min: 1 } })
  for (let i = 0; i < 3; i++) assert.equal((await trellis.request('/healthz', { role: 'clerk' })).status, 200)
})
