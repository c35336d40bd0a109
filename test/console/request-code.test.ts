import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { codeOf, type SentRequest } from '../../console/src/requests/code.ts'

const note = `it's "$HOME" \`id\` \\ ü`
const request: SentRequest = {
  ...{ server: 'http://localhost:8080/', method: 'POST', path: 'v1/metadata' },
  headers: {
    ...{ 'content-type': 'application/json', 'x-service-role': 'user', 'x-service-note': note },
    'x-service-admin-secret': '$TRELLIS_ADMIN_SECRET',
  },
  body: JSON.stringify({ type: 'export_metadata', args: { note } }),
}

const withToken = (): SentRequest => {
  const { 'x-service-admin-secret': _, ...headers } = request.headers
  return { ...request, headers: { ...headers, authorization: 'Bearer $TRELLIS_ADMIN_SECRET' } }
}

/** The words that a shell makes of a command line. */
const wordsOf = (line: string | null): readonly string[] => {
  const script = `show() { printf '%s\\0' "$@"; }; show ${line}`
  const env = { TRELLIS_ADMIN_SECRET: 'sesame' }
  return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('a shell makes of a request as curl the same texts, and puts the secret in', () => {
  assert.deepEqual(wordsOf(codeOf(request, 'curl')), [
    ...['curl', 'http://localhost:8080/v1/metadata', '-H', 'content-type: application/json'],
    ...['-H', 'x-service-role: user', '-H', `x-service-note: ${note}`],
    ...['-H', 'x-service-admin-secret: sesame', '-d', request.body],
  ])
})

test('a shell makes of a request as a command line the same texts, with a secret or a token', () => {
  const named = { 'x-service-role': 'user', 'x-service-note': note }
  const place = ['--endpoint', 'http://localhost:8080']
  assert.deepEqual(wordsOf(codeOf(request, 'CLI')), [
    ...['trellis', 'run', '-e', request.body, ...place, '--admin-secret', 'sesame'],
    ...['--headers', JSON.stringify(named)],
  ])
  assert.deepEqual(wordsOf(codeOf(withToken(), 'CLI')), [
    ...['trellis', 'run', '-e', request.body, ...place],
    ...['--headers', JSON.stringify({ ...named, authorization: 'Bearer sesame' })],
  ])
  assert.equal(codeOf({ ...request, path: 'v1alpha1/config', method: 'GET', body: null }, 'CLI'), null)
})

test('a request as fetch sends the same headers, in UTF-8, and body, with every digit', async () => {
  const digits = '{"type":"count","args":{"n":12345678901234567890}}'
  for (const each of [request, withToken(), { ...request, body: digits }]) {
    const code = codeOf(each, 'fetch') ?? ''
    const sent: [string, RequestInit][] = []
    const fetch = async (url: string, options: RequestInit) => {
      sent.push([url, options])
      return new Response('{}')
    }
    const run = new Function('fetch', 'process', `return (async () => { ${code} })()`)
    await run(fetch, { env: { TRELLIS_ADMIN_SECRET: 'sesame' } })
    const headers = Object.entries(each.headers).map(([name, value]) => [
      name,
      // A character for each byte.
      Buffer.from(value.replace('$TRELLIS_ADMIN_SECRET', 'sesame')).toString('latin1'),
    ])
    assert.deepEqual(sent, [
      ['http://localhost:8080/v1/metadata', { method: 'POST', headers: Object.fromEntries(headers), body: each.body }],
    ])
  }
})

test('JSON is the body with every digit; a request without one has no such form', () => {
  assert.equal(codeOf({ ...request, body: '{"n":12345678901234567890}' }, 'JSON'), '{\n  "n": 12345678901234567890\n}')
  assert.equal(codeOf({ ...request, method: 'GET', body: null }, 'JSON'), null)
})
