// `--max-total-header-length`: the headers of a request, all together.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const tooLarge = { status: 431, body: { path: '$', error: 'request header fields too large', code: 'bad-request' } }

/** The answer to a request whose headers hold two texts of half this size. */
const withHeaders = (url: string, size: number) =>
  new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const headers = { 'x-one': 'a'.repeat(size / 2), 'x-two': 'b'.repeat(size / 2) }
    const sent = request(`${url}/v1/version`, { headers }, async (response) => {
      const body = JSON.parse(Buffer.concat(await response.toArray()).toString())
      resolve({ status: response.statusCode ?? 0, body })
    })
    sent.on('error', reject)
    sent.end()
  })

const start = async (t: TestContext, maxTotalHeaderLength?: number) =>
  (await startTrellis(t, { settings: maxTotalHeaderLength === undefined ? {} : { maxTotalHeaderLength } })).url

test('headers of 16 KiB are accepted unless the option says otherwise', async (t) => {
  const url = await start(t)
  assert.equal((await withHeaders(url, 15_000)).status, 200)
  assert.deepEqual(await withHeaders(url, 17_000), tooLarge)
})

test('the option raises and lowers the limit', async (t) => {
  const large = await start(t, 100_000)
  assert.equal((await withHeaders(large, 90_000)).status, 200)
  assert.deepEqual(await withHeaders(large, 110_000), tooLarge)
  const small = await start(t, 2_000)
  assert.equal((await withHeaders(small, 1_000)).status, 200)
  assert.deepEqual(await withHeaders(small, 3_000), tooLarge)
})
