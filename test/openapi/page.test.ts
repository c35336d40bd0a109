import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { startTrellis } from '../support/trellis.ts'

const contentOf = (page: string, tag: string) =>
  page.slice(page.indexOf(`<${tag}>`) + tag.length + 2, page.indexOf(`</${tag}>`))

test('the page is open, runs its own script alone, and knows nothing by itself', async (t) => {
  const { request } = await startTrellis(t, { settings: { adminSecret: 'sesame', dialect: 'hasura' } })
  const { status, text, headers } = await request('/api/openapi')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; /)
  for (const tag of ['script', 'style']) {
    const digest = createHash('sha256').update(contentOf(text, tag)).digest('base64')
    assert.ok(policy.includes(`${tag}-src 'sha256-${digest}';`), policy)
  }
  assert.doesNotMatch(text, /https?:|src=|href="[^#]/)
  assert.doesNotMatch(text, /sesame|track_table/)
  assert.match(text, /content="x-hasura-admin-secret"/)
  assert.ok(new Script(contentOf(text, 'script')))
})
